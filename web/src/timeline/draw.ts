import * as format from "../format";
import type { Palette } from "./colours";
import { firstAfter, type Level, type Timeline } from "./data";
import { type Row, TRACK } from "./rows";
import { tickOf } from "./ticks";

/** All that a frame depends on. */
export interface Frame {
  timeline: Timeline;
  rows: readonly Row[];
  palette: Palette;
  hues: Uint8Array;
  /** pixels */
  width: number;
  height: number;
  /** where the tracks begin, behind the names of lanes */
  left: number;
  scrolled: number;
  /** processes of which only the name is shown */
  closed: ReadonlySet<number>;
  /** the time that is in view */
  begin: number;
  end: number;
  /** by name; null if nothing is searched for */
  found: Uint8Array | null;
  selected: { track: number; row: number } | null;
  range: [number, number] | null;
}

export const RULER = 38;
const FONT = '11px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const LETTER = 6.5;
const NARROWEST_LABEL = 26;

export function draw(context: CanvasRenderingContext2D, frame: Frame): void {
  const { width, height, palette } = frame;
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, width, height);
  context.font = FONT;
  context.textBaseline = "middle";
  context.save();
  context.beginPath();
  context.rect(0, RULER, width, height - RULER);
  context.clip();
  for (const row of frame.rows) {
    const y = RULER + row.y - frame.scrolled;
    if (y > height || y + row.height < RULER) continue;
    if (row.kind === "process") drawProcess(context, frame, row.process, y, row.height);
    else drawLane(context, frame, row, y);
  }
  drawSteps(context, frame);
  drawRange(context, frame);
  context.restore();
  drawRuler(context, frame);
}

function drawProcess(context: CanvasRenderingContext2D, frame: Frame, process: number, y: number, height: number) {
  const { palette, timeline } = frame;
  context.fillStyle = palette.raised;
  context.fillRect(0, y, frame.width, height);
  context.fillStyle = palette.ink;
  context.font = `600 ${FONT}`;
  context.fillText(cut(timeline.columns.processes[process]!.name, frame.width - 30), 22, y + height / 2);
  context.font = FONT;
  drawFold(context, frame, y + height / 2, !frame.closed.has(process));
}

/** Whether what is in it is shown: a click on it, or on the name, changes that. */
function drawFold(context: CanvasRenderingContext2D, frame: Frame, y: number, open: boolean) {
  context.fillStyle = frame.palette.faint;
  context.fillText(open ? "▾" : "▸", 8, y);
}

function drawLane(context: CanvasRenderingContext2D, frame: Frame, row: Row & { kind: "lane" }, y: number) {
  const { timeline, palette, left } = frame;
  const lane = timeline.lanes[row.lane]!;
  context.save();
  context.beginPath();
  context.rect(left, y, frame.width - left, row.height);
  context.clip();
  const level = timeline.levelFor((frame.end - frame.begin) / (frame.width - left));
  for (let depth = 0; depth < row.tracks; depth++) {
    const top = y + depth * TRACK;
    if (top + TRACK > RULER && top < frame.height) drawTrack(context, frame, level, lane.firstTrack + depth, top);
  }
  context.restore();
  context.fillStyle = palette.line;
  context.fillRect(0, y + row.height - 1, frame.width, 1);
  context.fillStyle = palette.paper;
  context.fillRect(0, y, left - 1, row.height - 1);
  const more = lane.tracks > row.tracks ? ` +${lane.tracks - row.tracks}` : "";
  if (lane.tracks > 2) drawFold(context, frame, y + TRACK / 2, more === "");
  context.save();
  context.beginPath();
  context.rect(0, y, left - 4, row.height);
  context.clip();
  context.fillStyle = palette.ink;
  context.fillText(cut(lane.name, left - 30 - more.length * LETTER) + more, 22, y + TRACK / 2);
  if (row.tracks > 1) {
    context.fillStyle = palette.faint;
    context.fillText(`${format.share(lane.share)} busy`, 22, y + 1.5 * TRACK);
  }
  context.restore();
}

function drawTrack(context: CanvasRenderingContext2D, frame: Frame, level: Level, track: number, top: number): void {
  const { begin, end, left, width, hues, palette, found } = frame;
  const scale = (width - left) / (end - begin);
  const names = frame.timeline.columns.names.name;
  const last = level.first[track + 1]!;
  let drawn = -1;
  for (let row = firstAfter(level, track, begin); row < last && level.start[row]! < end; row++) {
    const x = left + (level.start[row]! - begin) * scale;
    const right = x + level.duration[row]! * scale;
    // what lies in a point that is drawn already is seen in it
    if (right <= drawn && !(found && found[level.name[row]!])) continue;
    const from = Math.max(x, left - 2);
    const wide = Math.max(1, Math.min(right, width + 2) - from - (right - x > 3 ? 0.7 : 0));
    drawn = Math.max(drawn, from + wide - 0.35);
    const name = level.name[row]!;
    const many = level.count[row]!;
    const lit = !found || found[name]!;
    context.globalAlpha = lit ? (many > 1 ? density(level, row) : 1) : 0.22;
    context.fillStyle = palette.slices[hues[name]!]!;
    context.fillRect(from, top + 1, wide, TRACK - 2);
    if (found && lit) {
      context.globalAlpha = 1;
      context.strokeStyle = palette.accent;
      context.strokeRect(from + 0.5, top + 1.5, Math.max(0, wide - 1), TRACK - 3);
    }
    if (wide > NARROWEST_LABEL && many < 2) {
      context.globalAlpha = lit ? 1 : 0.5;
      context.fillStyle = palette.ink;
      context.fillText(cut(names[name]!, wide - 6), from + 3, top + TRACK / 2 + 0.5);
    }
    const { selected } = frame;
    if (selected?.track === track && selected.row === row && level === frame.timeline.finest) outline(context, frame, from, top, wide);
  }
  context.globalAlpha = 1;
}

function outline(context: CanvasRenderingContext2D, frame: Frame, x: number, top: number, wide: number) {
  context.globalAlpha = 1;
  context.lineWidth = 2;
  context.strokeStyle = frame.palette.accent;
  context.strokeRect(x, top + 1, Math.max(2, wide), TRACK - 2);
  context.lineWidth = 1;
}

/** The paler, the less of a stretch was busy. */
function density(level: Level, row: number): number {
  return 0.35 + 0.6 * Math.min(1, level.busy[row]! / Math.max(1, level.duration[row]!));
}

function drawSteps(context: CanvasRenderingContext2D, frame: Frame): void {
  const { timeline, begin, end, left, width, palette } = frame;
  const scale = (width - left) / (end - begin);
  context.fillStyle = palette.faint;
  context.globalAlpha = 0.3;
  let drawn = -10;
  for (const step of timeline.columns.steps) {
    const x = left + (step.begin - begin) * scale;
    if (x < left || x > width || x - drawn < 24) continue;
    drawn = x;
    context.fillRect(Math.round(x), RULER, 1, frame.height);
  }
  context.globalAlpha = 1;
}

function drawRange(context: CanvasRenderingContext2D, frame: Frame): void {
  if (!frame.range) return;
  const { begin, end, left, width, palette } = frame;
  const scale = (width - left) / (end - begin);
  const [from, to] = frame.range.map((time) => Math.min(width, Math.max(left, left + (time - begin) * scale))) as [number, number];
  context.fillStyle = palette.accent;
  context.globalAlpha = 0.13;
  context.fillRect(from, RULER, to - from, frame.height);
  context.globalAlpha = 0.9;
  context.fillRect(from, RULER, 1, frame.height);
  context.fillRect(to, RULER, 1, frame.height);
  context.globalAlpha = 1;
}

/** Times on top, and below them the steps. */
function drawRuler(context: CanvasRenderingContext2D, frame: Frame): void {
  const { timeline, begin, end, left, width, palette } = frame;
  const scale = (width - left) / (end - begin);
  context.fillStyle = palette.raised;
  context.fillRect(0, 0, width, RULER);
  context.fillStyle = palette.faint;
  context.save();
  context.beginPath();
  context.rect(left, 0, width - left, RULER);
  context.clip();
  // round in microseconds, whatever the columns count in
  const unit = 1 / timeline.micros(1);
  const step = tickOf((end - begin) / unit / Math.max(2, (width - left) / 110)) * unit;
  for (let time = Math.ceil(begin / step) * step; time <= end; time += step) {
    const x = left + (time - begin) * scale;
    context.fillRect(x, 0, 1, 6);
    context.fillText(format.duration(timeline.micros(time)), x + 4, 10);
  }
  let drawn = -Infinity;
  for (const { number, begin: from, end: to } of timeline.columns.steps) {
    const x = left + (from - begin) * scale;
    const right = left + (to - begin) * scale;
    if (right < left || x > width) continue;
    context.fillStyle = palette.line;
    context.fillRect(Math.max(x, left), 21, Math.max(1, Math.min(right, width) - Math.max(x, left) - 1), 14);
    const label = `step ${number}`;
    const place = Math.max(x, left) + 3;
    if (place < drawn || Math.min(right, width) - place < label.length * LETTER) continue;
    context.fillStyle = palette.ink;
    context.fillText(label, place, 28);
    drawn = place + label.length * LETTER + 8;
  }
  context.restore();
  context.fillStyle = palette.line;
  context.fillRect(0, RULER - 1, width, 1);
  context.fillRect(left - 1, 0, 1, frame.height);
}

export function cut(text: string, width: number): string {
  const letters = Math.floor(width / LETTER);
  return text.length <= letters ? text : letters < 2 ? "" : `${text.slice(0, letters - 1)}…`;
}
