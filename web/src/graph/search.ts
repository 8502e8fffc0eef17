import { GROUP, type Model } from "./model";

export interface Hits {
  rows: number[];
  /** how many there are, also beyond those listed */
  total: number;
}

/** Rows by a part of their name, or of their op: whole labels first, then beginnings, then the rest. */
export function search(model: Model, text: string, most = 50): Hits {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return { rows: [], total: 0 };
  const last = wanted.slice(wanted.lastIndexOf("/") + 1);
  const { labels, label, ops, op, kind } = model.columns;
  const rank = Uint8Array.from(labels, (one) => rankOf(one.toLowerCase(), last));
  const opRank = Uint8Array.from(ops, (one) => (one && rankOf(one.toLowerCase(), wanted) ? 4 : 0));
  const found: number[][] = [[], [], [], [], []];
  let total = 0;
  for (let row = 1; row < model.count; row++) {
    if (kind[row] === GROUP) continue;
    let place = rank[label[row]!]!;
    if (place && wanted !== last && !model.name(row).toLowerCase().includes(wanted)) place = 0;
    place ||= opRank[op[row]!]!;
    if (!place) continue;
    total += 1;
    if (found[place]!.length < most) found[place]!.push(row);
  }
  return { rows: found.flat().slice(0, most), total };
}

/** 1 is best, 0 no hit */
function rankOf(label: string, wanted: string): number {
  if (label === wanted) return 1;
  if (label.startsWith(wanted)) return 2;
  return label.includes(wanted) ? 3 : 0;
}
