import { useMemo, useState } from "preact/hooks";
import { written } from "../amount";
import { bounded } from "../bounded";
import { Picture } from "../flame/picture";
import { found, foundTotal, nameOf, pathTo, type Ranked, ranked, rootOf, wholeName } from "../flame/tree";
import { exact, share } from "../format";
import { Table, type TableColumn } from "../parts/table";
import { Name } from "../parts/tooltip";
import type { ScopeMetric, ScopeTree } from "../results";
import type { Section, SectionProps } from "../section";
import "./flame.css";

interface Data {
  tree: ScopeTree;
  notes: string[];
}

/** The address is `metric/view/row`. */
function View({ data, place, go }: SectionProps<Data>) {
  const { tree } = data;
  const [key = "", said = "", number = ""] = place.split("/");
  const known = tree.metrics.filter((one) => one.totals);
  const metric = known.find((one) => one.key === key) ?? known[0]!;
  const view = said === "map" ? "map" : "flame";
  const order = useMemo(() => ranked(tree.parent, metric.totals!), [tree, metric]);
  const top = rootOf(order);
  const root = number && Number(number) <= order.all ? Number(number) : top;
  const [words, setWords] = useState("");
  const [byPhase, setByPhase] = useState(false);
  const [picked, setPicked] = useState<number | null>(null);
  const [peek, setPeek] = useState<number | null>(null);
  const mask = useMemo(() => found(tree, words), [tree, words]);
  const to = (row: number, other = view) => {
    setPicked(row);
    setPeek(null);
    go(`${metric.key}/${other}/${row === top ? "" : row}`);
  };
  const shown = peek ?? picked ?? root;
  const trains = useMemo(() => new Set(tree.phase).size > 1, [tree]);
  return (
    <div class="flame">
      <div class="flame-tools">
        <label>
          Show{" "}
          <select value={metric.key} onChange={(event) => go(`${event.currentTarget.value}/${view}/${number}`)}>
            {tree.metrics.map((one) => (
              <option key={one.key} value={one.key} disabled={!one.totals} title={one.unknown || one.about}>
                {one.title}
                {one.totals ? "" : " (no data)"}
              </option>
            ))}
          </select>
        </label>
        <span role="group" aria-label="Picture" class="flame-switch">
          <button type="button" aria-pressed={view === "flame"} onClick={() => to(root, "flame")}>
            Flames
          </button>
          <button type="button" aria-pressed={view === "map"} onClick={() => to(root, "map")}>
            Treemap
          </button>
        </span>
        {trains && (
          <label>
            Colour by{" "}
            <select value={byPhase ? "phase" : "scope"} onChange={(event) => setByPhase(event.currentTarget.value === "phase")}>
              <option value="scope">scope</option>
              <option value="phase">phase of training</option>
            </select>
          </label>
        )}
        <input type="search" value={words} placeholder="Search scopes" aria-label="Search scopes" onInput={(event) => setWords(event.currentTarget.value)} />
        {mask && <Found tree={tree} metric={metric} mask={mask} whole={order.totals[top]!} />}
      </div>
      <Breadcrumbs tree={tree} root={root} top={top} onZoom={to} />
      <Picture
        tree={tree} ranked={order} metric={metric} root={root} view={view} byPhase={byPhase} mask={mask} shown={shown}
        onPeek={setPeek} onPick={setPicked} onZoom={to}
      />
      <Details tree={tree} ranked={order} metric={metric} row={shown} top={top} />
      <Children tree={tree} ranked={order} metric={metric} root={root} top={top} onZoom={to} />
      <p class="faint">
        {metric.about.charAt(0).toUpperCase() + metric.about.slice(1)} {metric.lost && "A scope with ≥ has ops whose cost is not known."}
      </p>
      <NoData metrics={tree.metrics} />
      {data.notes.map((note) => (
        <p key={note} class="faint">
          {bounded(note, 800)}
        </p>
      ))}
    </div>
  );
}

function Found({ tree, metric, mask, whole }: { tree: ScopeTree; metric: ScopeMetric; mask: Uint8Array; whole: number }) {
  const { rows, total } = useMemo(() => foundTotal(tree, metric.totals!, mask), [tree, metric, mask]);
  return (
    <span role="status" class="faint">
      {exact(rows)} found, {written(total, metric.unit)} ({share(total, whole)})
    </span>
  );
}

function Breadcrumbs({ tree, root, top, onZoom }: { tree: ScopeTree; root: number; top: number; onZoom: (row: number) => void }) {
  const path = root === top ? [top] : [...new Set([top, ...pathTo(tree.parent, root)])];
  return (
    <nav aria-label="Zoomed into" class="flame-path">
      {path.map((row, at) => (
        <span key={row}>
          {at > 0 && <span class="faint"> / </span>}
          {row === root ? (
            <b>{bounded(nameOf(tree, row), 60)}</b>
          ) : (
            <button type="button" onClick={() => onZoom(row)}>
              {bounded(nameOf(tree, row), 60)}
            </button>
          )}
        </span>
      ))}
    </nav>
  );
}

interface OfRow {
  tree: ScopeTree;
  ranked: Ranked;
  metric: ScopeMetric;
}

function amount({ metric, ranked: order }: OfRow, row: number): string {
  const mark = metric.lost?.[row] ? "≥ " : "";
  return mark + written(order.totals[row]!, metric.unit);
}

function Details(props: OfRow & { row: number; top: number }) {
  const { tree, ranked: order, metric, row, top } = props;
  const inside = order.first[row + 1]! - order.first[row]!;
  const lost = metric.lost?.[row];
  const phase = tree.phases[tree.phase[row] ?? 255];
  return (
    <p class="flame-details" aria-live="polite">
      <Name text={wholeName(tree, row)} />
      <span>
        <b>{amount(props, row)}</b> {metric.title}, {share(order.totals[row], order.totals[top])} of all
        {inside > 0 && ` · ${exact(inside)} inside`}
        {phase && ` · ${phase}`}
        {lost ? <span class="faint"> · not known of {exact(lost)} ops</span> : null}
      </span>
    </p>
  );
}

function Children(props: OfRow & { root: number; top: number; onZoom: (row: number) => void }) {
  const { tree, ranked: order, metric, root, top } = props;
  const rows = useMemo(() => order.children.slice(order.first[root]!, order.first[root + 1]!), [order, root]);
  const columns = useMemo<TableColumn<number>[]>(
    () => [
      { key: "name", title: `in ${bounded(nameOf(tree, root), 40)}`, value: (row) => nameOf(tree, row), show: (row) => <Name text={nameOf(tree, row)} /> },
      { key: "total", title: metric.title, number: true, width: "9rem", value: (row) => order.totals[row], show: (row) => amount(props, row) },
      { key: "share", title: "of all", number: true, width: "5.5rem", value: (row) => order.totals[row], show: (row) => share(order.totals[row], order.totals[top]) },
      { key: "inside", title: "inside", number: true, width: "5.5rem", secondary: true, value: (row) => order.first[row + 1]! - order.first[row]!, show: (row) => exact(order.first[row + 1]! - order.first[row]!) },
    ],
    [tree, order, metric, root, top],
  );
  if (!rows.length) return null;
  return <Table label={`What is in ${nameOf(tree, root).slice(0, 80)}`} rows={rows} columns={columns} tall={10} onPick={props.onZoom} />;
}

function NoData({ metrics }: { metrics: ScopeMetric[] }) {
  const reasons = new Map<string, string[]>();
  for (const one of metrics) {
    if (!one.totals) reasons.set(one.unknown, [...(reasons.get(one.unknown) ?? []), one.title]);
  }
  if (!reasons.size) return null;
  return (
    <ul class="faint flame-none">
      {[...reasons].map(([why, titles]) => (
        <li key={why}>
          No data of {titles.join(", ")}: {bounded(why, 400)}
        </li>
      ))}
    </ul>
  );
}

export default {
  title: "Scopes",
  help: "Costs by name scope. Flames: a scope is as wide as its part, what it is made of stands below. Click zooms in, a click on the top box out.",
  View,
} satisfies Section<Data> as Section<unknown>;
