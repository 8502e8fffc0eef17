import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import * as format from "../format";
import { Bundles } from "../graph/bundles";
import { type Colouring } from "../graph/colours";
import { Details } from "../graph/details";
import { HEADER, type Placed } from "../graph/layout";
import { Legend } from "../graph/legend";
import { type GraphColumns, type MetricColumns, Model, ROOT } from "../graph/model";
import { FIRST_BOXES, firstOpen, planOf } from "../graph/plan";
import { Scene } from "../graph/scene";
import { Search } from "../graph/searchbox";
import { Tree } from "../graph/tree";
import { useLayout } from "../graph/uselayout";
import { type Box, useViewport } from "../graph/viewport";
import type { Section, SectionProps } from "../section";
import "./graph.css";

interface Data {
  graph: GraphColumns;
}

/** The first that there is something of. */
const USUAL = ["time", "flops", "params", "activation_bytes", "bytes"];

function View({ data, place, go }: SectionProps<Data>) {
  const model = useMemo(() => new Model(data.graph), [data]);
  const bundles = useMemo(() => new Bundles(model, model.data), [model]);
  const metrics = data.graph.metrics.filter((one) => one.total);
  const usual = USUAL.map((key) => metrics.find((one) => one.key === key)).find((one) => one && one.total![ROOT]! > 0);
  const [by, setBy] = useState<string>(usual?.key ?? "op");
  const metric: MetricColumns | undefined = metrics.find((one) => one.key === by) ?? usual;
  const [showControl, setShowControl] = useState(false);
  const control = useMemo(() => (showControl ? new Bundles(model, model.control) : null), [model, showControl]);
  const selected = useMemo(() => (place ? model.find(place) : ROOT), [model, place]);
  const [open, setOpen] = useState(() => withAround(model, firstOpen(model, usual, innerWidth < 700 ? FIRST_BOXES / 3 : FIRST_BOXES), selected));
  // what is to be brought into the middle, and what is to stay where it is, once it is laid out
  const wanted = useRef(selected > ROOT ? selected : -1);
  const clicked = useRef(false);
  const still = useRef<{ row: number; before: Box } | null>(null);

  // whoever comes by a link, a search or a neighbour is shown where it stands
  useEffect(() => {
    setOpen((now) => withAround(model, now, selected));
    if (selected > ROOT && !clicked.current) wanted.current = selected;
    clicked.current = false;
  }, [model, selected]);
  const select = useCallback((row: number) => go(row > ROOT ? model.name(row) : ""), [model, go]);
  const pick = useCallback(
    (row: number) => {
      clicked.current = model.name(row) !== place;
      select(row);
    },
    [model, select, place],
  );

  const plan = useMemo(() => planOf(model, bundles, open, metric), [model, bundles, open, metric]);
  const placed = useLayout(plan);
  const toggle = useCallback(
    (row: number) => {
      const before = placed && placeOf(model, placed, row);
      still.current = before && { row, before };
      setOpen((now) => {
        const next = new Set(now);
        if (!next.delete(row)) next.add(row);
        return next;
      });
    },
    [model, placed],
  );
  const svg = useRef<SVGSVGElement>(null);
  const moving = useRef<SVGGElement>(null);
  const view = useViewport(svg, moving);
  const fitted = useRef(false);
  useEffect(() => {
    if (!placed) return;
    if (!fitted.current) view.fit({ x: 0, y: 0, ...placed }, 0.72, topOf(placed));
    fitted.current = true;
    const held = still.current && placeOf(model, placed, still.current.row);
    if (held && still.current) view.stay(still.current.before, held);
    still.current = null;
    const box = wanted.current > ROOT ? placeOf(model, placed, wanted.current) : null;
    if (!box) return;
    view.centre(box);
    wanted.current = -1;
  }, [placed, selected]);

  const colouring: Colouring =
    by === "device" || by === "op"
      ? { by }
      : metric
        ? { by: "metric", metric, most: mostOf(placed, metric) }
        : { by: "op" };
  return (
    <div class="graph">
      <div class="graph-bar">
        <Search model={model} select={select} />
        <label>
          Colour{" "}
          <select value={by} onChange={(event) => setBy(event.currentTarget.value)}>
            {data.graph.metrics.map((one) => (
              <option key={one.key} value={one.key} disabled={!one.total}>
                {one.total ? one.title : `${one.title}: no data`}
              </option>
            ))}
            {data.graph.of === "ops" && <option value="device">Device</option>}
            <option value="op">{data.graph.of === "ops" ? "Op type" : "Layer class"}</option>
          </select>
        </label>
        {model.control.source.length > 0 && (
          <label>
            <input type="checkbox" checked={showControl} onChange={() => setShowControl(!showControl)} /> Control edges
          </label>
        )}
        <span class="graph-buttons">
          <button type="button" aria-label="Zoom in" onClick={() => view.zoom(1.3)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={() => view.zoom(1 / 1.3)}>
            −
          </button>
          <button type="button" onClick={() => placed && view.fit({ x: 0, y: 0, ...placed })}>
            Fit
          </button>
          <button type="button" onClick={() => setOpen(new Set())}>
            Close all
          </button>
        </span>
        <Legend model={model} colouring={colouring} />
      </div>
      <div class="graph-panes">
        <Tree model={model} open={open} metric={metric} selected={selected} select={select} toggle={toggle} />
        <svg
          class="graph-scene"
          ref={svg}
          tabindex={0}
          role="application"
          aria-roledescription="graph"
          aria-label={`Graph of ${format.exact(model.nodes[ROOT])} ${data.graph.of} in scopes; the tree beside it has the same as a list. Arrow keys move, plus and minus zoom.`}
          onClick={() => select(ROOT)}
        >
          <Marks />
          <g ref={moving}>
            {placed && (
              <Scene
                model={model}
                data={bundles}
                control={control}
                placed={placed}
                colouring={colouring}
                metric={metric}
                selected={selected}
                select={pick}
                toggle={toggle}
              />
            )}
          </g>
        </svg>
        {selected >= ROOT ? (
          <Details model={model} row={selected} select={select} />
        ) : (
          <p class="graph-details">There is nothing called “{place.slice(0, 200)}” in this graph.</p>
        )}
      </div>
      {data.graph.notes.map((note) => (
        <p key={note} class="graph-note">
          {note}
        </p>
      ))}
    </div>
  );
}

/** What flows begins there. */
function topOf(placed: Placed): Box {
  const [first = { x: 0, y: 0, width: 0, height: 0 }, ...rest] = placed.boxes;
  return rest.reduce<Box>((one, other) => (other.y < one.y ? other : one), first);
}

function withAround(model: Model, open: Set<number>, row: number): Set<number> {
  if (row <= ROOT) return open;
  const missing = model.around(row).filter((one) => one !== ROOT && !open.has(one));
  return missing.length ? new Set([...open, ...missing]) : open;
}

/** Where a row stands in the picture. */
function placeOf(model: Model, placed: Placed, row: number): Box | null {
  let [x, y, inside] = [0, 0, placed];
  for (const step of [...model.around(row).slice(1), row]) {
    const box = inside.boxes.find((one) => one.row === step);
    if (!box) return null;
    if (step === row) return { x: x + box.x, y: y + box.y, width: box.width, height: box.height };
    if (!box.inside) return null;
    x += box.x + (box.width - box.inside.width) / 2;
    y += box.y + HEADER;
    inside = box.inside;
  }
  return null;
}

/** The most that a closed box has, which is the hottest colour. */
function mostOf(placed: Placed | null, metric: MetricColumns): number {
  let most = 0;
  const waiting = placed ? [placed] : [];
  while (waiting.length) {
    for (const box of waiting.pop()!.boxes) {
      if (box.inside) waiting.push(box.inside);
      else most = Math.max(most, metric.total?.[box.row] || 0);
    }
  }
  return most;
}

function Marks() {
  return (
    <defs>
      <marker id="graph-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto">
        <path d="M0 0.5L8 4L0 7.5z" class="graph-arrow" />
      </marker>
      <marker id="graph-arrow-lit" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">
        <path d="M0 0.5L8 4L0 7.5z" class="graph-arrow-lit" />
      </marker>
      <pattern id="graph-no-data" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect width="6" height="6" class="graph-hatch-paper" />
        <path d="M0 0V6" class="graph-hatch" />
      </pattern>
    </defs>
  );
}

export default {
  title: "Model graph",
  help: "The model in scopes: plus and minus open and close them, a click tells what a box costs, reads and is read by. The search finds ops by name or type. Hatched boxes have no data, which is not the same as cheap.",
  View,
} satisfies Section<Data> as Section<unknown>;
