/** Whether the page is on its way to paper: then all of it is there, in light colours. */

import { signal } from "@preact/signals";
import { useSyncedSignal } from "./signals";

export const printing = signal(false);

addEventListener("beforeprint", () => {
  printing.value = true;
});
addEventListener("afterprint", () => {
  printing.value = false;
});

export function usePrinting(): boolean {
  return useSyncedSignal(printing);
}
