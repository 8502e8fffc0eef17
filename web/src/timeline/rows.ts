import type { Timeline } from "./data";

/** What stands in the picture from top to bottom. */
export type Row =
  | { kind: "process"; process: number; y: number; height: number }
  | { kind: "lane"; lane: number; y: number; height: number; tracks: number };

export const TRACK = 17;
const HEADER = 20;
const BETWEEN = 5;
const USUALLY_OPEN = 8;

/** Which processes are closed, and which lanes show all or one of their tracks. */
export interface Folding {
  closed: ReadonlySet<number>;
  folded: ReadonlySet<number>;
}

export function usualFolding(timeline: Timeline): Folding {
  const folded = timeline.lanes.flatMap((lane, at) => (lane.tracks > USUALLY_OPEN ? [at] : []));
  return { closed: new Set(), folded: new Set(folded) };
}

export function rowsOf(timeline: Timeline, folding: Folding): Row[] {
  const rows: Row[] = [];
  let [y, process] = [0, -1];
  timeline.lanes.forEach((lane, at) => {
    if (lane.process !== process) {
      process = lane.process;
      rows.push({ kind: "process", process, y, height: HEADER });
      y += HEADER;
    }
    if (folding.closed.has(process)) return;
    const tracks = folding.folded.has(at) ? Math.min(lane.tracks, 2) : lane.tracks;
    const height = tracks * TRACK + BETWEEN;
    rows.push({ kind: "lane", lane: at, y, height, tracks });
    y += height;
  });
  return rows;
}

export function heightOf(rows: readonly Row[]): number {
  const last = rows[rows.length - 1];
  return last ? last.y + last.height : 0;
}

export function rowAt(rows: readonly Row[], y: number): Row | undefined {
  return rows.find((row) => y >= row.y && y < row.y + row.height);
}

export function toggled(set: ReadonlySet<number>, one: number): ReadonlySet<number> {
  const next = new Set(set);
  if (!next.delete(one)) next.add(one);
  return next;
}
