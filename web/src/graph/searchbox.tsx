import { useMemo, useState } from "preact/hooks";
import * as format from "../format";
import { type Model, NODE } from "./model";
import { search } from "./search";

/** A part of a name, and where it is found; Enter or a click goes there. */
export function Search({ model, select }: { model: Model; select: (row: number) => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const hits = useMemo(() => search(model, text), [model, text]);
  const chosen = Math.min(at, hits.rows.length - 1);
  const goTo = (row: number | undefined) => {
    if (row === undefined) return;
    select(row);
    setText("");
  };
  const key = (event: KeyboardEvent) => {
    const keys: Record<string, () => void> = {
      ArrowDown: () => setAt(Math.min(chosen + 1, hits.rows.length - 1)),
      ArrowUp: () => setAt(Math.max(chosen - 1, 0)),
      Enter: () => goTo(hits.rows[chosen]),
      Escape: () => setText(""),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]!();
  };
  return (
    <span class="graph-search">
      <input
        type="search"
        placeholder={`Search ${format.exact(model.nodes[0])} ${model.columns.of}`}
        aria-label="Search by name or op"
        list={undefined}
        role="combobox"
        aria-expanded={hits.rows.length > 0}
        aria-controls="graph-hits"
        aria-activedescendant={hits.rows.length ? `graph-hit-${chosen}` : undefined}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={key}
      />
      {text.trim() !== "" && (
        <div class="graph-hits">
          <div class="graph-more" role="status">
            {hits.total ? `${format.exact(hits.total)} found` : "nothing found"}
          </div>
          <div id="graph-hits" role="listbox" aria-label="Found">
            {hits.rows.map((row, number) => (
              <div
                key={row}
                id={`graph-hit-${number}`}
                role="option"
                aria-selected={number === chosen}
                class="graph-hit"
                title={model.name(row).slice(0, 400)}
                onMouseDown={(event) => {
                  event.preventDefault();
                  goTo(row);
                }}
              >
                <span>{model.name(row)}</span>
                <small>{model.kind(row) === NODE ? model.op(row) : "scope"}</small>
              </div>
            ))}
          </div>
        </div>
      )}
    </span>
  );
}
