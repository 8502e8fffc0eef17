/** Times of a step by category, as parts of a bar: the most first. */
import { CATEGORIES } from "./categories";
import { duration } from "./format";
import type { Split } from "./parts/split-bar";

export function byCategory(breakdown: Record<string, number | null>): Split[] {
  return Object.entries(breakdown)
    .flatMap(([key, value]) => (value ? [[key, value] as const] : []))
    .sort(([, one], [, other]) => other - one)
    .map(([key, value]) => {
      const look = CATEGORIES[key];
      return {
        key,
        label: look?.label ?? key,
        value,
        text: duration(value),
        light: look?.light ?? "#888",
        dark: look?.dark ?? "#888",
        ...(look ? { about: look.meaning } : {}),
      };
    });
}
