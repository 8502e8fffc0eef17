/** The time that is in view: moved and zoomed, never out of the capture. */
export class TimeWindow {
  begin: number;
  end: number;

  constructor(
    private readonly span: number,
    place: [number, number] | null,
  ) {
    [this.begin, this.end] = place ?? [0, span];
    this.set(this.begin, this.end);
  }

  get length(): number {
    return this.end - this.begin;
  }

  set(begin: number, end: number): void {
    const length = Math.min(this.span * 1.02, Math.max(end - begin, 20));
    const first = -0.01 * this.span;
    this.begin = Math.min(Math.max(begin, first), 1.01 * this.span - length);
    this.end = this.begin + length;
  }

  /** `at` stays where it is. */
  zoom(factor: number, at = (this.begin + this.end) / 2): void {
    const length = Math.min(this.span * 1.02, Math.max(this.length * factor, 20));
    const begin = at - ((at - this.begin) / this.length) * length;
    this.set(begin, begin + length);
  }

  by(part: number): void {
    const far = part * this.length;
    this.set(this.begin + far, this.end + far);
  }

  all(): void {
    this.set(0, this.span);
  }
}

/** Steps that take less of a capture than this are what is shown first: the rest is mostly empty. */
const SMALL = 0.2;

/** All of it, or the steps alone where they would be too narrow to be seen. */
export function firstView(span: number, steps: readonly { begin: number; end: number }[]): [number, number] | null {
  const begin = steps.reduce((least, one) => Math.min(least, one.begin), Infinity);
  const end = steps.reduce((most, one) => Math.max(most, one.end), -Infinity);
  const length = end - begin;
  return length > 0 && length < SMALL * span ? [begin - 0.05 * length, end + 0.05 * length] : null;
}

/** `12.5-80.2`, in milliseconds, or `step/5`. */
export function placeOf(
  place: string,
  millisecond: number,
  steps: readonly { number: number; begin: number; end: number }[],
): [number, number] | null {
  const step = /^step\/(\d+)$/.exec(place);
  if (step) {
    const found = steps.find((one) => one.number === Number(step[1]));
    if (!found) return null;
    const beside = 0.05 * (found.end - found.begin);
    return [found.begin - beside, found.end + beside];
  }
  const times = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(place);
  if (!times) return null;
  const [begin, end] = [Number(times[1]) * millisecond, Number(times[2]) * millisecond];
  return end > begin ? [begin, end] : null;
}
