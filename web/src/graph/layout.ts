import { Graph, layout as dagre } from "@dagrejs/dagre";

/** A scope that is open: boxes, some of them open again, and the bundles between them. */
export interface Plan {
  row: number;
  boxes: { row: number; width: number; height: number; inside?: Plan }[];
  edges: { from: number; to: number; label: string }[];
}

export interface PlacedBox {
  row: number;
  x: number;
  y: number;
  width: number;
  height: number;
  inside?: Placed;
}

export interface PlacedEdge {
  from: number;
  to: number;
  points: [number, number][];
  label: [number, number];
}

export interface Placed {
  row: number;
  width: number;
  height: number;
  boxes: PlacedBox[];
  edges: PlacedEdge[];
}

export const HEADER = 26;
export const PADDING = 14;
const GAP = 18;
const LETTER = 6.2;

/** From the inside out: a box that is open is as large as what is in it. */
export function placed(plan: Plan): Placed {
  const sized = plan.boxes.map((box) => {
    const inside = box.inside ? placed(box.inside) : undefined;
    return inside
      ? {
          row: box.row,
          width: Math.max(box.width, inside.width + 2 * PADDING),
          height: inside.height + HEADER + PADDING,
          inside,
        }
      : { row: box.row, width: box.width, height: box.height };
  });
  const joined = new Set(plan.edges.flatMap((edge) => [edge.from, edge.to]));
  const flow = inLayers(
    sized.filter((box) => joined.has(box.row)),
    plan.edges,
  );
  const beside = inRows(
    sized.filter((box) => !joined.has(box.row)),
    flow.height,
  );
  const left = flow.width && beside.width ? flow.width + 2 * GAP : 0;
  for (const box of beside.boxes) box.x += left;
  return {
    row: plan.row,
    width: left ? left + beside.width : flow.width + beside.width,
    height: Math.max(flow.height, beside.height),
    boxes: [...flow.boxes, ...beside.boxes],
    edges: flow.edges,
  };
}

type Sized = Omit<PlacedBox, "x" | "y">;

function inLayers(boxes: Sized[], edges: Plan["edges"]) {
  if (!boxes.length) return { width: 0, height: 0, boxes: [] as PlacedBox[], edges: [] as PlacedEdge[] };
  const graph = new Graph({ multigraph: false, compound: false });
  graph.setGraph({ rankdir: "TB", nodesep: GAP, ranksep: 30, edgesep: 10 });
  for (const box of boxes) graph.setNode(String(box.row), { width: box.width, height: box.height });
  for (const { from, to, label } of edges) {
    const words = label ? { width: label.length * LETTER + 8, height: 14, labelpos: "c" } : {};
    graph.setEdge(String(from), String(to), { ...words });
  }
  dagre(graph);
  const drawn = boxes.map((box): PlacedBox => {
    const { x, y } = graph.node(String(box.row)) as { x: number; y: number };
    return { ...box, x: x - box.width / 2, y: y - box.height / 2 };
  });
  const lines = edges.map(({ from, to }): PlacedEdge => {
    const line = graph.edge(String(from), String(to)) as {
      points: { x: number; y: number }[];
      x?: number;
      y?: number;
    };
    const middle = line.points[line.points.length >> 1]!;
    return {
      from,
      to,
      points: line.points.map(({ x, y }) => [x, y]),
      label: [line.x ?? middle.x, line.y ?? middle.y],
    };
  });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return { width, height, boxes: drawn, edges: lines };
}

/** What nothing is known to flow into or out of: rows beside the rest, about as wide as high. */
function inRows(boxes: Sized[], beside: number) {
  const area = boxes.reduce((sum, box) => sum + (box.width + GAP) * (box.height + GAP), 0);
  const most = Math.max(beside ? area / beside : Math.sqrt(area * 2.2), ...boxes.map((box) => box.width));
  const found: PlacedBox[] = [];
  let [x, y, row, width] = [0, 0, 0, 0];
  for (const box of boxes) {
    if (x && x + box.width > most) {
      y += row + GAP;
      x = row = 0;
    }
    found.push({ ...box, x, y });
    x += box.width + GAP;
    width = Math.max(width, x - GAP);
    row = Math.max(row, box.height);
  }
  return { width, height: boxes.length ? y + row : 0, boxes: found };
}
