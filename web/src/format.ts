/** How numbers are written: the same words and digits as everywhere else (`model/units.py`). */

export type Known = number | null | undefined;

const DECIMAL = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;
const BYTES = [
  [1e12, "TB"],
  [1e9, "GB"],
  [1e6, "MB"],
  [1e3, "KB"],
] as const;
export const UNKNOWN = "?";

/** Always as many digits, so that columns read well: 1.480, 693.9; none lost above: 12,345. */
function fourDigits(value: number): string {
  const size = Math.abs(value);
  if (size >= 9999.5) return exact(value);
  if (size === 0) return "0";
  const before = Math.floor(Math.log10(size)) + 1;
  return value.toFixed(Math.max(0, 4 - Math.max(before, 1)));
}

function scaled(value: number, steps: readonly (readonly [number, string])[], base: string): string {
  for (const [factor, unit] of steps) {
    if (Math.abs(value) >= factor) return `${fourDigits(value / factor)} ${unit}`;
  }
  return `${exact(value)} ${base}`.trimEnd();
}

export function exact(value: Known): string {
  return value == null ? UNKNOWN : Math.round(value).toLocaleString("en-US");
}

/** 31.03 M */
export function count(value: Known): string {
  return value == null ? UNKNOWN : scaled(value, DECIMAL, "");
}

/** 124.1 MB */
export function bytes(value: Known): string {
  return value == null ? UNKNOWN : scaled(value, BYTES, "B");
}

/** From microseconds: 3.610 s */
export function duration(micros: Known): string {
  if (micros == null) return UNKNOWN;
  const size = Math.abs(micros);
  if (size >= 6e8) return `${fourDigits(micros / 60e6)} min`;
  if (size >= 1e6) return `${fourDigits(micros / 1e6)} s`;
  if (size >= 1e3) return `${fourDigits(micros / 1e3)} ms`;
  return `${size >= 10 || size === 0 ? exact(micros) : micros.toPrecision(2)} µs`;
}

/** A percentage with one decimal; tiny ones say so. */
export function share(part: Known, whole: Known = 1): string {
  if (part == null || whole == null) return UNKNOWN;
  if (!whole) return "0.0%";
  const percent = (100 * part) / whole;
  return percent > 0 && percent < 0.05 ? "<0.1%" : `${percent.toFixed(1)}%`;
}

/** By how much: a percentage up to tenfold, then a factor, which fits and says more. */
export function relative(change: Known): string {
  if (change == null) return "";
  const text = change >= 9 ? `×${fourDigits(change + 1)}` : share(Math.abs(change));
  return change >= 9 ? text : change > 0 ? `+${text}` : change < 0 ? `−${text}` : text;
}

/** What hangs on open sizes, short enough to be read whole: `-19501056*B` is −19.50 M·B. */
export function formula(text: string): string {
  return text
    .replace(/\d+(?:\.\d+)?/g, (digits) => (Number(digits) >= 1000 ? count(Number(digits)) : digits))
    .replaceAll("*", "·")
    .replaceAll("-", "−");
}

/** `~` before an estimate, `≥` before a sum with missing parts, as in the terminal. */
export function ofKind(text: string, kind: string | undefined): string {
  if (text === UNKNOWN) return text;
  return kind === "estimated" ? `~${text}` : kind === "at_least" ? `≥ ${text}` : text;
}
