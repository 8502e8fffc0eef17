import { firstAfter, type Timeline } from "./data";

export interface NameSum {
  /** -1: events that are merged into stretches */
  name: number;
  own: number;
  count: number;
}

export interface Sums {
  begin: number;
  end: number;
  names: NameSum[];
  lanes: { lane: number; busy: number; count: number }[];
}

/** Between two times: own time by name, busy time by lane; what lies partly inside counts partly. */
export function sumsOf(timeline: Timeline, begin: number, end: number): Sums {
  const level = timeline.finest;
  const names = timeline.columns.names.name.length;
  const own = new Float64Array(names + 1);
  const counts = new Float64Array(names + 1);
  const lanes: Sums["lanes"] = [];
  const nameOf = (row: number) => (level.count[row]! > 1 ? names : level.name[row]!);
  timeline.lanes.forEach((lane, number) => {
    let [busy, count] = [0, 0];
    for (let depth = 0; depth < lane.tracks; depth++) {
      const track = lane.firstTrack + depth;
      const last = level.first[track + 1]!;
      let around = depth ? level.first[track - 1]! : 0;
      const lastAround = depth ? level.first[track]! : 0;
      for (let row = firstAfter(level, track, begin); row < last && level.start[row]! < end; row++) {
        const start = level.start[row]!;
        const stop = start + level.duration[row]!;
        const many = level.count[row]!;
        const inside = Math.min(stop, end) - Math.max(start, begin);
        const took = many > 1 ? (inside * level.busy[row]!) / Math.max(1, stop - start) : inside;
        own[nameOf(row)]! += took;
        counts[nameOf(row)]! += many || 1;
        count += many || 1;
        if (!depth) busy += took;
        else {
          // whoever is around it has it not for itself
          while (around + 1 < lastAround && level.start[around + 1]! <= start) around++;
          if (around < lastAround) own[nameOf(around)]! -= took;
        }
      }
    }
    if (count) lanes.push({ lane: number, busy, count });
  });
  const found: NameSum[] = [];
  for (let name = 0; name <= names; name++) {
    const sum = { name: name === names ? -1 : name, own: Math.max(0, own[name]!), count: counts[name]! };
    if (counts[name]) found.push(sum);
  }
  found.sort((one, other) => other.own - one.own || other.count - one.count);
  lanes.sort((one, other) => other.busy - one.busy);
  return { begin, end, names: found, lanes };
}

/** An event without those inside it. */
export function ownOf(timeline: Timeline, track: number, depth: number, tracks: number, row: number): number {
  const level = timeline.finest;
  const start = level.start[row]!;
  const end = start + level.duration[row]!;
  if (depth + 1 >= tracks) return end - start;
  let inside = 0;
  const last = level.first[track + 2]!;
  for (let child = firstAfter(level, track + 1, start); child < last && level.start[child]! < end; child++)
    inside += level.count[child]! > 1 ? level.busy[child]! : level.duration[child]!;
  return Math.max(0, end - start - inside);
}
