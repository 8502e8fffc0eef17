import { bounded } from "../bounded";
import { exact } from "../format";
import { ColumnTable } from "../parts/column-table";
import { Facts } from "../parts/facts";
import type { FactRow, TableChoice } from "../results";
import type { Section, SectionProps } from "../section";
import "./ops.css";

interface Data {
  choices: TableChoice[];
  facts: FactRow[];
  notes: string[];
}

/** columns that say most of a row, the first that is there is drawn as bars and sorted by */
const MAIN = ["self_us", "time_us", "total_us", "macs", "flops_all", "params", "bytes"];

/** The address is `by/words to filter by`. */
function View({ data, place, go }: SectionProps<Data>) {
  const [by = "", ...words] = place.split("/");
  const chosen = data.choices.find((one) => one.by === by) ?? data.choices[0]!;
  const main = MAIN.find((key) => chosen.table.parts.some((one) => one.key === key));
  return (
    <div class="ops">
      <div class="ops-choices" role="group" aria-label="A row is">
        <span class="faint">by</span>
        {data.choices.map((one) => (
          <button key={one.by} type="button" aria-pressed={one === chosen} onClick={() => go(one.by)}>
            {one.title} <small class="faint">{exact(one.rows)}</small>
          </button>
        ))}
      </div>
      <ColumnTable
        key={chosen.by}
        table={chosen.table}
        label={`Costs by ${chosen.title}`}
        bar={main}
        tall={20}
        query={words.join("/")}
        onQuery={(query) => go(query ? `${chosen.by}/${query}` : chosen.by, true)}
      />
      {chosen.rows > chosen.table.count && (
        <p class="faint">
          The first {exact(chosen.table.count)} of {exact(chosen.rows)} rows; `tfprof layers --by {chosen.by}` has all.
        </p>
      )}
      <Facts facts={data.facts} />
      {data.notes.map((note) => (
        <p key={note} class="faint">
          {bounded(note, 800)}
        </p>
      ))}
    </div>
  );
}

export default {
  title: "Ops",
  help: "What op types, ops, layers and scopes cost and took. Click a title to sort, type to filter.",
  View,
} satisfies Section<Data> as Section<unknown>;
