import type { MetricColumns, Model } from "./model";

/** How boxes are coloured: by what they cost, by their device or by their op. */
export type Colouring = { by: "metric"; metric: MetricColumns; most: number } | { by: "device" } | { by: "op" };

const MOST_HEAT = 52;

/** null is "no data", which is hatched and not pale. */
export function fillOf(model: Model, colouring: Colouring, row: number): string | null {
  if (colouring.by === "metric") {
    const value = colouring.metric.total?.[row];
    if (value === undefined || Number.isNaN(value)) return null;
    const heat = colouring.most > 0 ? Math.sqrt(value / colouring.most) : 0;
    return heatColour(heat);
  }
  const number = alike(model, colouring.by, row);
  return number === 0 ? null : number < 0 ? "var(--raised)" : hueColour(number);
}

/** 0 to 1; the text on it stays readable. */
export function heatColour(heat: number): string {
  const part = Math.min(1, Math.max(0, heat)) * MOST_HEAT;
  return `color-mix(in oklab, var(--heat-high) ${part.toFixed(1)}%, var(--heat-low))`;
}

export function hueColour(number: number): string {
  const hue = ((number - 1) * 137.5 + 250) % 360;
  return `light-dark(oklch(0.89 0.06 ${hue.toFixed(0)}), oklch(0.36 0.06 ${hue.toFixed(0)}))`;
}

/** What all nodes of a row have: its number, 0 for nothing, -1 if they differ. */
export function alike(model: Model, by: "device" | "op", row: number): number {
  const column = by === "device" ? model.columns.device : model.columns.op;
  let found = 0;
  for (let at = row; at < model.end[row]!; at++) {
    const number = column[at]!;
    if (!number || number === found) continue;
    if (found) return -1;
    found = number;
  }
  return found;
}
