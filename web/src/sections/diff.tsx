import { useMemo, useState } from "preact/hooks";
import { written } from "../amount";
import { bounded } from "../bounded";
import { CATEGORIES } from "../categories";
import { duration, exact, formula, relative, share } from "../format";
import { Facts } from "../parts/facts";
import { Legend } from "../parts/legend";
import { Table, type TableColumn } from "../parts/table";
import { Name } from "../parts/tooltip";
import type { DiffRow, DiffSummary, EffectRow, FactRow, Likeness, SideShown } from "../results";
import type { Section, SectionProps } from "../section";
import "./diff.css";

interface Data {
  summary: DiffSummary;
  sides: SideShown[];
  comparable: Likeness[];
  rows: EffectRow[];
  all_rows: number;
  facts: FactRow[];
  notes: string[];
}

function View({ data, place, go }: SectionProps<Data>) {
  const { summary } = data;
  const kinds = useMemo(() => [...new Set(data.rows.map((one) => one.row.kind))], [data]);
  const kind = kinds.find((one) => one === place);
  const [sure, setSure] = useState(false);
  const rows = useMemo(
    () => data.rows.filter((one) => (!kind || one.row.kind === kind) && (!sure || one.row.significant === true)),
    [data, kind, sure],
  );
  const before = data.sides[0]?.short ?? "before";
  const after = data.sides[data.sides.length - 1]?.short ?? "after";
  return (
    <div class="diff">
      <p class={`diff-verdict ${summary.same_work === false ? "diff-other" : ""}`}>{sameWork(summary)}</p>
      <StepBars sides={data.sides} />
      <h3>
        What differs, by effect <span class="faint">{bounded(before, 60)} → {bounded(after, 60)}</span>
      </h3>
      <div class="diff-tools">
        <select aria-label="Rows about" value={kind ?? ""} onChange={(event) => go(event.currentTarget.value)}>
          <option value="">all rows</option>
          {kinds.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
        <label>
          <input type="checkbox" checked={sure} onChange={(event) => setSure(event.currentTarget.checked)} /> only what is surely different
        </label>
      </div>
      <Table label="What differs, by effect" rows={rows} columns={COLUMNS} tall={16} />
      {data.all_rows > data.rows.length && <p class="faint">The first {exact(data.rows.length)} of {exact(data.all_rows)} rows.</p>}
      {summary.noise && <p class="faint">Noise: {bounded(summary.noise, 400)}</p>}
      <Comparable rows={data.comparable} before={before} after={after} />
      <Facts facts={data.facts} />
      {data.notes.map((note) => (
        <p key={note} class="faint">
          {bounded(note, 800)}
        </p>
      ))}
    </div>
  );
}

function sameWork(summary: DiffSummary): string {
  const step =
    summary.step_before_us != null && summary.step_after_us != null
      ? ` A step takes ${duration(summary.step_before_us)} → ${duration(summary.step_after_us)}${
          summary.step_significant === true ? ", which is more than noise." : summary.step_significant === false ? ", which may be noise." : "."
        }`
      : "";
  if (summary.same_work === true) return `Both do the same work.${step}`;
  if (summary.same_work === false) return `They do not do the same work: times differ for that reason, too.${step}`;
  return `Whether they do the same work is not known.${step}`;
}

/** An average step of every side, on one scale. */
function StepBars({ sides }: { sides: SideShown[] }) {
  const timed = sides.filter((one) => sum(one) > 0);
  if (!timed.length) return null;
  const most = Math.max(...timed.map(sum));
  const used = Object.keys(CATEGORIES).filter((key) => timed.some((one) => (one.breakdown[key] ?? 0) > 0));
  return (
    <section>
      <h3>An average step of each</h3>
      <div class="diff-bars">
        {timed.map((one) => (
          <div key={one.short} class="diff-side">
            <Name text={one.short} />
            <div class="diff-bar" role="img" aria-label={`${one.short.slice(0, 80)}: ${duration(sum(one))}`} style={{ width: `${(100 * sum(one)) / most}%` }}>
              {used.map((key) => (
                <span
                  key={key}
                  style={{ flexGrow: String(one.breakdown[key] ?? 0), background: colourOf(key) }}
                  title={`${CATEGORIES[key]?.label}: ${duration(one.breakdown[key])}, ${share(one.breakdown[key], sum(one))}`}
                />
              ))}
            </div>
            <span class="diff-time">{duration(sum(one))}</span>
          </div>
        ))}
      </div>
      <Legend items={used.map((key) => ({ key, label: CATEGORIES[key]?.label ?? key, colour: colourOf(key) }))} />
    </section>
  );
}

function sum(side: SideShown): number {
  return Object.values(side.breakdown).reduce<number>((whole, one) => whole + (one ?? 0), 0);
}

function colourOf(key: string): string {
  const look = CATEGORIES[key];
  return look ? `light-dark(${look.light}, ${look.dark})` : "var(--faint)";
}

const COLUMNS: TableColumn<EffectRow>[] = [
  { key: "sure", title: "sure", width: "3.6rem", hint: "● surely different, ○ within noise, ? cannot be said", value: ({ row }) => rank(row.significant), show: ({ row }) => <Sure significant={row.significant} why={row.why} /> },
  { key: "kind", title: "of", width: "5rem", secondary: true, value: ({ row }) => row.kind },
  { key: "name", title: "name", value: ({ row }) => `${row.name} ${row.metric}`, show: ({ row }) => <Name text={rowName(row)} /> },
  { key: "before", title: "before", number: true, width: "7.5rem", secondary: true, value: ({ row }) => plain(row.before), show: (one) => told(one, one.row.before) },
  { key: "after", title: "after", number: true, width: "7.5rem", value: ({ row }) => plain(row.after), show: (one) => told(one, one.row.after) },
  { key: "change", title: "change", number: true, width: "8rem", value: ({ row }) => plain(row.change), show: (one) => change(one) },
  { key: "relative", title: "by", number: true, width: "5.5rem", value: (one) => one.relative, show: (one) => relative(one.relative) },
  { key: "interval", title: "95% within", number: true, width: "12.5rem", secondary: true, value: ({ row }) => row.interval?.[0], show: (one) => interval(one) },
];

function Sure({ significant, why }: { significant: boolean | null; why: string | null }) {
  const [mark, said] = significant === true ? ["●", "surely different"] : significant === false ? ["○", "within noise"] : ["?", why ?? "cannot be said"];
  return (
    <span class={significant === true ? "diff-sure" : "faint"} title={said.slice(0, 400)} aria-label={said.slice(0, 400)} role="img">
      {mark}
    </span>
  );
}

function rank(significant: boolean | null): number {
  return significant === true ? 2 : significant === false ? 1 : 0;
}

function plain(value: number | string | null): number | string | null {
  return value;
}

function told(one: EffectRow, value: number | string | null): string {
  if (value == null) return "—";
  return typeof value === "string" ? formula(value.slice(0, 200)) : written(value, one.unit);
}

function change(one: EffectRow): string {
  const value = one.row.change;
  if (value == null) return one.row.before !== one.row.after ? "differs" : "";
  return typeof value === "string" ? formula(value.slice(0, 200)) : signed(written(Math.abs(value), one.unit), value);
}

function interval(one: EffectRow): string {
  const found = one.row.interval;
  if (!found) return "";
  const [low, high] = found as [number, number];
  return `${signed(written(Math.abs(low), one.unit), low)} to ${signed(written(Math.abs(high), one.unit), high)}`;
}

function signed(text: string, value: number): string {
  return value > 0 ? `+${text}` : value < 0 ? `−${text}` : text;
}

/** Steps by the words of their categories; that a time is one is seen by its unit. */
function rowName(row: DiffRow): string {
  const name = row.kind === "step" ? (CATEGORIES[row.name]?.label ?? row.name) : row.name;
  return name === row.metric || row.metric === "time_us" ? name : `${name} · ${metricWords(row.metric)}`;
}

function metricWords(metric: string): string {
  return metric
    .replace(/_(us|bytes)$/, "")
    .replaceAll("_", " ")
    .replace(/\b(flop|mac)s\b/, (word) => (word === "flops" ? "FLOPs" : "MACs"));
}

function Comparable({ rows, before, after }: { rows: Likeness[]; before: string; after: string }) {
  if (!rows.length) return null;
  return (
    <details>
      <summary>Whether they can be compared</summary>
      <div class="diff-scroll" tabIndex={0} role="region" aria-label="Whether they can be compared">
        <table>
          <thead>
            <tr>
              <th scope="col">what</th>
              <th scope="col">{bounded(before, 40)}</th>
              <th scope="col">{bounded(after, 40)}</th>
              <th scope="col">the same</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((one) => (
              <tr key={one.what}>
                <td>{one.what}</td>
                <td>{bounded(one.before ?? "?", 200)}</td>
                <td>{bounded(one.after ?? "?", 200)}</td>
                <td>{one.same === true ? "yes" : one.same === false ? "no" : "?"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export default {
  title: "Diff",
  help: "What changed against other profiles. A full dot is surely different, an empty one within the noise of steps.",
  View,
} satisfies Section<Data> as Section<unknown>;
