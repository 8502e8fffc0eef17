import { describe, expect, test } from "vitest";
import { Bundles, neighbours } from "../src/graph/bundles";
import { placed } from "../src/graph/layout";
import { type GraphColumns, GROUP, Model, NODE, ROOT, SCOPE } from "../src/graph/model";
import { costOf, firstOpen, hubsOf, planOf } from "../src/graph/plan";
import { curve, cut } from "../src/graph/scene";
import { search } from "../src/graph/search";
import { listed } from "../src/graph/tree";

/** Rows as [label, parent, kind, op], edges by row. */
function columnsOf(rows: [string, number, number, string?][], edges: [number, number, string][] = []): GraphColumns {
  const labels = [...new Set(rows.map(([label]) => label))];
  const ops = ["", ...new Set(rows.map(([, , , op]) => op ?? "").filter(Boolean))];
  const number = new Map(labels.map((label, at) => [label, at]));
  const shapes = ["?", ...new Set(edges.map(([, , shape]) => shape))];
  const sorted = [...edges].sort((one, other) => one[1] - other[1]);
  return {
    of: "ops",
    labels,
    label: Uint32Array.from(rows, ([label]) => number.get(label)!),
    parent: Uint32Array.from(rows, ([, parent], row) => (row ? row - parent : 1)),
    kind: Uint8Array.from(rows, ([, , kind]) => kind),
    op: Uint16Array.from(rows, ([, , , op]) => ops.indexOf(op ?? "")),
    ops,
    device: new Uint16Array(rows.length),
    devices: [""],
    metrics: [
      {
        key: "time",
        title: "Time",
        unit: "microseconds",
        about: "",
        why: "",
        total: Float64Array.from(rows, (_, row) => (row === 5 ? Number.NaN : row * 1000)),
        partly: Uint8Array.from(rows, (_, row) => (row === 1 ? 1 : 0)),
      },
    ],
    data: {
      target: Uint32Array.from(sorted, ([, target], at) => target - (sorted[at - 1]?.[1] ?? 0)),
      before: Int32Array.from(sorted, ([source, target]) => target - source),
      shape: Uint32Array.from(sorted, ([, , shape]) => shapes.indexOf(shape)),
      shapes,
    },
    control: { target: new Uint32Array(), before: new Int32Array(), shape: new Uint32Array(), shapes: ["?"] },
    notes: [],
  };
}

//        0 root, 1 a: 2 x, 3 [y_1…2]: 4 y_1, 5 y_2; 6 b: 7 z
const ROWS: [string, number, number, string?][] = [
  ["", -1, SCOPE],
  ["a", 0, SCOPE],
  ["x", 1, NODE, "Conv2D"],
  ["y_1…2", 1, GROUP],
  ["y_1", 3, NODE, "Relu"],
  ["y_2", 3, NODE, "Relu"],
  ["b", 0, SCOPE],
  ["z", 6, NODE, "MatMul"],
];
const EDGES: [number, number, string][] = [
  [2, 4, "1×3"],
  [2, 5, "1×3"],
  [4, 7, "8"],
  [5, 7, "9"],
];
const model = new Model(columnsOf(ROWS, EDGES));

describe("the tree of a graph", () => {
  test("names leave groups out and lead back, also to a group", () => {
    expect(model.name(4)).toBe("a/y_1");
    expect(model.name(3)).toBe("a/[y_1…2]");
    for (let row = 1; row < model.count; row++) expect(model.find(model.name(row))).toBe(row);
    expect(model.find("a/nothing")).toBe(-1);
  });
  test("children, ends and counts", () => {
    expect(model.children(ROOT)).toEqual([1, 6]);
    expect(model.children(3)).toEqual([4, 5]);
    expect([model.nodes[ROOT], model.nodes[1], model.end[1]]).toEqual([4, 3, 6]);
  });
  test("what is open is listed in order", () => {
    expect(listed(model, new Set([1]))).toEqual([1, 2, 3, 6]);
  });

  test("a scope stands for nodes that are no rows", () => {
    const columns = columnsOf([["", 0, SCOPE], ["a", 0, SCOPE], ["b", 0, NODE, "Add"]]);
    const model = new Model({ ...columns, inside: Uint32Array.from([0, 7, 0]) });
    expect([...model.nodes]).toEqual([8, 7, 1]);
    expect(model.isOpenable(1)).toBe(false);
  });
});

describe("edges", () => {
  const bundles = new Bundles(model, model.data);
  test("are drawn in the innermost scope of both ends, as one", () => {
    expect(bundles.of(1)).toEqual([{ from: 2, to: 3, count: 2, shape: "1×3" }]);
    expect(bundles.of(ROOT)).toEqual([{ from: 1, to: 6, count: 2, shape: "" }]);
    expect(bundles.of(3)).toEqual([]);
  });
  test("of a scope are those that leave it or come in", () => {
    const { inputs, outputs, readers } = neighbours(model, model.data, 3, 1);
    expect(inputs).toEqual([{ row: 2, shape: "1×3" }]);
    expect([outputs.length, readers]).toEqual([1, 2]);
  });
  test("of a box with many neighbours are left to those who select it", () => {
    const star = Array.from({ length: 9 }, (_, at) => ({ from: at, to: 20, count: 1, shape: "" }));
    expect([...hubsOf(star)]).toEqual([[20, 9]]);
    expect(hubsOf(star.slice(1)).size).toBe(0);
  });
});

describe("search", () => {
  test("by name, whole names first, then by op", () => {
    expect(search(model, "y").rows).toEqual([4, 5]);
    expect(search(model, "relu")).toEqual({ rows: [4, 5], total: 2 });
    expect(search(model, "a/X").rows).toEqual([2]);
    expect(search(model, "  ")).toEqual({ rows: [], total: 0 });
  });
  test("among 122,000 rows is quick", () => {
    const many: [string, number, number, string?][] = [["", -1, SCOPE]];
    for (let at = 0; at < 122_000; at++) many.push([`node_${at % 5000}`, 0, NODE, "Op"]);
    const large = new Model(columnsOf(many.map((row) => row)));
    expect(search(large, "node_4999").total).toBe(24);
  });
});

describe("costs", () => {
  const time = model.columns.metrics[0]!;
  test("know what they do not know", () => {
    expect(costOf(time, 2)).toBe("2.000 ms");
    expect(costOf(time, 1)).toBe("≥ 1.000 ms");
    expect(costOf(time, 5)).toBe("?");
  });
  test("decide what is open at first", () => {
    expect(firstOpen(model, time)).toEqual(new Set([6, 1, 3]));
  });
});

describe("a layout", () => {
  const plan = planOf(model, new Bundles(model, model.data), new Set([1]), model.columns.metrics[0]);
  const found = placed(plan);
  test("has everything that is open, inside of its box", () => {
    expect(found.boxes.map((box) => box.row).sort()).toEqual([1, 6]);
    const open = found.boxes.find((box) => box.row === 1)!;
    expect(open.inside!.boxes.map((box) => box.row)).toEqual([2, 3]);
    expect(open.width).toBeGreaterThan(open.inside!.width);
  });
  test("flows down, and no two boxes overlap", () => {
    const [one, other] = [1, 6].map((row) => found.boxes.find((box) => box.row === row)!);
    expect(other!.y).toBeGreaterThanOrEqual(one!.y + one!.height);
  });
  test("without edges is rows", () => {
    const boxes = Array.from({ length: 60 }, (_, row) => ({ row, width: 100, height: 40 }));
    const rows = placed({ row: 0, boxes, edges: [] });
    expect(new Set(rows.boxes.map((box) => `${box.x} ${box.y}`)).size).toBe(60);
    expect(rows.width / rows.height).toBeLessThan(6);
  });
});

test("lines go through their points, text is cut", () => {
  expect(curve([[0, 0], [5, 5], [10, 10]])).toBe("M0 0Q5 5 10 10");
  expect(curve([[0, 0], [10, 10]])).toBe("M0 0L10 10");
  expect([cut("abcdef", 4), cut("abc", 4)]).toEqual(["abc…", "abc"]);
});
