/** Where the columns of steps stand, and which part of which step lies under a point. */
import type { StepTimes } from "../results";

export interface Picked {
  /** the place of the step, not its number */
  step: number;
  category: string;
}

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** from one column to the next */
  pitch: number;
  gap: number;
}

const WIDEST = 88;

export function frameOf(width: number, height: number, steps: number): Frame {
  const left = 58;
  const right = 8;
  const pitch = Math.min(WIDEST, (width - left - right) / Math.max(1, steps));
  const gap = pitch >= 6 ? Math.min(6, pitch * 0.18) : 0;
  return { left, right, top: 20, bottom: height - 22, pitch, gap };
}

export interface Column {
  step: number;
  x: number;
  width: number;
}

/** A column a step; where they are narrower than a pixel, of those in a pixel the slowest. */
export function* stacked(steps: StepTimes, frame: Frame): Generator<Column> {
  const count = steps.numbers.length;
  if (frame.pitch >= 1) {
    for (let step = 0; step < count; step++) {
      yield { step, x: frame.left + step * frame.pitch, width: frame.pitch - frame.gap };
    }
    return;
  }
  const pixels = Math.ceil(count * frame.pitch);
  for (let pixel = 0; pixel < pixels; pixel++) {
    const first = Math.floor(pixel / frame.pitch);
    const last = Math.min(count, Math.floor((pixel + 1) / frame.pitch));
    let slowest = first;
    for (let step = first; step < last; step++) {
      if (steps.periods[step]! > steps.periods[slowest]!) slowest = step;
    }
    if (slowest < count) yield { step: slowest, x: frame.left + pixel, width: 1 };
  }
}

export function pickedAt(steps: StepTimes, frame: Frame, top: number, x: number, y: number): Picked | null {
  const step = Math.floor((x - frame.left) / frame.pitch);
  if (step < 0 || step >= steps.numbers.length) return null;
  const value = ((frame.bottom - y) / (frame.bottom - frame.top)) * top;
  let below = 0;
  let last = "";
  for (const part of steps.categories) {
    const took = part.times[step]!;
    if (took <= 0) continue;
    below += took;
    last = part.category;
    if (value <= below) break;
  }
  return last ? { step, category: last } : null;
}

/** The part that takes most of a step. */
export function largest(steps: StepTimes, step: number): Picked {
  let most = steps.categories[0];
  for (const part of steps.categories) {
    if (part.times[step]! > (most?.times[step] ?? 0)) most = part;
  }
  return { step, category: most?.category ?? "" };
}

/** `7/input`, as the address has it; the first slow step, or else the first, without one. */
export function placeOf(steps: StepTimes, place: string, first: number): Picked {
  const [number = "", category = ""] = place.split("/");
  const step = number ? steps.numbers.indexOf(Number(number)) : -1;
  const picked = largest(steps, step >= 0 ? step : first);
  return steps.categories.some((one) => one.category === category) ? { ...picked, category } : picked;
}
