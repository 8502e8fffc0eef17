import { useDark } from "../parts/colours";
import { usePrinting } from "../parts/printing";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { huesOf, paletteOf } from "./colours";
import { drawCounters } from "./counters";
import type { Timeline } from "./data";
import { draw, type Frame } from "./draw";
import type { Row } from "./rows";
import type { TimeWindow } from "./window";

export interface Stage {
  tracks: preact.RefObject<HTMLCanvasElement>;
  counters: preact.RefObject<HTMLCanvasElement>;
  scroller: preact.RefObject<HTMLDivElement>;
  /** drawn with the next frame of the screen, once, however often it is asked for */
  redraw: () => void;
  left: () => number;
}

export interface Looked {
  rows: readonly Row[];
  closed: ReadonlySet<number>;
  found: Uint8Array | null;
  selected: Frame["selected"];
  range: Frame["range"];
}

/** Two canvases that show the same time, drawn outside of the page's own rendering. */
export function useStage(timeline: Timeline, view: TimeWindow, looked: Looked): Stage {
  const tracks = useRef<HTMLCanvasElement>(null);
  const counters = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const asked = useRef(0);
  const dark = useDark();
  const printing = usePrinting();
  const palette = useMemo(() => paletteOf(dark), [dark, printing]);
  const hues = useMemo(() => huesOf(timeline.columns.names.name), [timeline]);
  const latest = useRef(looked);
  latest.current = looked;
  const left = () => ((tracks.current?.clientWidth ?? 800) < 640 ? 104 : 196);

  const paint = () => {
    asked.current = 0;
    const canvas = tracks.current;
    const box = scroller.current;
    if (!canvas || !box) return;
    const began = performance.now();
    // it stands still while the lanes, which are higher, are scrolled
    canvas.style.height = `${box.clientHeight}px`;
    const context = fitted(canvas);
    const shown = { width: canvas.clientWidth, height: canvas.clientHeight, left: left(), begin: view.begin, end: view.end };
    if (context)
      draw(context, { timeline, palette, hues, scrolled: box.scrollTop, ...shown, ...latest.current });
    const below = counters.current;
    const other = below && fitted(below);
    if (below && other) drawCounters(other, timeline, palette, { ...shown, width: below.clientWidth, height: below.clientHeight });
    // read by those who measure
    canvas.dataset["frameMs"] = (performance.now() - began).toFixed(2);
  };
  const latestPaint = useRef(paint);
  latestPaint.current = paint;
  const redraw = useMemo(
    () => () => {
      asked.current ||= requestAnimationFrame(() => latestPaint.current());
    },
    [],
  );
  useEffect(() => {
    const watch = new ResizeObserver(redraw);
    if (scroller.current) watch.observe(scroller.current);
    return () => watch.disconnect();
  }, []);
  useEffect(redraw, [looked.rows, looked.found, looked.selected, looked.range, palette]);
  return { tracks, counters, scroller, redraw, left } as Stage;
}

/** As many points as the screen has. */
function fitted(canvas: HTMLCanvasElement): CanvasRenderingContext2D | null {
  const dense = devicePixelRatio || 1;
  const [width, height] = [Math.round(canvas.clientWidth * dense), Math.round(canvas.clientHeight * dense)];
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext("2d");
  context?.setTransform(dense, 0, 0, dense, 0, 0);
  return context;
}
