import { describe, expect, test } from "vitest";
import { firstAfter, Timeline, type TimelineColumns } from "../src/timeline/data";
import { tickOf } from "../src/timeline/ticks";
import { counted, matching, nextHit } from "../src/timeline/finding";
import { eventAt } from "../src/timeline/pointing";
import { heightOf, rowAt, rowsOf, toggled, TRACK, usualFolding } from "../src/timeline/rows";
import { ownOf, sumsOf } from "../src/timeline/sums";
import { placeOf, TimeWindow } from "../src/timeline/window";

/** Tracks of [start, duration, name, count?, busy?]. */
function columnsOf(tracks: [number, number, number, number?, number?][][], lanes: number[]): TimelineColumns {
  const flat = tracks.flat();
  const first = [0, ...tracks.map((_, at) => tracks.slice(0, at + 1).flat().length)];
  const starts = Uint32Array.from(flat, ([start]) => start);
  return {
    quantum_ns: 1000,
    span: 1000,
    events: flat.length,
    merged: 0,
    processes: [{ name: "host", is_device: false }],
    lanes: lanes.map((tracks_, at) => ({
      process: 0, name: `lane ${at}`, tracks: tracks_, events: 0, busy_us: 0, share: 0, top: [],
    })),
    names: {
      name: ["outer", "inner", "other"],
      kind: new Uint8Array(3),
      kinds: ["op"],
      count: Float64Array.of(1, 2, 1),
      own_us: Float64Array.of(60, 40, 10),
    },
    levels: [
      {
        grain: 0,
        first: Uint32Array.from(first),
        start: starts.map((start, at) => start - (starts[at - 1] ?? 0)),
        duration: Uint32Array.from(flat, ([, duration]) => duration),
        name: Uint16Array.from(flat, ([, , name]) => name),
        count: Uint32Array.from(flat, ([, , , count]) => count ?? 0),
        busy: Uint32Array.from(flat, ([, , , , busy]) => busy ?? 0),
      },
    ],
    counters: [],
    steps: [{ number: 7, begin: 100, end: 200 }],
    args: {},
    notes: [],
  };
}

const timeline = new Timeline(
  columnsOf(
    [
      [[100, 100, 0]],
      [[110, 20, 1], [150, 20, 1]],
      [[50, 10, 2], [400, 100, 2, 5, 30]],
    ],
    [2, 1],
  ),
);

describe("events in tracks", () => {
  test("start where they started, also where a track begins earlier than the last one", () => {
    expect([...timeline.finest.start]).toEqual([100, 110, 150, 50, 400]);
    expect(timeline.lanes.map((lane) => lane.firstTrack)).toEqual([0, 2]);
  });
  test("are found by time", () => {
    expect(firstAfter(timeline.finest, 1, 0)).toBe(1);
    expect(firstAfter(timeline.finest, 1, 130)).toBe(2);
    expect(firstAfter(timeline.finest, 1, 500)).toBe(3);
  });
  test("are found by place", () => {
    const rows = rowsOf(timeline, usualFolding(timeline));
    const y = rows[1]!.y + TRACK + 3;
    expect(eventAt(timeline, rows, 155, 1, y)).toEqual({ lane: 0, depth: 1, track: 1, row: 2 });
    expect(eventAt(timeline, rows, 140, 1, y)).toBeNull();
    expect(eventAt(timeline, rows, 140, 1, 2)).toBeNull();
  });
});

describe("sums of a stretch of time", () => {
  test("are own times, of what lies partly inside a part", () => {
    const sums = sumsOf(timeline, 120, 160);
    const own = Object.fromEntries(sums.names.map((one) => [one.name, one.own]));
    expect(own).toEqual({ 0: 20, 1: 20 });
    expect(sums.lanes).toEqual([{ lane: 0, busy: 40, count: 3 }]);
  });
  test("say what is merged", () => {
    const sums = sumsOf(timeline, 300, 1000);
    expect(sums.names).toEqual([{ name: -1, own: 30, count: 5 }]);
  });
  test("of one event are without those inside", () => {
    expect(ownOf(timeline, 0, 0, 2, 0)).toBe(60);
    expect(ownOf(timeline, 1, 1, 2, 1)).toBe(20);
  });
});

describe("search", () => {
  const found = matching(timeline, "INNER")!;
  test("by a part of the name", () => {
    expect([...found]).toEqual([0, 1, 0]);
    expect(counted(timeline, found)).toEqual({ events: 2, own: 40, names: 1 });
    expect(matching(timeline, " ")).toBeNull();
  });
  test("goes to the next, and round", () => {
    expect(nextHit(timeline, found, 0, true)?.row).toBe(1);
    expect(nextHit(timeline, found, 110, true)?.row).toBe(2);
    expect(nextHit(timeline, found, 150, true)?.row).toBe(1);
    expect(nextHit(timeline, found, 150, false)?.row).toBe(1);
  });
});

describe("rows", () => {
  test("of a closed process are one", () => {
    const folding = { closed: toggled(new Set<number>(), 0), folded: new Set<number>() };
    expect(rowsOf(timeline, folding).length).toBe(1);
    expect(rowsOf(timeline, { ...folding, closed: toggled(folding.closed, 0) }).length).toBe(3);
  });
  test("stand below each other", () => {
    const rows = rowsOf(timeline, usualFolding(timeline));
    expect(rowAt(rows, heightOf(rows) - 1)).toBe(rows[2]);
  });
});

describe("the window", () => {
  test("stays within the capture", () => {
    const view = new TimeWindow(1000, null);
    view.zoom(0.5, 500);
    expect([view.begin, view.end]).toEqual([250, 750]);
    view.by(5);
    expect(view.end).toBeLessThanOrEqual(1010);
    view.zoom(100);
    expect(view.length).toBeLessThanOrEqual(1020);
    view.zoom(1e-12, 10);
    expect(view.length).toBe(20);
  });
  test("is read from a link", () => {
    const { steps } = timeline.columns;
    expect(placeOf("0.1-0.25", 1000, steps)).toEqual([100, 250]);
    expect(placeOf("step/7", 1000, steps)).toEqual([95, 205]);
    expect(placeOf("step/8", 1000, steps)).toBeNull();
    expect(placeOf("5-1", 1000, steps)).toBeNull();
    expect(placeOf("nonsense", 1000, steps)).toBeNull();
  });
});

test("ticks are round", () => {
  expect([0.3, 1, 1.2, 7, 110].map(tickOf)).toEqual([0.5, 1, 2, 10, 200]);
});
