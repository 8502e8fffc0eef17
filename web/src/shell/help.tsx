import { useEffect, useRef } from "preact/hooks";
import type { Head } from "../payload";
import { sections } from "../section";
import { titleOf } from "./shown";

const KEYS = [
  ["1 – 9", "go to a section"],
  ["← →", "between sections, once one of their links has the focus"],
  ["Tab", "everything that can be used, in order"],
  ["Enter", "opens what has the focus"],
  ["Esc", "closes this, or a menu"],
  ["?", "this help"],
] as const;
const SIGNS = [
  ["?", "not known; where it stands, or on hover, it says why"],
  ["~", "an estimate"],
  ["≥", "at least: a part of it is not known"],
  ["striped", "no data, which is something else than cheap"],
] as const;

/** All of it rides along: the page asks nobody. */
export function Help({ head, onClose }: { head: Head; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const helped = head.sections.filter((kind) => sections.get(kind)?.help);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" onClose={onClose}>
      <form method="dialog">
        <h2 id="help-title">Help</h2>
        <button type="submit" aria-label="Close">
          ×
        </button>
      </form>
      {helped.length > 0 && (
        <>
          <h3>Sections</h3>
          <Terms of={helped.map((kind) => [titleOf(kind), sections.get(kind)!.help!] as const)} />
        </>
      )}
      <h3>Keys</h3>
      <Terms of={KEYS} />
      <h3>Signs</h3>
      <Terms of={SIGNS} />
      <p class="faint">
        Sizes are decimal: 1 MB is 1,000,000 bytes. A link in the address bar leads back to what is
        shown. This file holds all of its data and asks no server for anything.
      </p>
    </dialog>
  );
}

function Terms({ of }: { of: readonly (readonly [string, string])[] }) {
  return (
    <dl>
      {of.map(([term, said]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{said}</dd>
        </div>
      ))}
    </dl>
  );
}
