import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const [SMALLEST, LARGEST] = [0.04, 4];
const STEP = 60;

/** Where the picture stands in its frame. It moves without the page being drawn anew. */
export class Viewport {
  x = 0;
  y = 0;
  scale = 1;
  constructor(
    private readonly svg: RefObject<SVGSVGElement | null>,
    private readonly moving: RefObject<SVGGElement | null>,
  ) {}

  apply(): void {
    this.moving.current?.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
  }

  private get frame(): DOMRect {
    return this.svg.current!.getBoundingClientRect();
  }

  by(x: number, y: number): void {
    this.x += x;
    this.y += y;
    this.apply();
  }

  /** Around a point of the frame, or its middle. */
  zoom(factor: number, x = this.frame.width / 2, y = this.frame.height / 2): void {
    const scale = Math.min(LARGEST, Math.max(SMALLEST, this.scale * factor));
    this.x = x - ((x - this.x) * scale) / this.scale;
    this.y = y - ((y - this.y) * scale) / this.scale;
    this.scale = scale;
    this.apply();
  }

  /** All of it; a first look rather shows less, and readable, around what stands on top. */
  fit(box: Box, readable = 0, top: Box = box): void {
    const { width, height } = this.frame;
    const all = Math.min((width - 32) / box.width, (height - 32) / box.height);
    this.scale = Math.min(1.15, Math.max(all, readable, SMALLEST));
    const beside = width - box.width * this.scale;
    this.x =
      beside > 0 ? beside / 2 - box.x * this.scale : width / 2 - (top.x + top.width / 2) * this.scale;
    const left = height - box.height * this.scale;
    this.y = (left > 0 ? left / 2 : 16) - box.y * this.scale;
    this.apply();
  }

  /** What was there is there still, at its upper left. */
  stay(before: Box, after: Box): void {
    this.by((before.x - after.x) * this.scale, (before.y - after.y) * this.scale);
  }

  centre(box: Box): void {
    const { width, height } = this.frame;
    this.scale = Math.max(this.scale, 0.7);
    this.x = width / 2 - (box.x + Math.min(box.width, width / this.scale) / 2) * this.scale;
    this.y = height / 2 - (box.y + Math.min(box.height, height / this.scale) / 2) * this.scale;
    this.apply();
  }
}

/** Mouse, touch and keys move what is in the frame. */
export function useViewport(svg: RefObject<SVGSVGElement | null>, moving: RefObject<SVGGElement | null>): Viewport {
  const view = useMemo(() => new Viewport(svg, moving), []);
  const held = useRef(new Map<number, [number, number]>());
  useEffect(() => {
    const frame = svg.current!;
    const at = (event: { clientX: number; clientY: number }): [number, number] => {
      const { left, top } = frame.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top];
    };
    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 16 : 1;
      if (event.shiftKey) view.by(-event.deltaY * lines, 0);
      else view.zoom(Math.exp(-event.deltaY * lines * 0.0016), ...at(event));
    };
    const down = (event: PointerEvent) => {
      held.current.set(event.pointerId, at(event));
    };
    const move = (event: PointerEvent) => {
      const fingers = held.current;
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = at(event);
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const far = (point: [number, number]) => Math.hypot(point[0] - other[0], point[1] - other[1]);
        view.zoom(far(now) / Math.max(1, far(before)), ...other);
      } else if (fingers.size === 1) {
        if (Math.hypot(now[0] - before[0], now[1] - before[1]) < 3 && !frame.hasPointerCapture(event.pointerId)) return;
        if (!frame.hasPointerCapture(event.pointerId)) frame.setPointerCapture(event.pointerId);
        view.by(now[0] - before[0], now[1] - before[1]);
      }
      fingers.set(event.pointerId, now);
    };
    const up = (event: PointerEvent) => held.current.delete(event.pointerId);
    const key = (event: KeyboardEvent) => {
      const moves: Record<string, () => void> = {
        ArrowLeft: () => view.by(STEP, 0),
        ArrowRight: () => view.by(-STEP, 0),
        ArrowUp: () => view.by(0, STEP),
        ArrowDown: () => view.by(0, -STEP),
        "+": () => view.zoom(1.25),
        "=": () => view.zoom(1.25),
        "-": () => view.zoom(0.8),
      };
      if (event.target !== frame || event.ctrlKey || event.metaKey || !moves[event.key]) return;
      event.preventDefault();
      moves[event.key]!();
    };
    frame.addEventListener("wheel", wheel, { passive: false });
    frame.addEventListener("pointerdown", down);
    frame.addEventListener("pointermove", move);
    frame.addEventListener("pointerup", up);
    frame.addEventListener("pointercancel", up);
    frame.addEventListener("keydown", key);
    return () => {
      frame.removeEventListener("wheel", wheel);
      frame.removeEventListener("pointerdown", down);
      frame.removeEventListener("pointermove", move);
      frame.removeEventListener("pointerup", up);
      frame.removeEventListener("pointercancel", up);
      frame.removeEventListener("keydown", key);
    };
  }, []);
  return view;
}
