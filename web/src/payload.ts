/** What `tfprof report` put into this file: `renderers/page/html.py` and `pack.py` are the other side. */

export interface Head {
  schema: "tfprof-page/1";
  title: string;
  subtitle: string;
  version: string;
  /** kinds of sections, in order */
  sections: string[];
  absent: { kind: string; why: string }[];
  notes: string[];
}

export type Column =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

const ARRAYS = {
  u1: Uint8Array,
  i1: Int8Array,
  u2: Uint16Array,
  i2: Int16Array,
  u4: Uint32Array,
  i4: Int32Array,
  f4: Float32Array,
  f8: Float64Array,
} as const;

export function readHead(): Head {
  const text = document.getElementById("tfprof-head")?.textContent;
  if (!text) throw new Error("there is no profile in this page");
  return JSON.parse(text) as Head;
}

/** Unpacked when somebody looks at the section: a page opens as fast as its first one. */
export async function readSection<Data>(kind: string): Promise<Data> {
  const text = document.getElementById(`tfprof-${kind}`)?.textContent ?? "";
  return unpacked(await inflated(fromBase64(text))) as Data;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

export async function inflated(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

/** JSON, with typed arrays where columns stand. */
export function unpacked(buffer: ArrayBuffer): unknown {
  const length = new DataView(buffer).getUint32(0, true);
  const text = new TextDecoder().decode(new Uint8Array(buffer, 4, length));
  const start = (4 + length + 7) & ~7;
  return JSON.parse(text, (_key, value: unknown) => {
    if (value !== null && typeof value === "object" && "$column" in value) {
      const [type, offset, count] = value.$column as [keyof typeof ARRAYS, number, number];
      return new ARRAYS[type](buffer, start + offset, count);
    }
    return value;
  });
}
