import { describe, expect, it } from "vitest";
import { formula, relative } from "../src/format";
import { firstView } from "../src/timeline/window";

describe("what differs is written so that it fits a cell", () => {
  it("writes what hangs on a batch like the terminal", () => {
    expect(formula("-19501056*B")).toBe("−19.50 M·B");
    expect(formula("1280*B + 64")).toBe("1.280 k·B + 64");
  });
  it("says a factor where a percentage would be long", () => {
    expect(relative(29.14)).toBe("×30.14");
    expect(relative(2)).toBe("+200.0%");
    expect(relative(-1)).toBe("−100.0%");
    expect(relative(null)).toBe("");
  });
});

describe("the first view of a timeline", () => {
  it("is all of it, or the steps where these are a sliver", () => {
    const at = (begin: number, end: number) => ({ begin, end });
    expect(firstView(1000, [at(900, 950), at(950, 1000)])).toEqual([895, 1005]);
    expect(firstView(1000, [at(0, 500), at(500, 1000)])).toBeNull();
    expect(firstView(1000, [])).toBeNull();
  });
});
