import type { Edges, Model } from "./model";

/** All edges between two boxes that stand in one scope, drawn as one. */
export interface Bundle {
  from: number;
  to: number;
  count: number;
  /** what flows, if all of them carry the same shape; "" if shapes differ or none is known */
  shape: string;
}

/**
 * An edge is drawn in the innermost scope that both ends stand in, between the two boxes there that hold
 * them: that does not depend on what is open, so it is worked out once for all scopes.
 */
export class Bundles {
  private readonly from: Uint32Array;
  private readonly to: Uint32Array;
  private readonly first: Uint32Array;
  private readonly order: Uint32Array;
  private readonly found = new Map<number, Bundle[]>();

  constructor(
    model: Model,
    private readonly edges: Edges,
  ) {
    const { source, target } = edges;
    const { parent, depth } = model;
    const count = source.length;
    this.from = new Uint32Array(count);
    this.to = new Uint32Array(count);
    const scope = new Uint32Array(count);
    this.first = new Uint32Array(model.count + 2);
    for (let edge = 0; edge < count; edge++) {
      let one = source[edge]!;
      let other = target[edge]!;
      while (depth[one]! > depth[other]!) one = parent[one]!;
      while (depth[other]! > depth[one]!) other = parent[other]!;
      while (parent[one] !== parent[other]) {
        one = parent[one]!;
        other = parent[other]!;
      }
      this.from[edge] = one;
      this.to[edge] = other;
      // of a loop onto itself nothing is drawn: it goes behind all scopes
      scope[edge] = one === other ? model.count : parent[one]!;
      this.first[scope[edge]! + 1]! += 1;
    }
    for (let row = 0; row <= model.count; row++) this.first[row + 1]! += this.first[row]!;
    this.order = new Uint32Array(count);
    const next = this.first.slice();
    for (let edge = 0; edge < count; edge++) this.order[next[scope[edge]!]!++] = edge;
  }

  of(scope: number): Bundle[] {
    const known = this.found.get(scope);
    if (known) return known;
    const pairs = new Map<string, Bundle>();
    for (let at = this.first[scope]!; at < this.first[scope + 1]!; at++) {
      const edge = this.order[at]!;
      const from = this.from[edge]!;
      const to = this.to[edge]!;
      const number = this.edges.shape[edge]!;
      const shape = number ? this.edges.shapes[number]! : "";
      const bundle = pairs.get(`${from} ${to}`);
      if (!bundle) pairs.set(`${from} ${to}`, { from, to, count: 1, shape });
      else {
        bundle.count += 1;
        if (bundle.shape !== shape) bundle.shape = "";
      }
    }
    const made = [...pairs.values()];
    this.found.set(scope, made);
    return made;
  }
}

/** Who reads a row or what is in it from outside, and whom it reads: edges by their other end. */
export function neighbours(model: Model, edges: Edges, row: number, most: number) {
  const end = model.end[row]!;
  const inputs: { row: number; shape: string }[] = [];
  const outputs: { row: number; shape: string }[] = [];
  let reads = 0;
  let readers = 0;
  for (let edge = 0; edge < edges.source.length; edge++) {
    const source = edges.source[edge]!;
    const target = edges.target[edge]!;
    const from = source >= row && source < end;
    const to = target >= row && target < end;
    if (from === to) continue;
    const shape = edges.shape[edge] ? edges.shapes[edges.shape[edge]!]! : "?";
    if (to && ++reads <= most) inputs.push({ row: source, shape });
    if (from && ++readers <= most) outputs.push({ row: target, shape });
  }
  return { inputs, outputs, reads, readers };
}
