import type { Column } from "../payload";
import type { LaneOfTracks, ProcessOfLanes, StepMark } from "../results";

/** What Python put together (`results/timeline_tracks.py`); times are in `quantum_ns` nanoseconds. */
export interface TimelineColumns {
  quantum_ns: number;
  span: number;
  events: number;
  merged: number;
  processes: ProcessOfLanes[];
  lanes: LaneOfTracks[];
  names: { name: string[]; kind: Uint8Array; kinds: string[]; count: Float64Array; own_us: Float64Array };
  levels: LevelColumns[];
  counters: { process: string; name: string; time: Uint32Array; value: Float64Array }[];
  steps: StepMark[];
  args: Record<string, [string, number | string][]>;
  notes: string[];
}

export interface LevelColumns {
  grain: number;
  first: Uint32Array;
  start: Uint32Array;
  duration: Uint32Array;
  name: Column;
  count: Uint32Array;
  busy: Uint32Array;
}

/** `first` leads from a track to its rows, which come by start and do not overlap. */
export interface Level extends LevelColumns {
  start: Uint32Array;
}

export interface Lane extends LaneOfTracks {
  firstTrack: number;
}

export class Timeline {
  readonly levels: Level[];
  readonly lanes: Lane[];

  constructor(readonly columns: TimelineColumns) {
    this.levels = columns.levels.map((level) => ({ ...level, start: summed(level.start) }));
    let firstTrack = 0;
    this.lanes = columns.lanes.map((lane) => {
      const found = { ...lane, firstTrack };
      firstTrack += lane.tracks;
      return found;
    });
  }

  get finest(): Level {
    return this.levels[0]!;
  }

  micros(time: number): number {
    return (time * this.columns.quantum_ns) / 1000;
  }

  /** The coarsest level whose stretches are not wider than what is drawn as one point. */
  levelFor(timeAPixel: number): Level {
    let found = this.finest;
    for (const level of this.levels) if (level.grain <= timeAPixel) found = level;
    return found;
  }
}

/** From differences, which may go round where a track begins before the last one ended. */
function summed(differences: Uint32Array): Uint32Array {
  const found = new Uint32Array(differences.length);
  let at = 0;
  for (let row = 0; row < differences.length; row++) {
    at = (at + differences[row]!) >>> 0;
    found[row] = at;
  }
  return found;
}

/** The first row of a track that ends after a time. */
export function firstAfter(level: Level, track: number, time: number): number {
  let low = level.first[track]!;
  let high = level.first[track + 1]!;
  while (low < high) {
    const middle = (low + high) >> 1;
    // rows of a track do not overlap: ends rise as starts do
    if (level.start[middle]! + level.duration[middle]! > time || level.start[middle]! >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}
