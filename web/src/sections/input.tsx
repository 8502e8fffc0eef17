import { bounded } from "../bounded";
import { duration, exact, share } from "../format";
import { ColumnTable } from "../parts/column-table";
import { Facts } from "../parts/facts";
import { FindingView } from "../parts/finding";
import { SplitBar } from "../parts/split-bar";
import { Name } from "../parts/tooltip";
import type { FactRow, Finding, PipelineShown, StageShown, TablePart, Waited } from "../results";
import type { Section, SectionProps } from "../section";
import "./input.css";

interface Data {
  waited: Waited;
  hidden_us: number | null;
  verdict: string | null;
  pipelines: PipelineShown[];
  more: number;
  functions: TablePart[];
  fetches: TablePart | null;
  advised: Finding[];
  facts: FactRow[];
  notes: string[];
}

function View({ data }: SectionProps<Data>) {
  return (
    <div class="input">
      <Waiting waited={data.waited} verdict={data.verdict} />
      <div class={data.advised.length ? "input-columns" : undefined}>
        <div>
          {data.pipelines.map((one, at) => (
            <Pipeline key={at} pipeline={one} several={data.pipelines.length > 1} functions={data.functions[at]} advised={data.advised.length > 0} />
          ))}
          {data.more > 0 && <p class="faint">and {exact(data.more)} more pipelines, which only --json has</p>}
          {data.fetches && (
            <>
              <h3>What the runs took from queues and iterators</h3>
              <ColumnTable table={data.fetches} label="Queues and iterators" />
            </>
          )}
        </div>
        {data.advised.length > 0 && (
          <aside aria-label="What to change">
            <h3>What to change</h3>
            {data.advised.map((one, at) => (
              <FindingView key={one.rule} finding={one} open={at < 2} />
            ))}
          </aside>
        )}
      </div>
      <Facts facts={data.facts} />
      {data.notes.map((note) => (
        <p key={note} class="faint">
          {bounded(note, 800)}
        </p>
      ))}
    </div>
  );
}

/** How much of the time is waited for input. */
function Waiting({ waited, verdict }: { waited: Waited; verdict: string | null }) {
  if (waited.waited_us == null || waited.time_us == null) return null;
  const rest = Math.max(0, waited.time_us - waited.waited_us);
  const part = (key: string, label: string, value: number, light: string, dark: string) => ({
    key, label, value, text: duration(value), light, dark,
  });
  return (
    <section class="input-waiting">
      <h3>
        {share(waited.share)} of the time is waited for input{verdict && <span class="faint">: {verdict}</span>}
      </h3>
      <SplitBar
        label="Time"
        parts={[
          part("input", "waiting for input", waited.waited_us, "#cf5c0a", "#ff852f"),
          part("rest", "not waiting", rest, "#a9b6c6", "#465062"),
        ]}
      />
    </section>
  );
}

function Pipeline(props: { pipeline: PipelineShown; several: boolean; functions: TablePart | undefined; advised: boolean }) {
  const { pipeline, functions } = props;
  const most = Math.max(1e-9, ...pipeline.stages.map((one) => Math.max(one.stage.self_us ?? 0, one.stage.blocking_us ?? 0)));
  return (
    <section class="input-pipeline">
      <h3>
        {props.several ? `Pipeline ${pipeline.number + 1}` : "The pipeline"}
        <span class="faint"> {bounded(pipeline.about, 300)}</span>
      </h3>
      <div class="input-scroll" tabIndex={0} role="region" aria-label="Stages of the pipeline">
        <table>
          <thead>
            <tr>
              <th scope="col">stage</th>
              <th scope="col" title="its own work, without the stages below">self time</th>
              <th scope="col" title="how long it kept those waiting that read from it">blocking</th>
              <th scope="col">calls</th>
              <th scope="col">parallelism, buffer</th>
            </tr>
          </thead>
          <tbody>
            {pipeline.stages.map((one) => (
              <Stage key={one.stage.name} shown={one} most={most} />
            ))}
          </tbody>
        </table>
      </div>
      <p class="input-slow">
        <b>Bottleneck</b> {bounded(pipeline.bottleneck, 600)}
      </p>
      {!props.advised && pipeline.advice.length > 0 && (
        <ul class="input-advice">
          {pipeline.advice.map((one) => (
            <li key={one}>{bounded(one, 600)}</li>
          ))}
        </ul>
      )}
      {functions && functions.count > 0 && (
        <details>
          <summary>Time by {functions.title}</summary>
          <ColumnTable table={functions} label={`Time by ${functions.title}`} bar="self_us" />
        </details>
      )}
    </section>
  );
}

function Stage({ shown, most }: { shown: StageShown; most: number }) {
  const { stage } = shown;
  const look = shown.is_bottleneck ? "input-bottleneck" : shown.is_held_up ? "input-held-up" : undefined;
  const said = [stage.op, stage.shapes, stage.types].filter(Boolean).join(" · ");
  return (
    <tr class={look}>
      <td style={{ paddingInlineStart: `${0.5 + Math.min(shown.depth, 24) * 1.1}rem` }} title={bounded(said)}>
        {shown.depth > 0 && <span class="faint" aria-hidden="true">└ </span>}
        <Name text={stage.label} />
        {shown.is_bottleneck && <span class="input-tag">waited for</span>}
        {stage.asynchronous && <span class="input-tag input-quiet">ahead</span>}
      </td>
      <TimeCell value={stage.self_us} most={most} extra={stage.self_share == null ? "" : share(stage.self_share)} />
      <TimeCell value={stage.blocking_us} most={most} extra="" />
      <td class="input-number">{exact(stage.calls)}</td>
      <td>{bounded(shown.how, 120)}</td>
    </tr>
  );
}

function TimeCell({ value, most, extra }: { value: number | null; most: number; extra: string }) {
  return (
    <td class="input-number">
      <span class="input-bar" aria-hidden="true">
        <span style={{ width: `${(100 * (value ?? 0)) / most}%` }} />
      </span>
      {duration(value)} {extra && <small class="faint">{extra}</small>}
    </td>
  );
}

export default {
  title: "Input",
  help: "The stages of tf.data, each below the one that reads from it. Self time is its own work, blocking is how long it kept its reader waiting.",
  View,
} satisfies Section<Data> as Section<unknown>;
