import type { ComponentChildren } from "preact";
import "./empty.css";

/** Where there is nothing to show: that it is so, and why. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <strong>{title}</strong>
      {children && <p>{children}</p>}
    </div>
  );
}
