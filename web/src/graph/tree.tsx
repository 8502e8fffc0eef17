import { useEffect, useRef } from "preact/hooks";
import type { MetricColumns, Model } from "./model";
import { ROOT } from "./model";
import { linesOf } from "./plan";

interface TreeProps {
  model: Model;
  open: ReadonlySet<number>;
  metric: MetricColumns | undefined;
  selected: number;
  select: (row: number) => void;
  toggle: (row: number) => void;
}

const MOST = 400;

/** The open scopes as a list: the same as the picture, for keys and for screen readers. */
export function Tree({ model, open, metric, selected, select, toggle }: TreeProps) {
  const list = useRef<HTMLDivElement>(null);
  const rows = listed(model, open);
  const shown = around(rows, selected);
  const current = rows.includes(selected) ? selected : (rows[0] ?? -1);
  const moved = useRef(false);
  useEffect(() => {
    const item = list.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (moved.current) item?.focus();
    else if (list.current && item) {
      // near what is selected, without moving the page
      const { offsetTop } = item;
      if (offsetTop < list.current.scrollTop || offsetTop > list.current.scrollTop + list.current.clientHeight - 40)
        list.current.scrollTop = offsetTop - list.current.clientHeight / 2;
    }
    moved.current = false;
  }, [selected]);
  const to = (row: number | undefined) => {
    if (row === undefined || row < 1) return;
    moved.current = true;
    select(row);
  };
  const key = (event: KeyboardEvent) => {
    const at = rows.indexOf(current);
    const inside = open.has(current);
    const keys: Record<string, () => void> = {
      ArrowDown: () => to(rows[at + 1]),
      ArrowUp: () => to(rows[at - 1]),
      Home: () => to(rows[0]),
      End: () => to(rows[rows.length - 1]),
      ArrowRight: () => (inside ? to(rows[at + 1]) : model.isOpenable(current) && toggle(current)),
      ArrowLeft: () => (inside ? toggle(current) : to(model.parent[current])),
      Enter: () => (model.isOpenable(current) ? toggle(current) : select(current)),
      " ": () => select(current),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]!();
  };
  return (
    <div class="graph-tree" role="tree" aria-label="Open scopes with their costs" ref={list} onKeyDown={key}>
      {shown.map((row) => {
        const [label, below] = linesOf(model, metric, row, false);
        const openable = model.isOpenable(row);
        return (
          <div
            key={row}
            role="treeitem"
            aria-level={model.depth[row]!}
            aria-expanded={openable ? open.has(row) : undefined}
            aria-selected={row === selected}
            tabIndex={row === current ? 0 : -1}
            class="graph-item"
            style={{ paddingLeft: `${0.4 + 0.8 * (model.depth[row]! - 1)}rem` }}
            onClick={() => select(row)}
            onDblClick={() => openable && toggle(row)}
          >
            <span
              class="graph-mark"
              aria-hidden="true"
              onClick={(event) => {
                event.stopPropagation();
                if (openable) toggle(row);
              }}
            >
              {openable ? (open.has(row) ? "▾" : "▸") : "·"}
            </span>
            <span class="graph-item-name" title={label.slice(0, 400)}>
              {label}
            </span>
            <span class="graph-item-cost">{below}</span>
          </div>
        );
      })}
      {rows.length > shown.length && (
        <div class="graph-more" role="none">{`${rows.length - shown.length} more: close a scope, or search`}</div>
      )}
    </div>
  );
}

export function listed(model: Model, open: ReadonlySet<number>): number[] {
  const found: number[] = [];
  const waiting = model.children(ROOT).reverse();
  while (waiting.length) {
    const row = waiting.pop()!;
    found.push(row);
    if (open.has(row)) waiting.push(...model.children(row).reverse());
  }
  return found;
}

function around(rows: number[], selected: number): number[] {
  if (rows.length <= MOST) return rows;
  const at = Math.max(0, Math.min(rows.indexOf(selected) - MOST / 2, rows.length - MOST));
  return rows.slice(at, at + MOST);
}
