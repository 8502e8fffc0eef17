import { useState } from "preact/hooks";
import { amountText } from "../amount";
import { type Surface, useCanvas } from "../canvas";
import { bytes, exact } from "../format";
import { SplitBar } from "../parts/split-bar";
import type { OverBatches as Batches } from "../results";
import { niceTop, ticks } from "../scale";
import { batchBelow } from "./living";

const LEFT = 62;
const RIGHT = 14;
const TOP = 16;
const BOTTOM = 38;
const GB = 1e9;
/** of curves, on light and on dark paper; the second is dashed as well */
const LOOKS = [
  { light: "#0f63c1", dark: "#7fb2ff", dash: [] as number[] },
  { light: "#1a7f4b", dark: "#5fd39a", dash: [6, 4] },
  { light: "#9c68a4", dark: "#eb90d8", dash: [2, 3] },
];
const KINDS = [
  ["#0f63c1", "#4e8cef"], ["#e1a500", "#dbe82a"], ["#9c68a4", "#eb90d8"], ["#008f58", "#13b87c"],
  ["#cf5c0a", "#ff852f"], ["#565a5f", "#8d9199"],
] as const;

/** What a step needs at each batch, below the limit of a device that the reader may name. */
export function OverBatches({ batches }: { batches: Batches }) {
  const [limit, setLimit] = useState(batches.limit_bytes);
  const isCurve = batches.batches.length > 1 && !batches.unknown;
  return (
    <section>
      <h3>
        What {batches.computed} needs <span class="faint">estimated, with variables and inputs</span>
      </h3>
      {isCurve ? (
        <>
          <label class="memory-limit">
            Limit of the device{" "}
            <input
              type="number"
              min="0.1"
              step="any"
              value={limit / GB}
              onInput={(event) => {
                const said = Number(event.currentTarget.value);
                if (said > 0) setLimit(said * GB);
              }}
            />{" "}
            GB
          </label>
          <Fits batches={batches} limit={limit} />
          <Chart batches={batches} limit={limit} />
          <BatchTable batches={batches} />
        </>
      ) : (
        <p>
          ~{amountText(batches.total).replace(/^~/, "")} at batch {exact(batches.batch)}
          {batches.unknown && <span class="faint"> · {batches.unknown}</span>}
        </p>
      )}
      {batches.kinds.length > 0 && (
        <>
          <h3>
            At the peak <span class="faint">of batch {exact(batches.batch)}: {amountText(batches.peak)} beside {amountText(batches.persistent)} of variables</span>
          </h3>
          <SplitBar
            label="The estimated peak by kind"
            parts={batches.kinds.map((one, at) => ({
              key: one.kind,
              label: one.kind,
              value: one.bytes,
              text: bytes(one.bytes),
              light: KINDS[at % KINDS.length]![0],
              dark: KINDS[at % KINDS.length]![1],
            }))}
          />
        </>
      )}
    </section>
  );
}

function Fits({ batches, limit }: { batches: Batches; limit: number }) {
  const asked = limit === batches.limit_bytes;
  return (
    <ul class="memory-fits">
      {batches.curves.map((curve, at) => {
        const known = asked ? curve.max_batch : null;
        const found = known ?? batchBelow(batches.batches, curve.bytes, limit);
        const beyond = found !== null && found >= batches.batches[batches.batches.length - 1]!;
        const look = LOOKS[at % LOOKS.length]!;
        return (
          <li key={curve.name}>
            <span class="sb-dot" style={{ background: `light-dark(${look.light}, ${look.dark})` }} />
            {curve.name}:{" "}
            {found ? (
              <b>
                batch {known ? "~" : beyond ? "≥ " : "~"}
                {exact(found)} fits
              </b>
            ) : (
              <b>not even one sample fits</b>
            )}
            {known && at === 0 && batches.safe_batch ? <span class="faint">, {exact(batches.safe_batch)} is safe</span> : null}
            {!known && found && !beyond ? <span class="faint">, between the batches worked out</span> : null}
          </li>
        );
      })}
    </ul>
  );
}

function Chart({ batches, limit }: { batches: Batches; limit: number }) {
  const canvas = useCanvas((on) => draw(on, batches, limit));
  const last = batches.batches.length - 1;
  const said = batches.curves
    .map((one) => `${one.name}: ${bytes(one.bytes[0])} at batch ${batches.batches[0]}, ${bytes(one.bytes[last])} at batch ${batches.batches[last]}`)
    .join("; ");
  return <canvas ref={canvas} class="memory-canvas" role="img" aria-label={`Memory against batch size. ${said}. Limit ${bytes(limit)}.`} />;
}

function draw({ ctx, width, height, colours }: Surface, batches: Batches, limit: number) {
  const most = batches.batches[batches.batches.length - 1] || 1;
  const highest = Math.max(...batches.curves.map((one) => one.bytes.reduce((high, value) => Math.max(high, value), 0)));
  const top = niceTop(Math.max(highest, Math.min(limit, highest * 1.6)));
  const x = (batch: number) => LEFT + (batch / most) * (width - LEFT - RIGHT);
  const y = (value: number) => height - BOTTOM - (value / top) * (height - TOP - BOTTOM);
  ctx.clearRect(0, 0, width, height);
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
  for (const tick of ticks(0, most, Math.max(2, Math.floor(width / 140)))) {
    ctx.fillText(exact(tick), Math.min(x(tick), width - RIGHT - 8), height - BOTTOM + 6);
  }
  ctx.fillText("batch", (LEFT + width - RIGHT) / 2, height - 15);
  for (const [at, curve] of batches.curves.entries()) {
    const look = LOOKS[at % LOOKS.length]!;
    ctx.strokeStyle = ctx.fillStyle = colours.dark ? look.dark : look.light;
    ctx.lineWidth = 2;
    ctx.setLineDash(look.dash);
    ctx.beginPath();
    curve.bytes.forEach((value, row) => ctx.lineTo(x(batches.batches[row]!), y(value)));
    ctx.stroke();
    ctx.setLineDash([]);
    curve.bytes.forEach((value, row) => {
      ctx.beginPath();
      ctx.arc(x(batches.batches[row]!), y(value), 2.5, 0, 7);
      ctx.fill();
    });
  }
  if (limit > top) return;
  const line = Math.round(y(limit)) + 0.5;
  ctx.strokeStyle = ctx.fillStyle = colours.problem;
  ctx.lineWidth = 1.5;
  ctx.setLineDash([8, 4]);
  ctx.beginPath();
  ctx.moveTo(LEFT, line);
  ctx.lineTo(width - RIGHT, line);
  ctx.stroke();
  ctx.setLineDash([]);
  ctx.textAlign = "left";
  ctx.textBaseline = "bottom";
  ctx.fillText(`limit ${bytes(limit)}`, LEFT + 6, line - 2);
}

function BatchTable({ batches }: { batches: Batches }) {
  return (
    <details>
      <summary>As a table</summary>
      <div class="memory-scroll" tabIndex={0} role="region" aria-label="Memory by batch">
        <table>
          <thead>
            <tr>
              <th scope="col">batch</th>
              {batches.curves.map((one) => (
                <th key={one.name} scope="col">
                  {one.name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from(batches.batches, (batch, row) => (
              <tr key={batch}>
                <td>{exact(batch)}</td>
                {batches.curves.map((one) => (
                  <td key={one.name}>~{bytes(one.bytes[row])}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
