/**
 * Rows that are sorted by a click and found by typing. Only those in view are in the document, so that a
 * hundred thousand scroll as well as ten.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { exact, UNKNOWN } from "../format";
import { type Cell, inView, matching, ordered } from "./order";
import { usePrinting } from "./printing";
import "./table.css";

export interface TableColumn<Row> {
  key: string;
  title: string;
  /** what is sorted by, and searched */
  value: (row: Row) => Cell;
  /** how it is written; without it, as it is */
  show?: (row: Row) => ComponentChildren;
  /** numbers stand at the end of their cell */
  number?: boolean;
  /** of CSS: "8rem"; a column without shares what is left */
  width?: string;
  /** left out on a narrow screen */
  secondary?: boolean;
  hint?: string;
}

export interface TableProps<Row> {
  label: string;
  rows: ArrayLike<Row>;
  columns: readonly TableColumn<Row>[];
  /** key of the column that it is sorted by at first; without one, as the rows come */
  by?: string;
  ascending?: boolean;
  /** the field to type in; tables of few rows have none unless told */
  search?: boolean;
  /** what is typed in at first, and who wants to know what was typed */
  query?: string;
  onQuery?: (query: string) => void;
  /** in rows; more are scrolled */
  tall?: number;
  isPicked?: (row: Row) => boolean;
  onPick?: (row: Row) => void;
}

const ROW = 28;
const PRINTED = 60;
const FEW = 12;
const LONGEST = 600;

export function Table<Row>(props: TableProps<Row>) {
  const { rows, columns, tall = 16 } = props;
  const printing = usePrinting();
  const [by, setBy] = useState(props.by);
  const [descending, setDescending] = useState(props.by !== undefined && !props.ascending);
  const [query, setQuery] = useState(props.query ?? "");
  const [scrolled, setScrolled] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => setQuery(props.query ?? ""), [props.query]);

  const texts = useMemo(() => searchable(rows, columns), [rows, columns]);
  const found = useMemo(() => matching(texts, query), [texts, query]);
  const order = useMemo(() => {
    const column = columns.find((one) => one.key === by);
    if (!column) return found;
    return ordered(Array.from(rows, column.value), found, descending);
  }, [rows, columns, found, by, descending]);

  const sortBy = (column: TableColumn<Row>) => {
    setDescending(by === column.key ? !descending : column.number === true);
    setBy(column.key);
  };
  const typed = (text: string) => {
    setQuery(text);
    props.onQuery?.(text);
    box.current?.scrollTo({ top: 0 });
  };
  const [first, end] = printing
    ? [0, Math.min(PRINTED, order.length)]
    : inView(scrolled, tall * ROW, ROW, order.length);
  const { keys, tabStop } = useRowKeys(box, order.length, (at) => props.onPick?.(rows[order[at]!]!));

  return (
    <div class="table">
      {(props.search ?? rows.length > FEW) && (
        <div class="table-search">
          <input
            type="search"
            value={query}
            placeholder="Filter"
            aria-label={`Filter: ${props.label}`}
            onInput={(event) => typed(event.currentTarget.value)}
          />
          <span role="status">
            {query ? `${exact(order.length)} of ${exact(rows.length)}` : `${exact(rows.length)} rows`}
          </span>
        </div>
      )}
      <div
        class="table-box"
        ref={box}
        tabIndex={props.onPick ? -1 : 0}
        role="region"
        aria-label={props.label}
        style={{ maxHeight: printing ? "none" : `${(tall + 1.4) * ROW}px` }}
        onScroll={(event) => setScrolled(event.currentTarget.scrollTop)}
      >
        <table aria-rowcount={order.length + 1}>
          <caption class="unseen">{props.label}</caption>
          <colgroup>
            {columns.map((one) => (
              <col
                key={one.key}
                class={one.secondary ? "secondary" : undefined}
                style={one.width ? { width: one.width } : {}}
              />
            ))}
          </colgroup>
          <thead>
            <tr aria-rowindex={1}>
              {columns.map((one) => (
                <HeaderCell
                  key={one.key}
                  column={one}
                  sorted={by !== one.key ? undefined : descending ? "descending" : "ascending"}
                  onSort={() => sortBy(one)}
                />
              ))}
            </tr>
          </thead>
          <tbody onKeyDown={props.onPick ? keys : undefined}>
            <Spacer rows={first} />
            {Array.from(order.subarray(first, end), (row, index) => (
              <TableRow
                key={row}
                row={rows[row]!}
                at={first + index}
                columns={columns}
                picked={props.isPicked?.(rows[row]!) ?? false}
                {...(props.onPick && { onPick: props.onPick, tabIndex: first + index === tabStop ? 0 : -1 })}
              />
            ))}
            <Spacer rows={printing ? 0 : order.length - end} />
          </tbody>
        </table>
      </div>
      {order.length === 0 && <p class="faint">{query ? "Nothing has these words." : "No rows."}</p>}
      {printing && order.length > end && <p class="faint">and {exact(order.length - end)} more rows</p>}
    </div>
  );
}

function HeaderCell<Row>(props: {
  column: TableColumn<Row>;
  sorted: "ascending" | "descending" | undefined;
  onSort: () => void;
}) {
  const { column, sorted } = props;
  // what says all in its cells is called by its key, and sorted by others
  if (!column.title) {
    return (
      <th scope="col" class={classes(column)}>
        <span class="unseen">{column.key}</span>
      </th>
    );
  }
  return (
    <th scope="col" aria-sort={sorted ?? "none"} class={classes(column)} title={column.hint}>
      <button type="button" onClick={props.onSort}>
        {column.title}
        <span aria-hidden="true">{sorted === "descending" ? " ▾" : sorted ? " ▴" : ""}</span>
      </button>
    </th>
  );
}

function TableRow<Row>(props: {
  row: Row;
  at: number;
  columns: readonly TableColumn<Row>[];
  picked: boolean;
  tabIndex?: number;
  onPick?: (row: Row) => void;
}) {
  const { row, at, onPick } = props;
  return (
    <tr
      aria-rowindex={at + 2}
      data-at={at}
      class={onPick && "pickable"}
      {...(onPick && { tabIndex: props.tabIndex ?? -1, onClick: () => onPick(row) })}
      {...(props.picked && { "aria-current": "true" as const })}
    >
      {props.columns.map((one) => {
        const value = one.value(row);
        return (
          <td key={one.key} class={classes(one)} title={typeof value === "string" ? value.slice(0, LONGEST) : undefined}>
            {one.show ? one.show(row) : typeof value === "string" ? value.slice(0, LONGEST) : (value ?? UNKNOWN)}
          </td>
        );
      })}
    </tr>
  );
}

/** Stands for rows that are not in the document. One cell: a column that is left out would come back. */
function Spacer({ rows }: { rows: number }) {
  if (rows <= 0) return null;
  return (
    <tr aria-hidden="true" class="table-spacer">
      <td style={{ height: `${rows * ROW}px` }} />
    </tr>
  );
}

/** Arrows walk over rows, Enter picks one; the row that was walked to is where Tab comes back to. */
function useRowKeys(box: { current: HTMLDivElement | null }, count: number, pick: (at: number) => void) {
  const [at, setAt] = useState(0);
  const keys = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -count, End: count }[event.key];
    const here = Number((event.target as HTMLElement).closest("tr")?.dataset["at"] ?? at);
    if (event.key === "Enter" || event.key === " ") pick(here);
    else if (step === undefined) return;
    else {
      const next = Math.max(0, Math.min(count - 1, here + step));
      setAt(next);
      reveal(box.current, next);
      requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`tr[data-at="${next}"]`)?.focus());
    }
    event.preventDefault();
  };
  return { keys, tabStop: Math.min(at, count - 1) };
}

function reveal(box: HTMLDivElement | null, at: number): void {
  if (!box) return;
  const header = box.querySelector("thead")?.clientHeight ?? ROW;
  const room = box.clientHeight - header;
  if (at * ROW < box.scrollTop) box.scrollTop = at * ROW;
  else if ((at + 1) * ROW > box.scrollTop + room) box.scrollTop = (at + 1) * ROW - room;
}

function searchable<Row>(rows: ArrayLike<Row>, columns: readonly TableColumn<Row>[]): string[] {
  return Array.from(rows, (row) =>
    columns
      .map((one) => one.value(row))
      .filter((value) => typeof value === "string")
      .join("\n")
      .toLowerCase(),
  );
}

function classes<Row>(column: TableColumn<Row>): string {
  return `${column.number ? "number" : ""} ${column.secondary ? "secondary" : ""}`.trim();
}
