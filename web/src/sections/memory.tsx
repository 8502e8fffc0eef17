import { bounded } from "../bounded";
import { LivingTable, OverTime } from "../memory/over-time";
import { OverBatches } from "../memory/over-batches";
import { ColumnTable } from "../parts/column-table";
import { Facts } from "../parts/facts";
import type { DeviceOverTime, FactRow, OverBatches as Batches, TablePart } from "../results";
import type { Section, SectionProps } from "../section";
import "./memory.css";

interface Data {
  devices: DeviceOverTime[];
  measured: FactRow[];
  notes: string[];
  why_not_measured: string;
  batches: Batches | null;
  estimated: FactRow[];
  estimated_notes: string[];
  living: TablePart | null;
  why_not_estimated: string;
}

function View({ data, place, go }: SectionProps<Data>) {
  return (
    <div class="memory">
      {data.devices.length > 0 && <Measured data={data} place={place} go={go} />}
      {data.why_not_measured && <p class="faint">Not measured: {bounded(data.why_not_measured, 600)}</p>}
      {data.batches && <OverBatches batches={data.batches} />}
      {data.living && data.living.count > 0 && (
        <details>
          <summary>What is estimated to live at the peak, block by block</summary>
          <ColumnTable table={data.living} label="What is estimated to live at the peak" bar="bytes" />
        </details>
      )}
      <Facts facts={data.estimated} />
      <Notes notes={data.estimated_notes} />
      {data.why_not_estimated && data.devices.length > 0 && (
        <p class="faint">Not estimated: {bounded(data.why_not_estimated, 600)}</p>
      )}
    </div>
  );
}

/** The address is `device/moment`, each by its place. */
function Measured({ data, place, go }: SectionProps<Data>) {
  const [first = "", second = ""] = place.split("/");
  const highest = data.devices.reduce((most, one, at) => (one.levels[one.peak]! > data.devices[most]!.levels[data.devices[most]!.peak]! ? at : most), 0);
  const at = first && Number(first) < data.devices.length ? Number(first) : highest;
  const device = data.devices[at]!;
  const said = second === "" ? NaN : Number(second);
  const moment = said >= 0 && said < device.levels.length ? said : device.peak;
  return (
    <section>
      <h3>
        Memory over time{" "}
        <span class="faint">
          {data.devices.length === 1 && device.device} measured{device.with_variables ? ", all that the allocator handed out" : ", beside the variables"}
        </span>
        {data.devices.length > 1 && (
          <select aria-label="Device" value={String(at)} onChange={(event) => go(event.currentTarget.value)}>
            {data.devices.map((one, number) => (
              <option key={number} value={String(number)}>
                {one.device.slice(0, 100)}
              </option>
            ))}
          </select>
        )}
      </h3>
      <OverTime device={device} moment={moment} onChoose={(to, dragged) => go(`${at}/${to}`, dragged)} />
      <p class="faint memory-hint">
        Click or drag to choose a moment, or use the arrow keys.{" "}
        {moment !== device.peak && (
          <button type="button" onClick={() => go(String(at))}>
            Back to the peak
          </button>
        )}
      </p>
      <LivingTable device={device} moment={moment} />
      <Facts facts={data.measured} />
      <Notes notes={data.notes} />
    </section>
  );
}

function Notes({ notes }: { notes: string[] }) {
  return (
    <>
      {notes.map((note) => (
        <p key={note} class="faint">
          {bounded(note, 800)}
        </p>
      ))}
    </>
  );
}

export default {
  title: "Memory",
  help: "What a run held over time and what lived at the moment you choose; what a step will need at other batches.",
  View,
} satisfies Section<Data> as Section<unknown>;
