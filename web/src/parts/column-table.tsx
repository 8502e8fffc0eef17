import { useMemo } from "preact/hooks";
import { cellOf } from "../amount";
import type { TableColumn as Part, TablePart } from "../results";
import { Table, type TableColumn } from "./table";
import { Name } from "./tooltip";
import "./column-table.css";

interface Props {
  table: TablePart;
  label: string;
  /** key of the column whose numbers are drawn as bars behind them */
  bar?: string | undefined;
  by?: string | undefined;
  tall?: number;
  query?: string;
  onQuery?: (query: string) => void;
}

/** how wide columns are: narrower on a narrow screen, see the style */
const OF_NUMBERS = "var(--ct-number)";
const OF_NAMES = "var(--ct-name)";
const OF_TEXTS = "9rem";

/** A table of columns, as Python made them: numbers with their units and marks, names cut to their cell. */
export function ColumnTable({ table, label, bar, by, ...rest }: Props) {
  const rows = useMemo(() => Uint32Array.from({ length: table.count }, (_, row) => row), [table]);
  const columns = useMemo(() => table.parts.map((one, at) => columnOf(one, at === 0, one.key === bar)), [table, bar]);
  const numbers = table.parts.filter((one) => one.numbers).length;
  const room = `calc(${numbers} * ${OF_NUMBERS} + ${table.parts.length - numbers} * ${OF_NAMES})`;
  return (
    <div class="ct" style={{ "--ct-room": room }}>
      <Table label={label} rows={rows} columns={columns} {...(by && { by })} {...rest} />
    </div>
  );
}

function columnOf(part: Part, isFirst: boolean, withBar: boolean): TableColumn<number> {
  const { key, title, texts, numbers } = part;
  if (texts) {
    const show = (row: number) => <Name text={texts[row] ?? ""} />;
    // what a row is called has all the room that is left
    const beside = !isFirst && part.unit === "name" && { width: OF_TEXTS };
    return { key, title, value: (row) => texts[row], ...(part.unit === "name" && { show }), ...beside };
  }
  const most = withBar && numbers ? numbers.reduce((high, one) => (one > high ? one : high), 0) : 0;
  return {
    key,
    title,
    number: true,
    width: OF_NUMBERS,
    value: (row) => numbers?.[row],
    show: (row) => <NumberCell part={part} row={row} most={most} />,
  };
}

function NumberCell({ part, row, most }: { part: Part; row: number; most: number }) {
  const { text, reason } = cellOf(part, row);
  const value = part.numbers?.[row] ?? NaN;
  const wide = most > 0 && value > 0 ? (100 * value) / most : 0;
  return (
    <>
      {wide > 0 && <i class="ct-bar" aria-hidden="true" style={{ width: `${wide}%` }} />}
      <span class={text === "?" ? "ct-unknown" : "ct-number"} title={reason.slice(0, 600) || undefined}>
        {text}
      </span>
    </>
  );
}
