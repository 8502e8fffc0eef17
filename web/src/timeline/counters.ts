import * as format from "../format";
import type { Palette } from "./colours";
import type { Timeline } from "./data";
import { cut } from "./draw";

interface Shown {
  width: number;
  height: number;
  left: number;
  begin: number;
  end: number;
}

export const COUNTER = 46;

/** Bytes in use, an allocator below the other, each up to its own highest value. */
export function drawCounters(context: CanvasRenderingContext2D, timeline: Timeline, palette: Palette, shown: Shown): void {
  const { width, height, left, begin, end } = shown;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  context.font = '11px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
  context.textBaseline = "middle";
  const scale = (width - left) / (end - begin);
  timeline.columns.counters.forEach((counter, number) => {
    const top = number * COUNTER;
    const most = counter.value.reduce((one, other) => Math.max(one, other), 1);
    const bottom = top + COUNTER - 3;
    context.save();
    context.beginPath();
    context.rect(left, top, width - left, COUNTER);
    context.clip();
    context.beginPath();
    let at = Math.max(0, firstFrom(counter.time, begin) - 1);
    context.moveTo(left + (counter.time[at]! - begin) * scale, bottom);
    for (; at < counter.time.length; at++) {
      const x = left + (counter.time[at]! - begin) * scale;
      const y = bottom - (Math.max(0, counter.value[at]!) / most) * (COUNTER - 10);
      const next = at + 1 < counter.time.length ? left + (counter.time[at + 1]! - begin) * scale : width;
      context.lineTo(x, y);
      context.lineTo(next, y);
      if (x > width) break;
    }
    context.lineTo(width, bottom);
    context.closePath();
    context.fillStyle = palette.accent;
    context.globalAlpha = 0.3;
    context.fill();
    context.restore();
    context.globalAlpha = 1;
    context.fillStyle = palette.ink;
    context.fillText(cut(`memory ${counter.name}`, left - 14), 8, top + 14);
    context.fillStyle = palette.faint;
    context.fillText(cut(`up to ${format.bytes(most)}`, left - 14), 8, top + 30);
    context.fillStyle = palette.line;
    context.fillRect(0, top + COUNTER - 1, width, 1);
  });
  context.fillRect(left - 1, 0, 1, height);
}

function firstFrom(times: Uint32Array, time: number): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle]! < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
