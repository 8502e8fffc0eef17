import { useMemo, useRef } from "preact/hooks";
import { written } from "../amount";
import { fitted, type Surface, useCanvas } from "../canvas";
import { share } from "../format";
import type { ScopeMetric, ScopeTree } from "../results";
import { areas, type Box, flames, nameOf, type Ranked, rootOf } from "./tree";

export const ROW = 21;
const NARROWEST = 1;
const SMALLEST = 30;
const MAP_HEIGHT = 460;
const DEEPEST = 40;
/** of `draw flame`, on light and on dark paper */
const HUES = [
  ["#0072b2", "#56b4e9"], ["#d55e00", "#f0883e"], ["#007a5a", "#2fc79c"], ["#b0478a", "#e08fc0"], ["#8a6d00", "#f0d442"],
] as const;
const PHASES: Record<string, readonly [string, string]> = {
  forward: ["#5b8fd6", "#8ab6f5"], backward: ["#6a4fb5", "#9a82ea"], update: ["#b0679a", "#dc92c4"],
};
const NO_PHASE = ["#a9aeb5", "#5f6168"] as const;

export interface PictureProps {
  tree: ScopeTree;
  ranked: Ranked;
  metric: ScopeMetric;
  root: number;
  view: string;
  byPhase: boolean;
  mask: Uint8Array | null;
  shown: number;
  onPeek: (row: number | null) => void;
  onPick: (row: number) => void;
  onZoom: (row: number) => void;
}

/** Flames or areas on a canvas: only what is wider than a pixel is drawn, however many there are. */
export function Picture(props: PictureProps) {
  const { tree, ranked, root, view } = props;
  const boxes = useRef<Box[]>([]);
  const kinds = useMemo(() => kindsOf(tree, ranked), [tree, ranked]);
  const height = view === "map" ? MAP_HEIGHT : Math.min(DEEPEST, depthOf(ranked, root)) * ROW + 2;
  const canvas = useCanvas((on) => {
    boxes.current =
      view === "map"
        ? areas(ranked, root, on.width, on.height, SMALLEST)
        : flames(ranked, root, on.width, ROW, NARROWEST, DEEPEST);
    draw(on, props, boxes.current, kinds);
  });
  const at = (event: MouseEvent): number | null => {
    const area = canvas.current!.getBoundingClientRect();
    const x = event.clientX - area.left;
    const y = event.clientY - area.top;
    // deeper boxes come later, and lie above
    for (let place = boxes.current.length - 1; place >= 0; place--) {
      const box = boxes.current[place]!;
      if (x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height) return box.row;
    }
    return null;
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "Enter") props.onZoom(props.shown);
    else if (event.key === "Escape" || event.key === "Backspace") props.onZoom(above(tree, ranked, root));
    else {
      const next = moved(event.key, tree, ranked, props.shown, root);
      if (next === null) return;
      props.onPick(next);
    }
    event.preventDefault();
  };
  return (
    <canvas
      ref={canvas}
      class="flame-canvas"
      style={{ height: `${height}px` }}
      tabIndex={0}
      role="application"
      aria-roledescription="chart"
      aria-label={`${props.metric.title} by scope. Arrows walk: down into a scope, up out of it, left and right beside it; Enter zooms in, Escape out. The table below has the same.`}
      onMouseMove={(event) => props.onPeek(at(event))}
      onMouseLeave={() => props.onPeek(null)}
      onClick={(event) => {
        const row = at(event);
        if (row !== null) props.onZoom(row === root ? above(tree, ranked, root) : row);
      }}
      onKeyDown={key}
    />
  );
}

function above(tree: ScopeTree, ranked: Ranked, row: number): number {
  const parent = row < tree.parent.length ? tree.parent[row]! : -1;
  if (parent >= 0) return parent;
  return ranked.first[ranked.all + 1]! - ranked.first[ranked.all]! === 1 ? row : ranked.all;
}

function moved(key: string, tree: ScopeTree, ranked: Ranked, row: number, root: number): number | null {
  const parent = row === root ? root : above(tree, ranked, row);
  const beside = ranked.children.subarray(ranked.first[parent]!, ranked.first[parent + 1]!);
  const place = beside.indexOf(row);
  switch (key) {
    case "ArrowDown":
      return ranked.first[row]! < ranked.first[row + 1]! ? ranked.children[ranked.first[row]!]! : row;
    case "ArrowUp":
      return parent;
    case "ArrowLeft":
      return beside[Math.max(0, place - 1)] ?? row;
    case "ArrowRight":
      return beside[Math.min(beside.length - 1, place + 1)] ?? row;
    default:
      return null;
  }
}

/** How many levels can be seen on a screen of usual width. */
function depthOf(ranked: Ranked, root: number): number {
  return flames(ranked, root, 1600, ROW, NARROWEST * 2, DEEPEST).reduce((most, box) => Math.max(most, box.depth + 1), 1);
}

/** Scopes right below the root have a colour each, which all inside them share: by cost. */
function kindsOf(tree: ScopeTree, ranked: Ranked): Uint8Array {
  const kinds = new Uint8Array(tree.parent.length + 1);
  const top = rootOf(ranked);
  const coloured = new Map<number, number>();
  ranked.children
    .subarray(ranked.first[top]!, ranked.first[top + 1]!)
    .forEach((row, place) => coloured.set(row, place % HUES.length));
  for (let row = 0; row < tree.parent.length; row++) {
    const own = coloured.get(row);
    kinds[row] = own ?? (tree.parent[row]! < 0 ? 0 : kinds[tree.parent[row]!]!);
  }
  return kinds;
}

function draw(on: Surface, props: PictureProps, boxes: Box[], kinds: Uint8Array) {
  const { ctx, width, height, colours } = on;
  const { tree, ranked, metric, mask, shown, root, byPhase, view } = props;
  ctx.clearRect(0, 0, width, height);
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  const whole = ranked.totals[root]!;
  const colour = (box: Box) => {
    const look = byPhase ? (PHASES[tree.phases[tree.phase[box.row] ?? 255] ?? ""] ?? NO_PHASE) : HUES[kinds[box.row] ?? 0]!;
    return look[colours.dark ? 1 : 0];
  };
  for (const box of boxes) {
    const inside = Math.max(0.5, box.width - 1);
    ctx.globalAlpha = 1;
    ctx.fillStyle = colours.paper;
    ctx.fillRect(box.x, box.y, inside, box.height - 1);
    // a level deeper is a little paler
    const strong = Math.max(0.2, 0.5 - 0.045 * box.depth);
    ctx.globalAlpha = box.row === root ? 0.12 : mask && !mask[box.row] ? strong * 0.25 : mask ? 0.75 : strong;
    ctx.fillStyle = box.row === root ? colours.faint : colour(box);
    ctx.fillRect(box.x, box.y, inside, box.height - 1);
    ctx.globalAlpha = 1;
    if (view === "map" && box.depth > 0) {
      ctx.strokeStyle = colours.paper;
      ctx.lineWidth = 1;
      ctx.strokeRect(box.x + 0.5, box.y + 0.5, inside, box.height - 1);
    }
    if (box.row === shown) {
      ctx.strokeStyle = colours.ink;
      ctx.lineWidth = 1.5;
      ctx.strokeRect(box.x + 0.75, box.y + 0.75, Math.max(1, inside - 1.5), box.height - 2.5);
    }
    label(box);
  }

  function label(box: Box) {
    if (box.width < 34 || box.height < 14) return;
    const value = written(ranked.totals[box.row]!, metric.unit);
    ctx.fillStyle = mask && !mask[box.row] ? colours.faint : colours.ink;
    const y = view === "map" ? box.y + 9 : box.y + box.height / 2;
    const text = fitted(ctx, nameOf(tree, box.row), box.width - 9);
    if (!text) return;
    ctx.fillText(text, box.x + 4, y);
    const used = ctx.measureText(text).width + 12;
    const said = `${value}  ${share(ranked.totals[box.row]!, whole)}`;
    if (text === nameOf(tree, box.row) && ctx.measureText(said).width + used + 4 < box.width) {
      ctx.fillStyle = colours.faint;
      ctx.fillText(said, box.x + used, y);
    }
  }
}
