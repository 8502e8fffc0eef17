import * as format from "../format";
import { neighbours } from "./bundles";
import { GROUP, type Model, NODE, ROOT } from "./model";
import { costOf } from "./plan";

const MOST = 40;

/** All that is known of a row, and who it reads and is read by. */
export function Details({ model, row, select }: { model: Model; row: number; select: (row: number) => void }) {
  const { inputs, outputs, reads, readers } = neighbours(model, model.data, row, MOST);
  const kind = model.kind(row);
  const device = model.device(row);
  return (
    <section class="graph-details" aria-label="Details of the selected box">
      <h2 title={model.name(row).slice(0, 400)}>{row === ROOT ? "The whole model" : model.name(row)}</h2>
      <dl>
        <Fact name="is" value={kind === NODE ? model.op(row) || "an op, of a type that is not told" : kind === GROUP ? "a group of alike ones" : "a scope"} />
        {kind !== NODE && <Fact name={`${model.columns.of} inside`} value={format.exact(model.nodes[row])} />}
        {kind === NODE && model.columns.of === "ops" && (
          <Fact name="device" value={device || "not told"} />
        )}
        {model.columns.metrics.map((metric) => (
          <Fact key={metric.key} name={metric.title} value={costWithShare(model, metric.key, row)} about={metric.why || metric.about} />
        ))}
      </dl>
      <Ends title="Inputs" ends={inputs} total={reads} model={model} select={select} />
      <Ends title="Outputs" ends={outputs} total={readers} model={model} select={select} />
    </section>
  );
}

function costWithShare(model: Model, key: string, row: number): string {
  const metric = model.columns.metrics.find((one) => one.key === key)!;
  if (!metric.total) return `${format.UNKNOWN} ${metric.why}`;
  const value = metric.total[row]!;
  if (Number.isNaN(value)) return "no data";
  const whole = metric.total[ROOT]!;
  return row !== ROOT && whole > 0 ? `${costOf(metric, row)} (${format.share(value, whole)})` : costOf(metric, row);
}

function Fact({ name, value, about }: { name: string; value: string; about?: string }) {
  return (
    <div>
      <dt title={about}>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

interface EndsProps {
  title: string;
  ends: { row: number; shape: string }[];
  total: number;
  model: Model;
  select: (row: number) => void;
}

function Ends({ title, ends, total, model, select }: EndsProps) {
  if (!total) return null;
  return (
    <>
      <h3>{`${title} (${format.exact(total)})`}</h3>
      <ul>
        {ends.map(({ row, shape }, at) => (
          <li key={at}>
            <button type="button" class="graph-link" title={model.name(row).slice(0, 400)} onClick={() => select(row)}>
              {model.name(row)}
            </button>
            <span class="graph-end-shape">{shape}</span>
          </li>
        ))}
        {total > ends.length && <li class="graph-more">{`${format.exact(total - ends.length)} more`}</li>}
      </ul>
    </>
  );
}
