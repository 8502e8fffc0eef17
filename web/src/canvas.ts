/** A canvas as sharp as the screen, in the colours of the theme, drawn anew when either changes. */
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Colour, colour, useDark } from "./parts/colours";

const NAMES = [
  "paper", "raised", "line", "ink", "faint", "accent", "problem", "hint", "good",
  "heat-low", "heat-high", "no-data",
] as const satisfies readonly Colour[];
export type Colours = Record<Colour, string> & { dark: boolean };

export const FONT = '11.5px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';

export interface Surface {
  ctx: CanvasRenderingContext2D;
  width: number;
  height: number;
  colours: Colours;
}

export function useCanvas(draw: (on: Surface) => void): RefObject<HTMLCanvasElement | null> {
  const canvas = useRef<HTMLCanvasElement>(null);
  const dark = useDark();
  const colours = useMemo(() => coloursOf(dark), [dark]);
  const paint = useRef(() => {});
  paint.current = () => {
    const surface = canvas.current && surfaceOf(canvas.current, colours);
    if (surface) draw(surface);
  };
  // whatever the component shows now
  useEffect(() => paint.current());
  useEffect(() => {
    const sized = new ResizeObserver(() => paint.current());
    if (canvas.current) sized.observe(canvas.current);
    return () => sized.disconnect();
  }, []);
  return canvas;
}

function coloursOf(dark: boolean): Colours {
  const found = Object.fromEntries(NAMES.map((one) => [one, colour(one)]));
  return { ...(found as Record<Colour, string>), dark };
}

function surfaceOf(canvas: HTMLCanvasElement, colours: Colours): Surface | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ctx = canvas.getContext("2d");
  if (!ctx || !width || !height) return null;
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.font = FONT;
  return { ctx, width, height, colours };
}

/** Text that ends with … where it would be too wide; nothing if not even that fits. */
export function fitted(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  // names may be very long: nobody sees more than so many letters
  const some = text.length > 300 ? text.slice(0, 300) : text;
  if (some === text && ctx.measureText(some).width <= width) return text;
  let low = 0;
  let high = some.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ctx.measureText(`${some.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 1 ? `${some.slice(0, low)}…` : "";
}
