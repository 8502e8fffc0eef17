/** A tree of scopes for one metric: children by cost, and boxes for what is wide enough to be seen. */
import type { ScopeTree } from "../results";

export interface Ranked {
  /** children of a row are `children[first[row]] … children[first[row + 1] - 1]`, what costs most first */
  first: Uint32Array;
  children: Uint32Array;
  totals: Float64Array;
  /** a row that stands for all, with the roots as its children: one more than there are rows */
  all: number;
}

/** Sorted once for a metric: what is narrower than a pixel is then never looked at. */
export function ranked(parent: Int32Array, own: Float64Array): Ranked {
  const all = parent.length;
  const totals = new Float64Array(all + 1);
  totals.set(own);
  const first = new Uint32Array(all + 2);
  const above = (row: number) => (parent[row]! < 0 ? all : parent[row]!);
  for (let row = 0; row < all; row++) {
    first[above(row) + 1]!++;
    if (parent[row]! < 0) totals[all]! += own[row]!;
  }
  for (let row = 0; row <= all; row++) first[row + 1]! += first[row]!;
  const children = new Uint32Array(all);
  const next = first.slice();
  for (let row = 0; row < all; row++) children[next[above(row)]!++] = row;
  for (let row = 0; row <= all; row++) {
    const from = first[row]!;
    const to = first[row + 1]!;
    if (to - from > 1) children.subarray(from, to).sort((one, other) => totals[other]! - totals[one]! || one - other);
  }
  return { first, children, totals, all };
}

/** Where everything begins: the only root, or a row that stands for all of them. */
export function rootOf(tree: Ranked): number {
  const roots = tree.first[tree.all + 1]! - tree.first[tree.all]!;
  return roots === 1 ? tree.children[tree.first[tree.all]!]! : tree.all;
}

export interface Box {
  row: number;
  depth: number;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Each box below the one it is part of, as wide as its part; nothing too narrow or too deep. */
export function flames(tree: Ranked, root: number, width: number, row: number, narrowest: number, deepest = 40): Box[] {
  const boxes: Box[] = [{ row: root, depth: 0, x: 0, y: 0, width, height: row }];
  for (let at = 0; at < boxes.length; at++) {
    const box = boxes[at]!;
    if (box.depth + 1 >= deepest) continue;
    const whole = tree.totals[box.row]!;
    let x = box.x;
    for (let place = tree.first[box.row]!; place < tree.first[box.row + 1]!; place++) {
      const child = tree.children[place]!;
      const wide = whole > 0 ? (box.width * tree.totals[child]!) / whole : 0;
      if (wide < narrowest) break;
      boxes.push({ row: child, depth: box.depth + 1, x, y: (box.depth + 1) * row, width: wide, height: row });
      x += wide;
    }
  }
  return boxes;
}

const HEAD = 17;
const EDGE = 2;

/** Areas within areas; a scope has its name above its parts where there is room for both. */
export function areas(tree: Ranked, root: number, width: number, height: number, smallest: number): Box[] {
  const boxes: Box[] = [{ row: root, depth: 0, x: 0, y: 0, width, height }];
  for (let at = 0; at < boxes.length; at++) {
    const box = boxes[at]!;
    const inner = { x: box.x + EDGE, y: box.y + HEAD, width: box.width - 2 * EDGE, height: box.height - HEAD - EDGE };
    if (inner.width < 8 || inner.height < 8) continue;
    squarified(tree, box, inner, smallest, boxes);
  }
  return boxes;
}

interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Rows of areas that are as square as can be, along the shorter side of what is left. */
function squarified(tree: Ranked, box: Box, inner: Place, smallest: number, boxes: Box[]): void {
  const whole = tree.totals[box.row]!;
  const scale = whole > 0 ? (inner.width * inner.height) / whole : 0;
  const last = tree.first[box.row + 1]!;
  let from = tree.first[box.row]!;
  let room = inner;
  while (from < last && room.width > 1 && room.height > 1) {
    const short = Math.min(room.width, room.height);
    const area = (place: number) => tree.totals[tree.children[place]!]! * scale;
    if (area(from) < smallest) return;
    let to = from + 1;
    let sum = area(from);
    let worst = ratio(sum, sum, sum, short);
    while (to < last) {
      const more = area(to);
      const then = ratio(area(from), more, sum + more, short);
      if (more < smallest || then > worst) break;
      worst = then;
      sum += more;
      to++;
    }
    const thick = sum / short;
    let along = 0;
    for (let place = from; place < to; place++) {
      const long = area(place) / thick;
      const lies = room.width >= room.height;
      boxes.push({
        row: tree.children[place]!,
        depth: box.depth + 1,
        x: lies ? room.x : room.x + along,
        y: lies ? room.y + along : room.y,
        width: lies ? thick : long,
        height: lies ? long : thick,
      });
      along += long;
    }
    room =
      room.width >= room.height
        ? { ...room, x: room.x + thick, width: room.width - thick }
        : { ...room, y: room.y + thick, height: room.height - thick };
    from = to;
  }
}

/** How far the flattest of a row is from a square: areas from `most` to `least`, together `sum`. */
function ratio(most: number, least: number, sum: number, side: number): number {
  const square = (side * side) / (sum * sum);
  return Math.max(square * most, 1 / (square * least));
}

/** From the root down to a row. */
export function pathTo(parent: Int32Array, row: number): number[] {
  const path: number[] = [];
  for (let at = row; at >= 0 && at < parent.length; at = parent[at]!) path.unshift(at);
  return path;
}

export function nameOf(tree: ScopeTree, row: number): string {
  if (row >= tree.names.length || (tree.parent[row]! < 0 && tree.names[row]!.startsWith("_TFProf"))) return "all";
  return tree.names[row]!;
}

/** With the scopes around it. */
export function wholeName(tree: ScopeTree, row: number): string {
  return pathTo(tree.parent, row).map((one) => nameOf(tree, one)).filter((name, at) => at > 0 || name !== "all").join("/") || "all";
}

/** Rows whose names have the words; a mask, since there are many. */
export function found(tree: ScopeTree, words: string): Uint8Array | null {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return null;
  const mask = new Uint8Array(tree.names.length + 1);
  const whole = wanted.includes("/");
  for (let row = 0; row < tree.names.length; row++) {
    const name = whole ? wholeName(tree, row) : tree.names[row]!;
    if (name.toLowerCase().includes(wanted)) mask[row] = 1;
  }
  return mask;
}

/** What of the whole the found rows are, those inside others counted once. */
export function foundTotal(tree: ScopeTree, totals: Float64Array, mask: Uint8Array): { rows: number; total: number } {
  let rows = 0;
  let total = 0;
  const inside = new Uint8Array(mask.length);
  for (let row = 0; row < tree.names.length; row++) {
    const above = tree.parent[row]!;
    const covered = above >= 0 && (inside[above] || mask[above]);
    if (covered) inside[row] = 1;
    if (!mask[row]) continue;
    rows++;
    if (!covered) total += totals[row]!;
  }
  return { rows, total };
}
