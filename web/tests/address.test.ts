import { describe, expect, it } from "vitest";
import { addressOf, linkTo } from "../src/shell/address";

describe("an address", () => {
  it.each([
    ["graph", "model/conv1"],
    ["ops", "100% of <b>\"it\"</b> ü"],
    ["steps", "//a//"],
    ["overview", ""],
  ])("of %s leads back to %s", (kind, place) => {
    expect(addressOf(linkTo(kind, place), "first")).toEqual({ kind, place });
  });

  it("that is empty is the first section's", () => {
    expect(addressOf("", "overview")).toEqual({ kind: "overview", place: "" });
    expect(addressOf("#", "overview")).toEqual({ kind: "overview", place: "" });
  });

  it("typed by hand breaks nothing", () => {
    expect(addressOf("#ops/%E0%A4%A", "overview")).toEqual({ kind: "ops", place: "%E0%A4%A" });
  });
});
