import * as format from "../format";
import type { Bundle, Bundles } from "./bundles";
import type { Plan } from "./layout";
import { GROUP, type MetricColumns, type Model, NODE, ROOT } from "./model";

const [NARROWEST, WIDEST] = [86, 265];
const HEIGHT = 40;
/** what the first picture may have */
export const FIRST_BOXES = 34;
/** a box that so many others are joined to stands aside: its edges would lie over everything */
const HUB = 8;
/** what numbers without a unit count */
const COUNTED: Record<string, string> = { params: "params", flops: "FLOPs", macs: "MACs" };

/** What is written of a row under its name. */
export function costOf(metric: MetricColumns | undefined, row: number): string {
  const value = metric?.total?.[row];
  if (!metric || value === undefined || Number.isNaN(value)) return format.UNKNOWN;
  const write = { count: format.count, bytes: format.bytes, microseconds: format.duration }[metric.unit];
  return format.ofKind(write(value), metric.partly?.[row] ? "at_least" : undefined);
}

/** Its name, and below it what it costs; `inWords` says what a number counts. */
export function linesOf(model: Model, metric: MetricColumns | undefined, row: number, inWords = true): [string, string] {
  const kind = model.kind(row);
  const inside = model.nodes[row]!;
  const word = model.columns.of === "ops" ? "op" : "layer";
  const count = `${format.exact(inside)} ${word}${inside === 1 ? "" : "s"}`;
  const what = kind === NODE ? model.op(row) || "type not told" : kind === GROUP ? `${model.children(row).length} × alike` : count;
  const cost = metric?.total ? costOf(metric, row) : "";
  const unit = inWords && metric?.unit === "count" ? ` ${COUNTED[metric.key] ?? ""}`.trimEnd() : "";
  return [model.label(row), cost && cost !== format.UNKNOWN ? `${cost}${unit} · ${what}` : what];
}

export function edgeLabel(bundle: Bundle): string {
  if (bundle.count === 1) return bundle.shape;
  return bundle.shape ? `${bundle.shape} (${bundle.count})` : `${format.exact(bundle.count)} tensors`;
}

export function planOf(
  model: Model,
  bundles: Bundles,
  open: ReadonlySet<number>,
  metric: MetricColumns | undefined,
  scope = ROOT,
): Plan {
  const hubs = hubsOf(bundles.of(scope));
  return {
    row: scope,
    boxes: model.children(scope).map((row) => {
      const [label, below] = linesOf(model, metric, row);
      const longest = Math.max(label.length * letterOf(model, row), below.length * 6.4);
      const width = Math.min(WIDEST, Math.max(NARROWEST, longest + (model.isOpenable(row) ? 40 : 22) + (hubs.has(row) ? 30 : 0)));
      const box = { row, width, height: HEIGHT };
      return open.has(row) ? { ...box, inside: planOf(model, bundles, open, metric, row) } : box;
    }),
    edges: withoutHubs(bundles.of(scope)).map((one) => ({ from: one.from, to: one.to, label: edgeLabel(one) })),
  };
}

/** About the width of a letter in a label: those of scopes are bold. */
export function letterOf(model: Model, row: number): number {
  return model.kind(row) === NODE ? 6.9 : 7.7;
}

function withoutHubs(bundles: Bundle[]): Bundle[] {
  const hubs = hubsOf(bundles);
  return hubs.size ? bundles.filter((one) => !hubs.has(one.from) && !hubs.has(one.to)) : bundles;
}

/** Boxes with many neighbours, and with how many. */
export function hubsOf(bundles: Bundle[]): Map<number, number> {
  const joined = new Map<number, Set<number>>();
  for (const { from, to } of bundles) {
    for (const [one, other] of [[from, to], [to, from]] as const) {
      if (!joined.has(one)) joined.set(one, new Set());
      joined.get(one)!.add(other);
    }
  }
  const found = [...joined].map(([row, others]): [number, number] => [row, others.size]);
  return new Map(found.filter(([, count]) => count > HUB));
}

/** Opened from the start: what costs most, as long as the picture stays one that can be read. */
export function firstOpen(model: Model, metric: MetricColumns | undefined, most = FIRST_BOXES): Set<number> {
  const open = new Set<number>();
  let boxes = model.children(ROOT);
  const weight = (row: number) => metric?.total?.[row] || model.nodes[row]! * 1e-9;
  const left = new Set(boxes.filter((row) => model.isOpenable(row)));
  while (left.size) {
    const row = [...left].reduce((one, other) => (weight(other) > weight(one) ? other : one));
    left.delete(row);
    const inside = model.children(row);
    if (boxes.length + inside.length > most) continue;
    if (boxes.length > 8 && weight(row) < 0.15 * weight(ROOT)) break;
    open.add(row);
    boxes = [...boxes, ...inside];
    for (const one of inside) if (model.isOpenable(one)) left.add(one);
  }
  return open;
}
