/** All sections on paper: a browser that is told to print does not wait until they are unpacked. */

import { printing } from "../parts/printing";
import type { Head } from "../payload";
import { read } from "./reading";

const SOON = 1000;

export async function printAll(head: Head): Promise<void> {
  await Promise.all(head.sections.map(read));
  printing.value = true;
  // charts draw themselves once they are in the document
  await new Promise((ready) => setTimeout(ready, SOON));
  print();
}

/** Small ones are unpacked while nobody waits: the browser's own menu prints them, too. */
export function readAhead(head: Head): void {
  const small = head.sections.filter((kind) => sizeOf(kind) < 500_000);
  const next = () => {
    const kind = small.shift();
    if (kind) void read(kind).then(() => setTimeout(next, 50));
  };
  setTimeout(next, SOON);
}

function sizeOf(kind: string): number {
  return document.getElementById(`tfprof-${kind}`)?.textContent?.length ?? 0;
}
