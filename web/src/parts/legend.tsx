import type { ComponentChildren } from "preact";
import "./legend.css";

export interface LegendItem {
  key: string;
  label: ComponentChildren;
  colour: string;
  value?: string;
  off?: boolean;
}

/** What the colours of a chart stand for; where it can be switched, a click leaves one out. */
export function Legend(props: { items: readonly LegendItem[]; onSwitch?: (key: string) => void }) {
  const { onSwitch } = props;
  return (
    <ul class="legend">
      {props.items.map((one) => {
        const inside = (
          <>
            <i aria-hidden="true" style={{ background: one.colour }} />
            <span>{one.label}</span>
            {one.value !== undefined && <span class="faint">{one.value}</span>}
          </>
        );
        return (
          <li key={one.key}>
            {onSwitch ? (
              <button type="button" aria-pressed={!one.off} onClick={() => onSwitch(one.key)}>
                {inside}
              </button>
            ) : (
              inside
            )}
          </li>
        );
      })}
    </ul>
  );
}
