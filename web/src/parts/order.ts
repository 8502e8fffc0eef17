/** Which rows of a table are shown, and in which order. Rows stay where they are; this is about their numbers. */

export type Cell = string | number | null | undefined;

/** Of equal values, what came first stays first; what is not known is last, whichever way. */
export function ordered(values: readonly Cell[], rows: Uint32Array, descending: boolean): Uint32Array {
  const sign = descending ? -1 : 1;
  return rows.slice().sort((a, b) => {
    const x = known(values[a]);
    const y = known(values[b]);
    if (x === y) return a - b;
    if (x === null) return 1;
    if (y === null) return -1;
    if (typeof x !== typeof y) return typeof x === "number" ? -sign : sign;
    return x < y ? -sign : sign;
  });
}

function known(value: Cell): string | number | null {
  return value === undefined || (typeof value === "number" && Number.isNaN(value)) ? null : value;
}

/** Rows that have all of the words, in any case and any order. */
export function matching(texts: readonly string[], query: string): Uint32Array {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = new Uint32Array(texts.length);
  let count = 0;
  for (let row = 0; row < texts.length; row++) {
    const text = texts[row]!;
    if (words.every((word) => text.includes(word))) found[count++] = row;
  }
  return found.subarray(0, count);
}

/** Rows that are in view, and some around them: [first, end). */
export function inView(
  scrolled: number,
  height: number,
  rowHeight: number,
  count: number,
  around = 8,
): [number, number] {
  const first = Math.max(0, Math.floor(scrolled / rowHeight) - around);
  const end = Math.min(count, Math.ceil((scrolled + height) / rowHeight) + around);
  return [Math.min(first, end), end];
}
