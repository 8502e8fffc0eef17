import { useMemo, useState } from "preact/hooks";
import { ColumnTable } from "../parts/column-table";
import { Facts } from "../parts/facts";
import { SplitBar } from "../parts/split-bar";
import type { BehindSlice, FactRow, SlowNote, StepTimes, TablePart } from "../results";
import type { Section, SectionProps } from "../section";
import { byCategory } from "../split";
import { SliceDetails } from "../steps/slice-details";
import { type Picked, placeOf } from "../steps/stack";
import { StepChart } from "../steps/step-chart";
import "./steps.css";

interface Data {
  steps: StepTimes;
  slow: SlowNote[];
  behind: BehindSlice[];
  devices: TablePart | null;
  gaps: TablePart | null;
  facts: FactRow[];
  tables: TablePart[];
  notes: string[];
}

function View({ data, place, go }: SectionProps<Data>) {
  const { steps, slow } = data;
  const first = slow[0]?.at ?? 0;
  const picked = useMemo(() => placeOf(steps, place, first), [steps, place, first]);
  const [peek, setPeek] = useState<Picked | null>(null);
  const pick = (one: Picked) => {
    setPeek(null);
    go(`${steps.numbers[one.step]}/${one.category}`);
  };
  const average = Object.fromEntries(steps.categories.map((one) => [one.category, one.average_us]));
  return (
    <div class="steps">
      <h3>Where the time of each step went</h3>
      <StepChart steps={steps} slow={slow} picked={picked} peek={peek} onPick={pick} onPeek={setPeek} />
      <p class="steps-hint">
        {slow.length > 0 && <b class="steps-slow">▾ slow: {slow.length} of {steps.numbers.length} steps. </b>}
        Point at a part of a step, or use the arrow keys.
      </p>
      <SplitBar parts={byCategory(average)} label="An average step" />
      <SliceDetails steps={steps} slow={slow} behind={data.behind} shown={peek ?? picked} onPick={pick} />
      <Facts facts={data.facts} />
      {data.devices && (
        <>
          <h3>Devices in an average step</h3>
          <ColumnTable table={data.devices} label="Devices in an average step" />
        </>
      )}
      {data.gaps && (
        <details>
          <summary>Longest gaps ({data.gaps.count})</summary>
          <ColumnTable table={data.gaps} label="Longest gaps" />
        </details>
      )}
      {data.tables.map((table, at) => (
        <details key={at}>
          <summary>{titleOf(table)}</summary>
          <ColumnTable table={table} label={titleOf(table)} />
        </details>
      ))}
      {data.notes.map((note) => (
        <p key={note} class="steps-hint">
          {note}
        </p>
      ))}
    </div>
  );
}

function titleOf(table: TablePart): string {
  const title = table.title || table.parts[0]?.title || "";
  return `${title.charAt(0).toUpperCase()}${title.slice(1)} as a table`;
}

export default { title: "Steps", View } satisfies Section<Data> as Section<unknown>;
