import type { Column } from "../payload";

/** What Python put together (`results/model_graph.py`): rows of a tree in preorder, the root first. */
export interface GraphColumns {
  of: "ops" | "layers";
  labels: string[];
  label: Column;
  /** how many rows before it its scope stands */
  parent: Column;
  kind: Uint8Array;
  op: Column;
  ops: string[];
  device: Column;
  devices: string[];
  metrics: MetricColumns[];
  data: EdgeColumns;
  control: EdgeColumns;
  notes: string[];
  /** how many nodes a scope stands for that are no rows of their own, where there are such */
  inside?: Uint32Array;
}

export interface MetricColumns {
  key: string;
  title: string;
  unit: "count" | "bytes" | "microseconds";
  about: string;
  why: string;
  total?: Float64Array;
  partly?: Uint8Array;
}

export interface EdgeColumns {
  target: Column;
  before: Column;
  shape: Column;
  shapes: string[];
}

export interface Edges {
  source: Uint32Array;
  target: Uint32Array;
  shape: Column;
  shapes: string[];
}

export const ROOT = 0;
export const NODE = 0;
export const SCOPE = 1;
export const GROUP = 2;

export class Model {
  readonly count: number;
  readonly parent: Int32Array;
  readonly depth: Uint16Array;
  /** the row behind all that stand in a row */
  readonly end: Uint32Array;
  /** how many nodes stand in a row; of a node 1 */
  readonly nodes: Uint32Array;
  readonly data: Edges;
  readonly control: Edges;

  constructor(readonly columns: GraphColumns) {
    const count = columns.label.length;
    this.count = count;
    this.parent = new Int32Array(count);
    this.depth = new Uint16Array(count);
    this.end = new Uint32Array(count);
    this.nodes = new Uint32Array(count);
    this.parent[ROOT] = -1;
    for (let row = 1; row < count; row++) {
      const parent = row - columns.parent[row]!;
      this.parent[row] = parent;
      this.depth[row] = this.depth[parent]! + 1;
    }
    // from the inside out: who stands in a row comes after it
    for (let row = count - 1; row >= 0; row--) {
      this.end[row] = Math.max(this.end[row]!, row + 1);
      this.nodes[row]! += columns.kind[row] === NODE ? 1 : (columns.inside?.[row] ?? 0);
      const parent = this.parent[row]!;
      if (parent >= 0) {
        this.end[parent] = Math.max(this.end[parent]!, this.end[row]!);
        this.nodes[parent]! += this.nodes[row]!;
      }
    }
    this.data = decoded(columns.data);
    this.control = decoded(columns.control);
  }

  kind(row: number): number {
    return this.columns.kind[row]!;
  }

  label(row: number): string {
    return row === ROOT ? "the whole model" : this.columns.labels[this.columns.label[row]!]!;
  }

  op(row: number): string {
    return this.columns.ops[this.columns.op[row]!]!;
  }

  device(row: number): string {
    return this.columns.devices[this.columns.device[row]!]!;
  }

  isOpenable(row: number): boolean {
    return this.columns.kind[row] !== NODE && this.end[row]! > row + 1;
  }

  children(row: number): number[] {
    const found: number[] = [];
    for (let at = row + 1; at < this.end[row]!; at = this.end[at]!) found.push(at);
    return found;
  }

  /** the scopes and groups around a row, the root first */
  around(row: number): number[] {
    const found: number[] = [];
    for (let at = this.parent[row]!; at >= 0; at = this.parent[at]!) found.push(at);
    return found.reverse();
  }

  /** with the scopes around it; groups are no part of a name, but for one that is meant itself */
  name(row: number): string {
    const parts: string[] = this.kind(row) === GROUP ? [`[${this.label(row)}]`] : [];
    for (let at = row; at > ROOT; at = this.parent[at]!) {
      if (this.kind(at) !== GROUP) parts.push(this.label(at));
    }
    return parts.length > 1 && this.kind(row) === GROUP
      ? [...parts.slice(1).reverse(), parts[0]].join("/")
      : parts.reverse().join("/");
  }

  /** the row of such a name; -1 if there is none */
  find(name: string): number {
    const waiting: [number, string][] = [[ROOT, name]];
    while (waiting.length) {
      const [scope, rest] = waiting.pop()!;
      for (const child of this.children(scope)) {
        const label = this.label(child);
        if (this.kind(child) === GROUP) {
          if (rest === `[${label}]`) return child;
          waiting.push([child, rest]);
        } else if (rest === label) return child;
        else if (rest.startsWith(`${label}/`)) waiting.push([child, rest.slice(label.length + 1)]);
      }
    }
    return -1;
  }
}

function decoded(columns: EdgeColumns): Edges {
  const count = columns.target.length;
  const source = new Uint32Array(count);
  const target = new Uint32Array(count);
  let at = 0;
  for (let edge = 0; edge < count; edge++) {
    at += columns.target[edge]!;
    target[edge] = at;
    source[edge] = at - columns.before[edge]!;
  }
  return { source, target, shape: columns.shape, shapes: columns.shapes };
}
