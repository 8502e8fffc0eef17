import { type Surface, useCanvas } from "../canvas";
import { CATEGORIES } from "../categories";
import { duration } from "../format";
import type { SlowNote, StepTimes } from "../results";
import { niceTop, ticks } from "../scale";
import { type Frame, frameOf, type Picked, pickedAt, stacked } from "./stack";

interface Props {
  steps: StepTimes;
  slow: SlowNote[];
  picked: Picked;
  peek: Picked | null;
  onPick: (picked: Picked) => void;
  onPeek: (picked: Picked | null) => void;
}

/** A column a step, stacked by what its time went to; a canvas, so that thousands are no more work. */
export function StepChart({ steps, slow, picked, peek, onPick, onPeek }: Props) {
  const shown = peek ?? picked;
  const top = niceTop(steps.periods.reduce((most, one) => Math.max(most, one), steps.median_us));
  const canvas = useCanvas((on) => draw(on, steps, slow, shown, picked, top));
  const at = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const frame = frameOf(box.width, box.height, steps.numbers.length);
    return pickedAt(steps, frame, top, event.clientX - box.left, event.clientY - box.top);
  };
  const key = (event: KeyboardEvent) => {
    const moved = moveBy(event.key, steps, picked);
    if (!moved) return;
    event.preventDefault();
    onPick(moved);
  };
  const some = steps.numbers.length;
  return (
    <canvas
      ref={canvas}
      class="steps-canvas"
      tabIndex={0}
      role="application"
      aria-roledescription="chart"
      aria-label={`Time of ${some} steps, stacked by what it went to. Left and right choose a step, up and down a part of it. The tables below have the same numbers.`}
      onMouseMove={(event) => onPeek(at(event))}
      onMouseLeave={() => onPeek(null)}
      onClick={(event) => {
        const found = at(event);
        if (found) onPick(found);
      }}
      onKeyDown={key}
    />
  );
}

function moveBy(key: string, steps: StepTimes, from: Picked): Picked | null {
  const last = steps.numbers.length - 1;
  const there = (step: number) => steps.categories.filter((one) => one.times[step]! > 0).map((one) => one.category);
  switch (key) {
    case "ArrowLeft":
      return { ...from, step: Math.max(0, from.step - 1) };
    case "ArrowRight":
      return { ...from, step: Math.min(last, from.step + 1) };
    case "Home":
      return { ...from, step: 0 };
    case "End":
      return { ...from, step: last };
    case "ArrowUp":
    case "ArrowDown": {
      const kinds = there(from.step);
      const at = kinds.indexOf(from.category) + (key === "ArrowUp" ? 1 : -1);
      return { ...from, category: kinds[Math.min(kinds.length - 1, Math.max(0, at))] ?? from.category };
    }
    default:
      return null;
  }
}

function draw(on: Surface, steps: StepTimes, slow: SlowNote[], shown: Picked, picked: Picked, top: number) {
  const { ctx, width, height, colours } = on;
  const frame = frameOf(width, height, steps.numbers.length);
  const y = (value: number) => frame.bottom - (value / top) * (frame.bottom - frame.top);
  ctx.clearRect(0, 0, width, height);
  axis(on, frame, top, y);
  const colour = (category: string) => CATEGORIES[category]?.[colours.dark ? "dark" : "light"] ?? colours.faint;
  for (const column of stacked(steps, frame)) {
    let below = 0;
    for (const part of steps.categories) {
      const value = part.times[column.step]!;
      if (value <= 0) continue;
      ctx.globalAlpha = column.step === shown.step && part.category !== shown.category ? 0.55 : 1;
      ctx.fillStyle = colour(part.category);
      const from = y(below);
      below += value;
      ctx.fillRect(column.x, y(below), column.width, Math.max(0.5, from - y(below)));
    }
  }
  ctx.globalAlpha = 1;
  frameStep(on, frame, steps, picked.step, y, colours.ink, 1.5);
  if (shown.step !== picked.step) frameStep(on, frame, steps, shown.step, y, colours.faint, 1);
  median(on, frame, steps, y);
  marks(on, frame, steps, slow, y);
  numbers(on, frame, steps);
}

function axis({ ctx, width, colours }: Surface, frame: Frame, top: number, y: (value: number) => number) {
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  ctx.lineWidth = 1;
  for (const tick of ticks(0, top, 4)) {
    const line = Math.round(y(tick)) + 0.5;
    ctx.strokeStyle = colours.line;
    ctx.globalAlpha = tick ? 0.6 : 1;
    ctx.beginPath();
    ctx.moveTo(frame.left, line);
    ctx.lineTo(width - frame.right, line);
    ctx.stroke();
    ctx.globalAlpha = 1;
    ctx.fillStyle = colours.faint;
    ctx.fillText(tick ? shortTime(tick) : "0", frame.left - 6, line);
  }
}

/** Ticks are round: digits behind the point that are all 0 tell nothing. */
function shortTime(micros: number): string {
  return duration(micros).replace(/(\.\d*?)0+ /, "$1 ").replace(/\. /, " ");
}

function frameStep(
  { ctx }: Surface, frame: Frame, steps: StepTimes, step: number, y: (value: number) => number,
  colour: string, line: number,
) {
  const x = frame.left + step * frame.pitch;
  ctx.strokeStyle = colour;
  ctx.lineWidth = line;
  const up = y(steps.periods[step] ?? 0);
  ctx.strokeRect(x - 0.5, up - 1.5, Math.max(2, frame.pitch - frame.gap) + 1, frame.bottom - up + 2);
}

function median({ ctx, width, colours }: Surface, frame: Frame, steps: StepTimes, y: (value: number) => number) {
  if (steps.numbers.length < 3) return;
  const line = Math.round(y(steps.median_us)) + 0.5;
  ctx.setLineDash([5, 4]);
  ctx.strokeStyle = colours.ink;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(frame.left, line);
  ctx.lineTo(width - frame.right, line);
  ctx.stroke();
  ctx.setLineDash([]);
  const text = `median ${duration(steps.median_us)}`;
  const wide = ctx.measureText(text).width + 10;
  ctx.textAlign = "right";
  ctx.textBaseline = "middle";
  ctx.fillStyle = colours.paper;
  ctx.globalAlpha = 0.85;
  ctx.fillRect(width - frame.right - wide, line - 17, wide, 15);
  ctx.globalAlpha = 1;
  ctx.fillStyle = colours.ink;
  ctx.fillText(text, width - frame.right - 5, line - 9);
}

function marks(on: Surface, frame: Frame, steps: StepTimes, slow: SlowNote[], y: (value: number) => number) {
  const { ctx, colours } = on;
  ctx.fillStyle = colours.problem;
  for (const one of slow) {
    const x = frame.left + (one.at + 0.5) * frame.pitch - frame.gap / 2;
    const up = y(steps.periods[one.at] ?? 0) - 5;
    ctx.beginPath();
    ctx.moveTo(x, up);
    ctx.lineTo(x - 4, up - 7);
    ctx.lineTo(x + 4, up - 7);
    ctx.fill();
  }
}

function numbers({ ctx, colours }: Surface, frame: Frame, steps: StepTimes) {
  ctx.textAlign = "center";
  ctx.textBaseline = "top";
  ctx.fillStyle = colours.faint;
  const widest = ctx.measureText(String(steps.numbers[steps.numbers.length - 1] ?? 0)).width + 14;
  const every = Math.max(1, Math.ceil(widest / frame.pitch));
  const step = every <= 1 ? 1 : [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((one) => one >= every) ?? every;
  for (let at = 0; at < steps.numbers.length; at += step) {
    ctx.fillText(String(steps.numbers[at]), frame.left + (at + 0.5) * frame.pitch - frame.gap / 2, frame.bottom + 6);
  }
}
