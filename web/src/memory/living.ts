/** What lives at a moment: the blocks that are known by name, and the rest of the level. */
import type { DeviceOverTime } from "../results";

export interface Living {
  /** rows of the blocks, the largest first */
  rows: number[];
  level: number;
  /** what was there before the first change */
  before: number;
  /** blocks that are too small or too many to be listed */
  rest: number;
}

/** A block is held after its change `taken` up to its change `given_back`: as Python counts it. */
export function livingAt(device: DeviceOverTime, moment: number): Living {
  const { blocks } = device;
  const changes = device.changes[moment] ?? 0;
  const level = device.levels[moment] ?? 0;
  const rows: number[] = [];
  let held = 0;
  for (let row = 0; row < blocks.bytes.length; row++) {
    if (blocks.taken[row]! < changes && blocks.given_back[row]! >= changes) {
      rows.push(row);
      held += blocks.bytes[row]!;
    }
  }
  const before = Math.min(device.before?.[moment] ?? 0, Math.max(0, level - held));
  return { rows, level, before, rest: Math.max(0, level - held - before) };
}

/** The last moment that has begun by then. */
export function momentAt(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle]! <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The largest batch below a limit, on the line between the batches that were worked out. */
export function batchBelow(batches: Float64Array, bytes: Float64Array, limit: number): number | null {
  if (!batches.length || bytes[0]! > limit) return null;
  for (let at = 1; at < batches.length; at++) {
    if (bytes[at]! > limit) {
      const part = (limit - bytes[at - 1]!) / (bytes[at]! - bytes[at - 1]!);
      return Math.floor(batches[at - 1]! + part * (batches[at]! - batches[at - 1]!));
    }
  }
  return batches[batches.length - 1]!;
}
