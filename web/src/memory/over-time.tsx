import { useMemo } from "preact/hooks";
import { amountText } from "../amount";
import { type Surface, useCanvas } from "../canvas";
import { bytes, duration, exact, share } from "../format";
import { Table, type TableColumn } from "../parts/table";
import { Name } from "../parts/tooltip";
import type { DeviceOverTime } from "../results";
import { niceTop, ticks } from "../scale";
import { livingAt, momentAt } from "./living";

const LEFT = 66;
const RIGHT = 10;
const TOP = 22;
const BOTTOM = 24;

/** Bytes in use over time; the moment that is chosen is explained below. */
export function OverTime(props: { device: DeviceOverTime; moment: number; onChoose: (moment: number, dragged?: boolean) => void }) {
  const { device, moment, onChoose } = props;
  const canvas = useCanvas((on) => draw(on, device, moment));
  const at = (event: PointerEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    const span = spanOf(device);
    const part = (event.clientX - box.left - LEFT) / (box.width - LEFT - RIGHT);
    return momentAt(device.times_us, Math.min(1, Math.max(0, part)) * span);
  };
  const key = (event: KeyboardEvent) => {
    const last = device.levels.length - 1;
    const to = {
      ArrowLeft: moment - 1, ArrowRight: moment + 1, PageUp: moment - 20, PageDown: moment + 20, Home: 0, End: last, p: device.peak,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    onChoose(Math.min(last, Math.max(0, to)), true);
  };
  return (
    <canvas
      ref={canvas}
      class="memory-canvas"
      tabIndex={0}
      role="slider"
      aria-label={`Memory of ${device.device.slice(0, 100)} over time. Left and right choose a moment, p the peak.`}
      aria-valuemin={0}
      aria-valuemax={device.levels.length - 1}
      aria-valuenow={moment}
      aria-valuetext={`${bytes(device.levels[moment])} after ${duration(device.times_us[moment])}`}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        onChoose(at(event));
      }}
      onPointerMove={(event) => {
        if (event.buttons & 1) onChoose(at(event), true);
      }}
      onKeyDown={key}
    />
  );
}

function spanOf(device: DeviceOverTime): number {
  return Math.max(1e-9, device.times_us[device.times_us.length - 1] ?? 0);
}

function draw({ ctx, width, height, colours }: Surface, device: DeviceOverTime, moment: number) {
  const { times_us: times, levels } = device;
  const span = spanOf(device);
  const top = niceTop(levels[device.peak] || 1);
  const x = (time: number) => LEFT + (time / span) * (width - LEFT - RIGHT);
  const y = (value: number) => height - BOTTOM - (value / top) * (height - TOP - BOTTOM);
  ctx.clearRect(0, 0, width, height);
  bands();
  grid();
  ctx.beginPath();
  ctx.moveTo(x(0), y(0));
  for (let at = 0; at < times.length; at++) {
    if (at) ctx.lineTo(x(times[at]!), y(levels[at - 1]!));
    ctx.lineTo(x(times[at]!), y(levels[at]!));
  }
  ctx.lineTo(x(span), y(0));
  ctx.closePath();
  ctx.fillStyle = colours.accent;
  ctx.globalAlpha = 0.22;
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.strokeStyle = colours.accent;
  ctx.lineWidth = 1.2;
  ctx.stroke();
  mark(device.peak, colours.problem, `peak ${bytes(levels[device.peak])}`, true);
  if (moment !== device.peak) mark(moment, colours.ink, bytes(levels[moment]), false);

  function bands() {
    ctx.fillStyle = colours.raised;
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    for (const [at, step] of device.steps.entries()) {
      const from = Math.max(LEFT, x(step.begin_us));
      const to = Math.min(width - RIGHT, x(step.end_us));
      if (to <= from) continue;
      ctx.fillStyle = colours.raised;
      if (at % 2 === 0) ctx.fillRect(from, TOP - 4, to - from, height - TOP - BOTTOM + 4);
      ctx.fillStyle = colours.faint;
      const text = `step ${step.step}`;
      if (ctx.measureText(text).width + 8 < to - from) ctx.fillText(text, from + 4, 3);
    }
  }

  function grid() {
    ctx.lineWidth = 1;
    ctx.strokeStyle = colours.line;
    ctx.fillStyle = colours.faint;
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    for (const tick of ticks(0, top, 4)) {
      const line = Math.round(y(tick)) + 0.5;
      ctx.beginPath();
      ctx.moveTo(LEFT, line);
      ctx.lineTo(width - RIGHT, line);
      ctx.stroke();
      ctx.fillText(tick ? bytes(tick).replace(/\.?0+ /, " ") : "0", LEFT - 6, line);
    }
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    const wanted = Math.max(2, Math.floor(width / 160));
    for (const tick of ticks(0, span, wanted)) {
      const half = ctx.measureText(duration(tick)).width / 2;
      const at = Math.min(width - RIGHT - half, Math.max(LEFT + half * Number(tick > 0), x(tick)));
      ctx.fillText(tick ? duration(tick).replace(/(\.\d*?)0+ /, "$1 ").replace(/\. /, " ") : "0", at, height - BOTTOM + 7);
    }
  }

  function mark(at: number, colour: string, text: string, above: boolean) {
    const left = x(times[at]!);
    ctx.strokeStyle = colour;
    ctx.lineWidth = 1.5;
    ctx.setLineDash(above ? [3, 3] : []);
    ctx.beginPath();
    ctx.moveTo(left, TOP - 4);
    ctx.lineTo(left, height - BOTTOM);
    ctx.stroke();
    ctx.setLineDash([]);
    const wide = ctx.measureText(text).width + 10;
    const from = left + wide + 4 > width ? left - wide - 3 : left + 3;
    const line = above ? TOP + 6 : TOP + 24;
    ctx.fillStyle = colours.paper;
    ctx.globalAlpha = 0.88;
    ctx.fillRect(from, line - 8, wide, 16);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colour;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    ctx.fillText(text, from + 5, line);
  }
}

interface BlockRow {
  name: string;
  kind: string;
  shape: string;
  allocator: string;
  bytes: number;
}

/** What is held at the moment: blocks by size, and what is no block of these. */
export function LivingTable({ device, moment }: { device: DeviceOverTime; moment: number }) {
  const living = useMemo(() => livingAt(device, moment), [device, moment]);
  const rows = useMemo(() => {
    const { blocks } = device;
    return living.rows.map((row) => ({
      name: blocks.names[blocks.name[row]!]!,
      kind: blocks.kinds[blocks.kind[row]!]!,
      shape: blocks.shapes[blocks.shape[row]!]!,
      allocator: blocks.allocators[blocks.allocator[row]!]!,
      bytes: blocks.bytes[row]!,
    }));
  }, [device, living]);
  const isPeak = moment === device.peak;
  const columns = useMemo(() => columnsOf(device, living.level), [device, living.level]);
  const step = device.steps.find((one) => one.begin_us <= device.times_us[moment]! && device.times_us[moment]! < one.end_us);
  return (
    <section aria-label="What lives at the moment">
      <h3>
        {isPeak ? `At the peak, ${amountText(device.peak_bytes)}` : bytes(living.level)}{" "}
        <span class="faint">
          after {duration(device.times_us[moment])}
          {step && `, in step ${step.step}`} · {exact(rows.length)} blocks listed
          {living.before > 0 && ` · ${bytes(living.before)} taken before the capture`}
          {living.rest > 0 && ` · ${bytes(living.rest)} in smaller or unrecorded blocks`}
        </span>
      </h3>
      <Table label="Blocks that live at the moment" rows={rows} columns={columns} tall={12} />
    </section>
  );
}

function columnsOf(device: DeviceOverTime, level: number): TableColumn<BlockRow>[] {
  const several = device.blocks.allocators.length > 1;
  return [
    { key: "name", title: "held for", value: (row) => row.name, show: (row) => <Name text={row.name || "no op is named"} /> },
    ...(device.blocks.kinds.some(Boolean) ? [{ key: "kind", title: "kind", width: "6rem", secondary: true, value: (row: BlockRow) => row.kind }] : []),
    ...(device.blocks.shapes.some(Boolean) ? [{ key: "shape", title: "shape", width: "13rem", secondary: true, value: (row: BlockRow) => row.shape }] : []),
    ...(several ? [{ key: "allocator", title: "allocator", width: "9rem", secondary: true, value: (row: BlockRow) => row.allocator }] : []),
    { key: "bytes", title: "bytes", number: true, width: "6rem", value: (row) => row.bytes, show: (row) => bytes(row.bytes) },
    { key: "share", title: "share", number: true, width: "5rem", value: (row) => row.bytes, show: (row) => share(row.bytes, level) },
  ];
}
