import { useEffect } from "preact/hooks";
import type { Head } from "../payload";
import { linkTo } from "./address";

/** Keys of the whole page; whoever types into a field means the field. */
export function useKeys(head: Head, help: () => void, print: () => void): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "p" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        print();
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === "?") help();
      const kind = head.sections[Number(event.key) - 1];
      if (/^[1-9]$/.test(event.key) && kind) location.hash = linkTo(kind);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [head]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");
}
