import { useEffect, useRef, useState } from "preact/hooks";
import { usePrinting } from "./parts/printing";
import type { Head } from "./payload";
import { addressOf } from "./shell/address";
import { Header } from "./shell/header";
import { Help } from "./shell/help";
import { useKeys } from "./shell/keys";
import { Navigation } from "./shell/navigation";
import { printAll, readAhead } from "./shell/paper";
import { Shown, titleOf } from "./shell/shown";
import "./shell/shell.css";

export function App({ head }: { head: Head }) {
  const printing = usePrinting();
  const at = useAddress(head.sections[0] ?? "");
  const [helping, setHelping] = useState(false);
  const content = useRef<HTMLElement>(null);
  const print = () => void printAll(head);
  useKeys(head, () => setHelping(true), print);
  useEffect(() => readAhead(head), [head]);
  useEffect(() => {
    document.title = `${titleOf(at.kind)} · ${head.title} · tfprof`;
  }, [at.kind]);

  const shown = printing ? head.sections.map((kind) => ({ kind, place: "" })) : [at];
  return (
    <>
      <a
        class="skip"
        href="#content"
        onClick={(event) => {
          event.preventDefault(); // the address is that of a section
          content.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header head={head} onHelp={() => setHelping(true)} onPrint={print} />
      <Navigation head={head} current={at.kind} />
      <Notes notes={head.notes} />
      <main id="content" tabIndex={-1} ref={content}>
        {shown.map((one) => (
          <section key={one.kind} aria-labelledby={`title-${one.kind}`}>
            <h2 id={`title-${one.kind}`} class={printing ? undefined : "unseen"}>
              {titleOf(one.kind)}
            </h2>
            <Shown head={head} at={one} />
          </section>
        ))}
      </main>
      <footer>
        made by tfprof {head.version} · all data is in this file, no server is asked · press ? for help
      </footer>
      {helping && <Help head={head} onClose={() => setHelping(false)} />}
    </>
  );
}

function useAddress(first: string) {
  const [at, setAt] = useState(() => addressOf(location.hash, first));
  useEffect(() => {
    const moved = () => setAt(addressOf(location.hash, first));
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, [first]);
  // another section begins at its top
  useEffect(() => scrollTo(0, 0), [at.kind]);
  return at;
}

/** What there is to say about the whole page: one is read at once, several when asked for. */
function Notes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  if (notes.length === 1) return <p class="notes">{notes[0]}</p>;
  return (
    <details class="notes">
      <summary>{notes.length} notes</summary>
      <ul>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </details>
  );
}
