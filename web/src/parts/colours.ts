/** Colours of `style.css` for a canvas, which knows no names. */

import { isDark } from "./theme";
import { useSyncedSignal } from "./signals";

export type Colour =
  | "paper"
  | "raised"
  | "line"
  | "ink"
  | "faint"
  | "accent"
  | "problem"
  | "hint"
  | "good"
  | "heat-low"
  | "heat-high"
  | "no-data";

/** As a browser computes it, "rgb(…)". It changes with the theme: draw again when `useDark` changes. */
export function colour(name: Colour | `series-${number}`): string {
  const probe = document.createElement("i");
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Whether colours are the dark ones; a component that uses it is drawn again when they change. */
export function useDark(): boolean {
  return useSyncedSignal(isDark);
}
