import { describe, expect, test } from "vitest";
import { amountText, cellOf, written } from "../src/amount";
import { bounded } from "../src/bounded";
import { areas, flames, found, foundTotal, pathTo, ranked, rootOf, wholeName } from "../src/flame/tree";
import { batchBelow, livingAt, momentAt } from "../src/memory/living";
import type { DeviceOverTime, ScopeTree, StepTimes, TableColumn } from "../src/results";
import { niceTop, ticks } from "../src/scale";
import { byCategory } from "../src/split";
import { frameOf, largest, pickedAt, placeOf, stacked } from "../src/steps/stack";

describe("numbers", () => {
  test("are written by their unit, with the mark of their kind", () => {
    expect(written(0.628, "share")).toBe("62.8%");
    expect(written(124_100_000, "bytes")).toBe("124.1 MB");
    expect(amountText({ number: 20, unit: "count", kind: "estimated", reason: "", text: null })).toBe("~20");
    expect(amountText({ number: null, unit: "count", kind: "unknown", reason: "why", text: null })).toBe("?");
    expect(amountText({ number: null, unit: "count", kind: "derived", reason: "", text: "3*B" })).toBe("3*B");
  });

  test("in a table know unknown from nothing and from zero", () => {
    const column: TableColumn = {
      key: "v", title: "v", unit: "count", texts: null,
      numbers: Float64Array.of(NaN, 3, NaN, 0), said: Uint16Array.of(1, 2, 0, 0),
      words: [{ kind: "", reason: "", text: null }, { kind: "unknown", reason: "no shape", text: null }, { kind: "at_least", reason: "one", text: null }],
    };
    expect([0, 1, 2, 3].map((row) => cellOf(column, row).text)).toEqual(["?", "≥ 3", "", "0"]);
    expect(cellOf(column, 0).reason).toBe("no shape");
  });

  test("along an axis are round", () => {
    expect(ticks(0, 250, 5)).toEqual([0, 50, 100, 150, 200, 250]);
    expect(niceTop(252)).toBe(300);
    expect(ticks(0, 0, 4).length).toBeLessThan(3);
  });

  test("names without end are cut", () => {
    expect(bounded("a".repeat(10_000)).length).toBeLessThan(402);
    expect(bounded("short")).toBe("short");
  });

  test("of a step come with what takes most first, without what takes nothing", () => {
    expect(byCategory({ idle: 0, input: 5, host_model: 9 }).map((one) => one.key)).toEqual(["host_model", "input"]);
  });
});

describe("steps", () => {
  const steps: StepTimes = {
    numbers: Float64Array.of(7, 8), periods: Float64Array.of(10, 20), tags: null, median_us: 15,
    categories: [
      { category: "input", times: Float64Array.of(4, 0), average_us: 2 },
      { category: "host_model", times: Float64Array.of(6, 20), average_us: 13 },
    ],
  };

  test("a point lies in the part that is drawn there", () => {
    const frame = frameOf(300, 122, 2);
    expect(pickedAt(steps, frame, 20, frame.left + 1, frame.bottom - 1)).toEqual({ step: 0, category: "input" });
    expect(pickedAt(steps, frame, 20, frame.left + 1, frame.top)).toEqual({ step: 0, category: "host_model" });
    expect(pickedAt(steps, frame, 20, frame.left + frame.pitch + 1, frame.bottom - 1)?.category).toBe("host_model");
    expect(pickedAt(steps, frame, 20, 0, 50)).toBeNull();
  });

  test("an address leads to a step and its part", () => {
    expect(placeOf(steps, "8/host_model", 0)).toEqual({ step: 1, category: "host_model" });
    expect(placeOf(steps, "99/nothing", 1)).toEqual(largest(steps, 1));
  });

  test("thousands of steps are a column a pixel, the slowest of each", () => {
    const many = { ...steps, numbers: new Float64Array(10_000), periods: new Float64Array(10_000) };
    many.periods[4321] = 9;
    const columns = [...stacked(many, frameOf(500, 100, 10_000))];
    expect(columns.length).toBeLessThanOrEqual(500);
    expect(columns.some((one) => one.step === 4321)).toBe(true);
  });
});

describe("memory", () => {
  const device = {
    times_us: Float64Array.of(0, 5, 9), levels: Float64Array.of(0, 30, 10), changes: Int32Array.of(0, 2, 3), peak: 1,
    before: null,
    blocks: { taken: Int32Array.of(0, 1), given_back: Int32Array.of(2, 9), bytes: Float64Array.of(20, 8) },
  } as unknown as DeviceOverTime;

  test("a block lives after it was taken, until it is given back", () => {
    expect(livingAt(device, 0).rows).toEqual([]);
    expect(livingAt(device, 1)).toEqual({ rows: [0, 1], level: 30, before: 0, rest: 2 });
    expect(livingAt(device, 2)).toEqual({ rows: [1], level: 10, before: 0, rest: 2 });
  });

  test("a moment is the last that began", () => {
    expect([-1, 0, 4, 5, 8, 99].map((time) => momentAt(device.times_us, time))).toEqual([0, 0, 0, 1, 1, 2]);
  });

  test("a batch below a limit lies on the line between those worked out", () => {
    const batches = Float64Array.of(1, 11);
    expect(batchBelow(batches, Float64Array.of(10, 110), 55)).toBe(5);
    expect(batchBelow(batches, Float64Array.of(10, 110), 5)).toBeNull();
    expect(batchBelow(batches, Float64Array.of(10, 110), 500)).toBe(11);
  });
});

describe("scopes", () => {
  // all: a (a/x, a/y), b
  const tree = {
    names: ["_TFProfRoot", "a", "x", "y", "b"], parent: Int32Array.of(-1, 0, 1, 1, 0),
    phase: new Uint8Array(5), phases: ["forward"], metrics: [],
  } as unknown as ScopeTree;
  const totals = Float64Array.of(10, 4, 1, 3, 6);
  const order = ranked(tree.parent, totals);

  test("have what costs most first", () => {
    const of = (row: number) => [...order.children.subarray(order.first[row]!, order.first[row + 1]!)];
    expect(rootOf(order)).toBe(0);
    expect(of(0)).toEqual([4, 1]);
    expect(of(1)).toEqual([3, 2]);
  });

  test("are as wide as their part, and left out where they are too narrow", () => {
    const boxes = flames(order, 0, 100, 20, 1);
    expect(boxes.map(({ row, x, width }) => [row, x, width])).toEqual([[0, 0, 100], [4, 0, 60], [1, 60, 40], [3, 60, 30], [2, 90, 10]]);
    expect(flames(order, 0, 100, 20, 15).map((one) => one.row)).toEqual([0, 4, 1, 3]);
  });

  test("have areas that lie within their scope and do not overlap", () => {
    const boxes = areas(order, 0, 400, 300, 1).filter((one) => one.depth === 1);
    const [b, a] = [boxes.find((one) => one.row === 4)!, boxes.find((one) => one.row === 1)!];
    expect((b.width * b.height) / (a.width * a.height)).toBeCloseTo(1.5);
    const apart = a.x >= b.x + b.width - 1e-6 || b.x >= a.x + a.width - 1e-6 || a.y >= b.y + b.height - 1e-6 || b.y >= a.y + a.height - 1e-6;
    expect(apart).toBe(true);
  });

  test("are found by their names, and what is inside of one is not counted twice", () => {
    expect(wholeName(tree, 3)).toBe("a/y");
    expect(pathTo(tree.parent, 3)).toEqual([0, 1, 3]);
    const mask = found(tree, "a")!;
    mask[3] = 1;
    expect(foundTotal(tree, totals, mask)).toEqual({ rows: 2, total: 4 });
    expect(found(tree, " ")).toBeNull();
    expect([...found(tree, "a/y")!]).toEqual([0, 0, 0, 1, 0, 0]);
  });

  test("a hundred thousand of them, and a chain as deep, take no time and no stack", () => {
    const parent = Int32Array.from({ length: 100_000 }, (_, row) => row - 1);
    const chain = ranked(parent, new Float64Array(100_000).fill(1));
    expect(flames(chain, 0, 1000, 20, 1, 100_000).length).toBe(100_000);
    expect(flames(chain, 0, 1000, 20, 1, 40).length).toBe(40);
  });
});
