/** Round numbers along an axis. */

/** The largest of 1, 2 and 5 times a power of ten that makes at least so many steps. */
export function roundStep(span: number, steps: number): number {
  const rough = span / Math.max(1, steps);
  if (!(rough > 0) || !Number.isFinite(rough)) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = rough / power;
  return power * (factor >= 5 ? 5 : factor >= 2 ? 2 : 1) * 1;
}

/** Multiples of a round step from `low` to `high`. */
export function ticks(low: number, high: number, wanted: number): number[] {
  const step = roundStep(high - low, wanted);
  const found: number[] = [];
  for (let at = Math.ceil(low / step); at * step <= high * (1 + 1e-9) && found.length < 100; at++) {
    found.push(at * step);
  }
  return found;
}

/** For bytes: steps that are round in the unit they are written in. */
export function niceTop(value: number, wanted = 5): number {
  const step = roundStep(value, wanted);
  return Math.max(step, Math.ceil(value / step - 1e-9) * step);
}
