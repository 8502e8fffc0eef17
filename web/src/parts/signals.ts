import type { ReadonlySignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";

/** The value of a signal, for components: they are drawn again when it changes. */
export function useSyncedSignal<T>(source: ReadonlySignal<T>): T {
  const [value, setValue] = useState(() => source.peek());
  useEffect(() => source.subscribe((next) => setValue(() => next)), [source]);
  return value;
}
