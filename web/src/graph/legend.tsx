import { alike, type Colouring, heatColour, hueColour } from "./colours";
import { type Model, ROOT } from "./model";

const MOST = 6;

/** In the middle of a line; but FLOPs stay as they are. */
function lowered(title: string): string {
  return /^[A-Z][a-z]/.test(title) ? title.toLowerCase() : title;
}

/** What the colours stand for. */
export function Legend({ model, colouring }: { model: Model; colouring: Colouring }) {
  if (colouring.by === "metric") {
    return (
      <span class="graph-legend" title={colouring.metric.about}>
        less
        {[0, 0.25, 0.5, 0.75, 1].map((heat) => (
          <i key={heat} style={{ background: heatColour(heat) }} />
        ))}
        more {lowered(colouring.metric.title)}
        <NoData />
      </span>
    );
  }
  const table = colouring.by === "device" ? model.columns.devices : model.columns.ops;
  const column = colouring.by === "device" ? model.columns.device : model.columns.op;
  const counts = new Map<number, number>();
  for (const number of column) if (number) counts.set(number, (counts.get(number) ?? 0) + 1);
  const usual = [...counts].sort((one, other) => other[1] - one[1]).slice(0, MOST);
  return (
    <span class="graph-legend">
      {usual.map(([number]) => (
        <span key={number} class="graph-key">
          <i style={{ background: hueColour(number) }} />
          <span title={table[number]!.slice(0, 400)}>{table[number]}</span>
        </span>
      ))}
      {alike(model, colouring.by, ROOT) < 0 && (
        <span class="graph-key">
          <i class="graph-mixed" /> mixed
        </span>
      )}
      <NoData />
    </span>
  );
}

function NoData() {
  return (
    <span class="graph-key">
      <i class="graph-nothing" /> no data
    </span>
  );
}
