import { describe, expect, it } from "vitest";
// written by Python: `tests/unit/renderers/page/test_pack.py` keeps it current
import WRITTEN from "../../tests/golden/page_section.base64?raw";
import { fromBase64, inflated, unpacked } from "../src/payload";

describe("a section", () => {
  it("is what Python put into it", async () => {
    const found = unpacked(await inflated(fromBase64(WRITTEN))) as {
      text: string;
      unknown: number | null;
      events: { names: string[]; name: Uint32Array; begin: Float64Array };
    };
    expect(found.text).toBe("ü</script>\u202e\ud800");
    expect(found.unknown).toBeNull();
    expect(found.events.names).toEqual(["a", "b"]);
    expect(found.events.name).toEqual(Uint32Array.of(1, 0, 1));
    expect(found.events.begin).toEqual(Float64Array.of(0.5, Number.NaN, 2.5));
  });

  it("that is cut short is refused", async () => {
    const bytes = fromBase64(WRITTEN);
    await expect(inflated(bytes.slice(0, 40))).rejects.toThrow();
  });
});
