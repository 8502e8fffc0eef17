/** Numbers of results as text: by their unit, with the mark of their kind. */
import { bytes, count, duration, exact, ofKind, share, UNKNOWN } from "./format";
import type { Amount, TableColumn } from "./results";

/** How a number of a unit is written; the units are those of `views/shapes.py`. */
export function written(value: number, unit: string): string {
  switch (unit) {
    case "bytes":
      return bytes(value);
    case "microseconds":
      return duration(value);
    case "share":
      return share(value);
    case "scaled":
      return count(value);
    case "number":
      return Number.isInteger(value) ? exact(value) : String(Number(value.toPrecision(4)));
    default:
      return exact(value);
  }
}

export function amountText(one: Amount): string {
  if (one.number == null) return one.text ?? UNKNOWN;
  return ofKind(written(one.number, one.unit), one.kind);
}

export interface Cell {
  text: string;
  /** why there is no number, or what is missing of it */
  reason: string;
}

export function cellOf(column: TableColumn, row: number): Cell {
  if (column.texts) return { text: column.texts[row] ?? "", reason: "" };
  const number = column.numbers?.[row] ?? NaN;
  const word = column.words[column.said?.[row] ?? 0];
  if (Number.isNaN(number)) {
    const text = word?.text ?? (word?.kind === "unknown" ? UNKNOWN : "");
    return { text, reason: word?.reason ?? "" };
  }
  return {
    text: ofKind(written(number, column.unit), word?.kind || undefined),
    reason: word?.reason ?? "",
  };
}
