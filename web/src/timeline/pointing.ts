import { useEffect } from "preact/hooks";
import { firstAfter, type Timeline } from "./data";
import { RULER } from "./draw";
import { type Row, rowAt, TRACK } from "./rows";
import type { Stage } from "./stage";
import type { TimeWindow } from "./window";

export interface Event_ {
  lane: number;
  depth: number;
  track: number;
  row: number;
}

/** The event of the finest level that is drawn at a place of the canvas. */
export function eventAt(timeline: Timeline, rows: readonly Row[], time: number, slack: number, y: number): Event_ | null {
  const row = rowAt(rows, y);
  if (row?.kind !== "lane") return null;
  const depth = Math.floor((y - row.y) / TRACK);
  if (depth >= row.tracks) return null;
  const track = timeline.lanes[row.lane]!.firstTrack + depth;
  const level = timeline.finest;
  const at = firstAfter(level, track, time - slack);
  if (at >= level.first[track + 1]! || level.start[at]! > time + slack) return null;
  return { lane: row.lane, depth, track, row: at };
}

interface Acts {
  pick: (event: Event_ | null) => void;
  hover: (event: Event_ | null, x: number, y: number) => void;
  range: (range: [number, number] | null, done: boolean) => void;
  fold: (row: Row) => void;
  moved: () => void;
}

const DRAGGED = 4;

/** Wheel zooms, dragging selects a stretch of time; with Shift, or by finger, it moves. */
export function usePointing(stage: Stage, timeline: Timeline, view: TimeWindow, rows: readonly Row[], acts: Acts): void {
  useEffect(() => {
    const canvas = stage.tracks.current!;
    const fingers = new Map<number, { x: number; y: number }>();
    let begun: { x: number; time: number; moves: boolean } | null = null;
    const place = (event: MouseEvent) => {
      const { left, top } = canvas.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    const timeOf = (x: number) => view.begin + ((x - stage.left()) / (canvas.clientWidth - stage.left())) * view.length;
    const slack = () => (2 * view.length) / (canvas.clientWidth - stage.left());
    const under = (event: MouseEvent) => {
      const { x, y } = place(event);
      if (x < stage.left() || y < RULER) return null;
      return eventAt(timeline, rows, timeOf(x), slack(), y - RULER + stage.scroller.current!.scrollTop);
    };
    const moved = () => {
      stage.redraw();
      acts.moved();
    };
    const wheel = (event: WheelEvent) => {
      const { x } = place(event);
      if (x < stage.left()) return; // over the names it scrolls the lanes
      event.preventDefault();
      const far = event.deltaMode === 1 ? 16 : 1;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
        view.by(((event.deltaX || event.deltaY) * far) / canvas.clientWidth);
      else view.zoom(Math.exp(event.deltaY * far * 0.0018), timeOf(x));
      moved();
    };
    const down = (event: PointerEvent) => {
      if (event.button) return;
      const { x, y } = place(event);
      if (x < stage.left() && y > RULER) {
        const row = rowAt(rows, y - RULER + stage.scroller.current!.scrollTop);
        if (row) acts.fold(row);
        return;
      }
      canvas.setPointerCapture(event.pointerId);
      acts.hover(null, 0, 0);
      fingers.set(event.pointerId, { x, y });
      begun = { x, time: timeOf(x), moves: event.shiftKey || event.pointerType === "touch" };
    };
    const move = (event: PointerEvent) => {
      const before = fingers.get(event.pointerId);
      if (!before || !begun) {
        acts.hover(under(event), event.clientX, event.clientY);
        return;
      }
      const now = place(event);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const [far, near] = [Math.abs(now.x - other.x), Math.abs(before.x - other.x)];
        view.zoom(Math.max(8, near) / Math.max(8, far), timeOf((now.x + other.x) / 2));
        moved();
      } else if (begun.moves) {
        view.by((before.x - now.x) / (canvas.clientWidth - stage.left()));
        moved();
      } else if (Math.abs(now.x - begun.x) > DRAGGED) {
        const time = timeOf(now.x);
        acts.range([Math.min(begun.time, time), Math.max(begun.time, time)], false);
      }
      fingers.set(event.pointerId, now);
    };
    const up = (event: PointerEvent) => {
      const last = place(event);
      if (begun && fingers.size === 1 && Math.abs(last.x - begun.x) <= DRAGGED) acts.pick(under(event));
      else if (begun && fingers.size === 1 && !begun.moves) {
        const time = timeOf(last.x);
        acts.range([Math.min(begun.time, time), Math.max(begun.time, time)], true);
      }
      fingers.delete(event.pointerId);
      if (!fingers.size) begun = null;
    };
    const leave = () => acts.hover(null, 0, 0);
    const double = (event: MouseEvent) => {
      const found = under(event);
      if (!found) return;
      const { start, duration } = timeline.finest;
      const [from, long] = [start[found.row]!, duration[found.row]!];
      view.set(from - 0.2 * long, from + 1.2 * long);
      moved();
    };
    const listeners = {
      wheel, pointerdown: down, pointermove: move, pointerup: up, pointercancel: up, pointerleave: leave, dblclick: double,
    } as Record<string, EventListener | ((event: never) => void)>;
    for (const [name, listener] of Object.entries(listeners))
      canvas.addEventListener(name, listener as EventListener, name === "wheel" ? { passive: false } : {});
    return () => {
      for (const [name, listener] of Object.entries(listeners)) canvas.removeEventListener(name, listener as EventListener);
    };
  }, [timeline, rows]);
}
