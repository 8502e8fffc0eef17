import type { Head } from "../payload";
import { Name } from "../parts/tooltip";
import { useSyncedSignal } from "../parts/signals";
import { type Theme, THEMES, theme } from "../parts/theme";

/** What was profiled, and how the page looks. */
export function Header(props: { head: Head; onHelp: () => void; onPrint: () => void }) {
  const chosen = useSyncedSignal(theme);
  return (
    <header class="top">
      <div class="top-title">
        <h1>
          <Name text={props.head.title} />
        </h1>
        <Name text={props.head.subtitle} />
      </div>
      <div class="top-tools">
        <label>
          <span class="unseen">Colours</span>
          <select
            value={chosen}
            onChange={(event) => {
              theme.value = event.currentTarget.value as Theme;
            }}
          >
            {THEMES.map((one) => (
              <option key={one} value={one}>
                {one === "auto" ? "auto colours" : one}
              </option>
            ))}
          </select>
        </label>
        <button type="button" onClick={props.onPrint}>
          Print
        </button>
        <button type="button" onClick={props.onHelp} aria-label="Help">
          ?
        </button>
      </div>
    </header>
  );
}
