import { useEffect, useRef, useState } from "preact/hooks";
import type { Head } from "../payload";
import { linkTo } from "./address";
import { titleOf } from "./shown";

/** Links to all sections; on a narrow screen, a menu that says which one is shown. */
export function Navigation({ head, current }: { head: Head; current: string }) {
  const [open, setOpen] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => setOpen(false), [current]);

  const keys = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") setOpen(false);
    if (step === undefined) return;
    const links = [...(list.current?.querySelectorAll("a") ?? [])];
    const here = links.indexOf(document.activeElement as HTMLAnchorElement);
    links[(here + step + links.length) % links.length]?.focus();
    event.preventDefault();
  };
  return (
    <nav aria-label="Sections" class="sections" onKeyDown={keys}>
      <button type="button" class="sections-menu" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span aria-hidden="true">☰ </span>
        {titleOf(current)}
      </button>
      <ul ref={list} class={open ? "open" : undefined} onClick={() => setOpen(false)}>
        {head.sections.map((kind, at) => (
          <li key={kind}>
            <a
              href={linkTo(kind)}
              aria-current={kind === current ? "page" : undefined}
              title={at < 9 ? `key ${at + 1}` : undefined}
            >
              {titleOf(kind)}
            </a>
          </li>
        ))}
        {head.absent.map(({ kind, why }) => (
          <li key={kind} class="absent">
            <a
              href={linkTo(kind)}
              title={why.slice(0, 300)}
              aria-current={kind === current ? "page" : undefined}
            >
              {titleOf(kind)}
              <span class="unseen"> (nothing to show)</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
