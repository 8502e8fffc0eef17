import { describe, expect, it } from "vitest";
import { inView, matching, ordered } from "../src/parts/order";

const all = (count: number) => Uint32Array.from({ length: count }, (_, at) => at);

describe("ordered", () => {
  it("sorts numbers both ways, what is not known last", () => {
    const values = [3, null, 10, undefined, 3, Number.NaN];
    expect([...ordered(values, all(6), false)]).toEqual([0, 4, 2, 1, 3, 5]);
    expect([...ordered(values, all(6), true)]).toEqual([2, 0, 4, 1, 3, 5]);
  });

  it("sorts only the rows it is given", () => {
    expect([...ordered(["b", "c", "a"], Uint32Array.of(0, 2), false)]).toEqual([2, 0]);
  });

  it("takes a hundred thousand rows in a moment", () => {
    const values = Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 100_003);
    const order = ordered(values, all(values.length), false);
    expect(values[order[0]!]).toBe(0);
    expect(order.every((row, at) => at === 0 || values[order[at - 1]!]! <= values[row]!)).toBe(true);
  });
});

describe("matching", () => {
  const texts = ["conv1/kernel", "conv2/bias", "dense/kernel"];

  it("wants all words, in any order", () => {
    expect([...matching(texts, "KERNEL conv")]).toEqual([0]);
    expect([...matching(texts, "kernel")]).toEqual([0, 2]);
  });

  it("finds all with nothing typed, none with what nobody has", () => {
    expect(matching(texts, "  ").length).toBe(3);
    expect(matching(texts, "relu").length).toBe(0);
  });

  it("takes signs as they are", () => {
    expect(matching(["a.b", "axb"], "a.b").length).toBe(1);
  });
});

describe("inView", () => {
  it("is what is seen and some around it", () => {
    expect(inView(0, 280, 28, 100_000, 5)).toEqual([0, 15]);
    expect(inView(2800, 280, 28, 100_000, 5)).toEqual([95, 115]);
  });

  it("stays within the rows", () => {
    expect(inView(2_800_000, 280, 28, 20)).toEqual([20, 20]);
    expect(inView(0, 280, 28, 0)).toEqual([0, 0]);
  });
});
