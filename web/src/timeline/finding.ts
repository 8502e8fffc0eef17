import type { Timeline } from "./data";
import type { Event_ } from "./pointing";

/** Names with a text in them, by number; null if nothing is searched for. */
export function matching(timeline: Timeline, text: string): Uint8Array | null {
  const wanted = text.trim().toLowerCase();
  if (!wanted) return null;
  return Uint8Array.from(timeline.columns.names.name, (name) => (name.toLowerCase().includes(wanted) ? 1 : 0));
}

export interface Counted {
  events: number;
  own: number;
  names: number;
}

/** Of the whole capture, those among them that are merged into stretches. */
export function counted(timeline: Timeline, found: Uint8Array): Counted {
  const { count, own_us: own } = timeline.columns.names;
  const sum = { events: 0, own: 0, names: 0 };
  found.forEach((hit, name) => {
    if (!hit) return;
    sum.names += 1;
    sum.events += count[name]!;
    sum.own += own[name]!;
  });
  return sum;
}

/** The next hit after a time, or the last one before it; round the end to the other side. */
export function nextHit(timeline: Timeline, found: Uint8Array, after: number, forward: boolean): Event_ | null {
  const level = timeline.finest;
  let best: Event_ | null = null;
  let bestTime = Infinity;
  let first: Event_ | null = null;
  let firstTime = Infinity;
  const way = forward ? 1 : -1;
  timeline.lanes.forEach((lane, number) => {
    for (let depth = 0; depth < lane.tracks; depth++) {
      const track = lane.firstTrack + depth;
      for (let row = level.first[track]!; row < level.first[track + 1]!; row++) {
        if (!found[level.name[row]!] || level.count[row]! > 1) continue;
        const time = way * level.start[row]!;
        if (time < firstTime) [firstTime, first] = [time, { lane: number, depth, track, row }];
        if (time > way * after && time < bestTime) [bestTime, best] = [time, { lane: number, depth, track, row }];
      }
    }
  });
  return best ?? first;
}
