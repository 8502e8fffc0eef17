/** Whether this page has a section: a link to one that it has not leads nowhere. */
import { readHead } from "./payload";

let kinds: ReadonlySet<string> | undefined;

export function isShown(kind: string): boolean {
  kinds ??= new Set(readHead().sections);
  return kinds.has(kind);
}
