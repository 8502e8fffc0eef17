import { share } from "../format";
import "./split-bar.css";

export interface Split {
  key: string;
  label: string;
  value: number;
  text: string;
  light: string;
  dark: string;
  about?: string;
}

/** One bar, its parts beside each other, and what they are below it. */
export function SplitBar({ parts, label }: { parts: Split[]; label: string }) {
  const whole = parts.reduce((sum, one) => sum + one.value, 0);
  const shown = parts.filter((one) => one.value > 0);
  if (!whole) return null;
  return (
    <div class="sb">
      <div class="sb-bar" role="img" aria-label={`${label}: ${said(shown, whole)}`}>
        {shown.map((one) => (
          <span
            key={one.key}
            class="sb-part"
            style={{ flexGrow: String(one.value), background: `light-dark(${one.light}, ${one.dark})` }}
            title={`${one.label}: ${one.text}, ${share(one.value, whole)}${one.about ? `\n${one.about}` : ""}`}
          />
        ))}
      </div>
      <ul class="sb-legend">
        {shown.map((one) => (
          <li key={one.key} title={one.about}>
            <span class="sb-dot" style={{ background: `light-dark(${one.light}, ${one.dark})` }} />
            {one.label} <b>{share(one.value, whole)}</b> <small>{one.text}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}

function said(parts: Split[], whole: number): string {
  return parts.map((one) => `${one.label} ${share(one.value, whole)}`).join(", ");
}
