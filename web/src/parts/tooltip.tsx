import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import "./tooltip.css";

/** Beside a point of the window, wherever there is room; it takes no clicks away. */
export function Tooltip({ x, y, children }: { x: number; y: number; children: ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const own = box.current;
    if (!own) return;
    const { width, height } = own.getBoundingClientRect();
    own.style.left = `${Math.max(4, x + 14 + width > innerWidth - 4 ? x - 14 - width : x + 14)}px`;
    own.style.top = `${Math.max(4, y + 14 + height > innerHeight - 4 ? y - 14 - height : y + 14)}px`;
  });
  return (
    <div class="tooltip" role="tooltip" ref={box}>
      {children}
    </div>
  );
}

const LONGEST = 600;

/** A name on one line, cut where there is no room; the whole of it on hover, unless it has no end. */
export function Name({ text }: { text: string }) {
  const whole = text.length > LONGEST ? `${text.slice(0, LONGEST)}… (${text.length} characters)` : text;
  return (
    <bdi class="name" title={whole}>
      {text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}
    </bdi>
  );
}
