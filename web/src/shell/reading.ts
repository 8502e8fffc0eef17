/** The data of sections: unpacked once, when somebody looks at it. */

import { useEffect, useState } from "preact/hooks";
import { readSection } from "../payload";

export type Reading = { data: unknown } | { fault: string } | null;

const started = new Map<string, Promise<Reading>>();
const finished = new Map<string, Reading>();

export function read(kind: string): Promise<Reading> {
  let reading = started.get(kind);
  if (!reading) {
    reading = readSection(kind).then(
      (data): Reading => ({ data }),
      (fault: unknown): Reading => ({ fault: `the data of this section cannot be read: ${String(fault)}` }),
    );
    void reading.then((done) => finished.set(kind, done));
    started.set(kind, reading);
  }
  return reading;
}

/** Null while it is being unpacked. */
export function useReading(kind: string): Reading {
  const [, again] = useState(0);
  useEffect(() => {
    let wanted = true;
    void read(kind).then(() => wanted && again((count) => count + 1));
    return () => {
      wanted = false;
    };
  }, [kind]);
  return finished.get(kind) ?? null;
}
