/** Light, dark, or what the reader's system says; kept for the next page where the browser lets us. */

import { computed, effect, signal } from "@preact/signals";
import { printing } from "./printing";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "tfprof-theme";
const systemIsDark = matchMedia("(prefers-color-scheme: dark)");
const system = signal(systemIsDark.matches);
systemIsDark.addEventListener("change", (event) => {
  system.value = event.matches;
});

export const theme = signal<Theme>(kept());

/** What is on the screen: paper is light. */
export const isDark = computed(
  () => !printing.value && (theme.value === "auto" ? system.value : theme.value === "dark"),
);

effect(() => {
  const shown = printing.value ? "light" : theme.value;
  if (shown === "auto") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = shown;
});
theme.subscribe(keep);

function kept(): Theme {
  try {
    const found = localStorage.getItem(KEY) as Theme | null;
    return found && THEMES.includes(found) ? found : "auto";
  } catch {
    return "auto"; // a file may have no storage
  }
}

function keep(chosen: Theme): void {
  try {
    localStorage.setItem(KEY, chosen);
  } catch {
    // for as long as the page is open, then
  }
}
