import { memo } from "preact/compat";
import type { Bundle, Bundles } from "./bundles";
import { type Colouring, fillOf } from "./colours";
import { HEADER, PADDING, type Placed, type PlacedBox, type PlacedEdge } from "./layout";
import { GROUP, type MetricColumns, type Model, NODE } from "./model";
import { edgeLabel, hubsOf, letterOf, linesOf } from "./plan";

export interface SceneProps {
  model: Model;
  data: Bundles;
  control: Bundles | null;
  placed: Placed;
  colouring: Colouring;
  metric: MetricColumns | undefined;
  selected: number;
  select: (row: number) => void;
  toggle: (row: number) => void;
}

const SMALL_LETTER = 6.4;

/** Everything that is laid out: a scope with its edges and boxes, and in these again. */
export const Scene = memo(function Scene(props: SceneProps) {
  return <Inside {...props} />;
});

function Inside(props: SceneProps) {
  const { placed, data, control, selected } = props;
  const bundles = new Map(data.of(placed.row).map((one) => [`${one.from} ${one.to}`, one]));
  const at = new Map(placed.boxes.map((box) => [box.row, box]));
  const hubs = hubsOf(data.of(placed.row));
  const aside = hubs.size ? data.of(placed.row).filter((one) => hubs.has(one.from) || hubs.has(one.to)) : [];
  return (
    <g>
      {control &&
        control.of(placed.row).map((one) => {
          const from = at.get(one.from);
          const to = at.get(one.to);
          return from && to && <Control key={`${one.from} ${one.to}`} from={from} to={to} count={one.count} />;
        })}
      {placed.edges.map((edge) => {
        const bundle = bundles.get(`${edge.from} ${edge.to}`);
        const lit = edge.from === selected || edge.to === selected;
        return bundle && <Line key={`${edge.from} ${edge.to}`} edge={edge} bundle={bundle} lit={lit} />;
      })}
      {placed.boxes.map((box) => (
        <Box key={box.row} {...props} box={box} joined={hubs.get(box.row) ?? 0} />
      ))}
      {aside
        .filter((one) => one.from === selected || one.to === selected)
        .map((one) => {
          const [from, to] = [at.get(one.from), at.get(one.to)];
          return from && to && <Aside key={`${one.from} ${one.to}`} from={from} to={to} bundle={one} />;
        })}
    </g>
  );
}

function Box(props: SceneProps & { box: PlacedBox; joined: number }) {
  const { model, box, joined, metric, colouring, selected, select, toggle } = props;
  const { row, x, y, width, height, inside } = box;
  const [label, below] = linesOf(model, metric, row);
  const fill = inside ? "var(--paper)" : fillOf(model, colouring, row);
  const kind = model.kind(row);
  const openable = model.isOpenable(row);
  const room = width - (openable ? 34 : 16) - (joined && !inside ? 34 : 0);
  const letters = Math.floor(room / letterOf(model, row));
  const shape = kind === NODE ? height / 2.6 : 5;
  const choose = (event: MouseEvent) => {
    event.stopPropagation();
    select(row);
  };
  const open = (event: MouseEvent) => {
    event.stopPropagation();
    if (openable) toggle(row);
  };
  return (
    <g
      class={`graph-box graph-kind-${kind}${row === selected ? " graph-selected" : ""}${inside ? " graph-open" : ""}`}
      transform={`translate(${x} ${y})`}
    >
      <g onClick={choose} onDblClick={open}>
        <title>{`${model.name(row).slice(0, 400)}\n${below}`}</title>
        {kind === GROUP && !inside && <rect class="graph-behind" x={4} y={4} width={width} height={height} rx={5} />}
        <rect
          class="graph-face"
          width={width}
          height={height}
          rx={shape}
          style={{ fill: fill ?? "url(#graph-no-data)" }}
        />
        <text class="graph-label" x={openable ? 26 : 10} y={17}>
          {cut(label, letters)}
        </text>
        <text class="graph-cost" x={inside ? width - 10 : openable ? 26 : 10} y={inside ? 17 : 32} text-anchor={inside ? "end" : "start"}>
          {inside && (label.length + below.length) * letterOf(model, row) > width - 70 ? "" : cut(below, Math.floor((width - (openable ? 34 : 16)) / SMALL_LETTER))}
        </text>
      </g>
      {joined > 0 && !inside && (
        <text class="graph-joined" x={width - 7} y={17} text-anchor="end">
          <title>{`joined to ${joined} boxes here: select it to see how`}</title>
          {`⇄ ${joined}`}
        </text>
      )}
      {openable && (
        <g class="graph-toggle" onClick={open}>
          <title>{inside ? "close" : "open"}</title>
          <rect x={0} y={0} width={24} height={inside ? HEADER : height} fill="transparent" />
          <path d={inside ? "M8 13h9" : `M8 ${height / 2}h9m-4.5 -4.5v9`} />
        </g>
      )}
      {inside && (
        <g transform={`translate(${(width - inside.width) / 2} ${HEADER + (height - HEADER - PADDING - inside.height) / 2})`}>
          <Inside {...props} placed={inside} />
        </g>
      )}
    </g>
  );
}

function Line({ edge, bundle, lit }: { edge: PlacedEdge; bundle: Bundle; lit: boolean }) {
  const label = edgeLabel(bundle);
  const [x, y] = edge.label;
  return (
    <g class={lit ? "graph-edge graph-lit" : "graph-edge"}>
      <path
        d={curve(edge.points)}
        style={{ strokeWidth: `${Math.min(4, 1 + Math.log2(bundle.count) * 0.45)}px` }}
        marker-end={lit ? "url(#graph-arrow-lit)" : "url(#graph-arrow)"}
      />
      {label && (
        <text class="graph-shape" x={x} y={y + 3.5} text-anchor="middle">
          {label}
        </text>
      )}
    </g>
  );
}

/** From a box that stands aside, or to it: drawn while one of the two is selected. */
function Aside({ from, to, bundle }: { from: PlacedBox; to: PlacedBox; bundle: Bundle }) {
  return (
    <path class="graph-aside" d={between(from, to)} marker-end="url(#graph-arrow-lit)">
      <title>{edgeLabel(bundle)}</title>
    </path>
  );
}

function Control({ from, to, count }: { from: PlacedBox; to: PlacedBox; count: number }) {
  return (
    <path class="graph-control" d={between(from, to)} marker-end="url(#graph-arrow)">
      <title>{`${count} control ${count === 1 ? "edge" : "edges"}`}</title>
    </path>
  );
}

function between(from: PlacedBox, to: PlacedBox): string {
  const [x1, y1, x2, y2] = [from.x + from.width / 2, from.y + from.height, to.x + to.width / 2, to.y];
  const bend = Math.max(20, Math.abs(y2 - y1) / 2);
  return `M${x1} ${y1}C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`;
}

/** Through the middles between the points, which lie where the line bends. */
export function curve(points: [number, number][]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const last = rest.pop() ?? first;
  let path = `M${first[0]} ${first[1]}`;
  rest.forEach(([x, y], at) => {
    const next = rest[at + 1] ?? last;
    const end = at === rest.length - 1 ? last : [(x + next[0]) / 2, (y + next[1]) / 2];
    path += `Q${x} ${y} ${end[0]} ${end[1]}`;
  });
  return rest.length ? path : `${path}L${last[0]} ${last[1]}`;
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
}
