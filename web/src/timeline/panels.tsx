import * as format from "../format";
import { Table } from "../parts/table";
import { Name } from "../parts/tooltip";
import type { Lane, Timeline } from "./data";
import type { Event_ } from "./pointing";
import { ownOf, type Sums } from "./sums";

const TOP = 20;

/** What is known of one event. */
export function EventDetails({ timeline, event }: { timeline: Timeline; event: Event_ }) {
  const level = timeline.finest;
  const lane = timeline.lanes[event.lane]!;
  const { names, args } = timeline.columns;
  const { row } = event;
  const many = level.count[row]!;
  const name = names.name[level.name[row]!]!;
  const own = ownOf(timeline, event.track, event.depth, lane.tracks, row);
  const facts: [string, string][] =
    many > 1
      ? [
          ["is", `${format.exact(many)} events, merged: the longest is ${name.slice(0, 200)}`],
          ["busy", format.duration(timeline.micros(level.busy[row]!))],
        ]
      : [["kind", names.kinds[names.kind[level.name[row]!]!]!]];
  facts.push(
    ["starts at", format.duration(timeline.micros(level.start[row]!))],
    ["lasts", format.duration(timeline.micros(level.duration[row]!))],
  );
  if (many < 2) facts.push(["by itself", format.duration(timeline.micros(own))]);
  facts.push(["lane", lane.name], ...(args[row] ?? []).map(([key, value]): [string, string] => [key, String(value).slice(0, 2000)]));
  return (
    <section class="timeline-panel" aria-live="polite" aria-label="The selected event">
      <h3>{many > 1 ? "A stretch of short events" : <Name text={name} />}</h3>
      <dl>
        {facts.map(([key, value]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** What went on in a stretch of time. */
export function RangeSums({ timeline, sums, zoom, clear }: { timeline: Timeline; sums: Sums; zoom: () => void; clear: () => void }) {
  const whole = sums.names.reduce((sum, one) => sum + one.own, 0);
  const nameOf = (name: number) => (name < 0 ? "(short events, merged)" : timeline.columns.names.name[name]!);
  const [from, to] = [sums.begin, sums.end].map((time) => format.duration(timeline.micros(time)));
  return (
    <section class="timeline-panel timeline-sums" aria-live="polite" aria-label="The selected time">
      <h3>
        {format.duration(timeline.micros(sums.end - sums.begin))} selected, {from} to {to}{" "}
        <button type="button" onClick={zoom}>
          Zoom to it
        </button>{" "}
        <button type="button" onClick={clear}>
          Clear
        </button>
      </h3>
      <div class="timeline-two">
        <Table
          label={`Own time by name, the first ${TOP} of ${sums.names.length}`}
          rows={sums.names.slice(0, TOP)}
          columns={[
            { key: "name", title: "name", value: (one) => nameOf(one.name), show: (one) => <Name text={nameOf(one.name)} /> },
            { key: "own", title: "own time", value: (one) => one.own, show: (one) => format.duration(timeline.micros(one.own)), number: true, width: "6.5rem" },
            { key: "share", title: "share", value: (one) => one.own, show: (one) => format.share(one.own, whole), number: true, width: "4.5rem", secondary: true },
            { key: "count", title: "events", value: (one) => one.count, show: (one) => format.exact(one.count), number: true, width: "5rem" },
          ]}
          tall={10}
        />
        <Table
          label="Busy time by lane"
          rows={sums.lanes}
          columns={[
            { key: "lane", title: "lane", value: (one) => timeline.lanes[one.lane]!.name, show: (one) => <Name text={timeline.lanes[one.lane]!.name} /> },
            { key: "busy", title: "busy", value: (one) => one.busy, show: (one) => format.duration(timeline.micros(one.busy)), number: true, width: "6.5rem" },
            { key: "share", title: "of the time", value: (one) => one.busy, show: (one) => format.share(one.busy, sums.end - sums.begin), number: true, width: "7rem" },
            { key: "count", title: "events", value: (one) => one.count, show: (one) => format.exact(one.count), number: true, width: "5rem" },
          ]}
          tall={10}
        />
      </div>
    </section>
  );
}

/** The same as the picture, in words: how busy each lane was, and with what. */
export function LanesTable({ timeline, show }: { timeline: Timeline; show: (lane: Lane) => void }) {
  const of = (lane: Lane) => timeline.columns.processes[lane.process]!.name;
  const top = (lane: Lane) => lane.top.map((one) => `${one.name.slice(0, 120)} ${format.duration(one.own_us)}`).join(", ");
  return (
    <Table
      label="Lanes: how busy each was, and with what"
      rows={timeline.lanes}
      columns={[
        { key: "lane", title: "lane", value: (one) => one.name, show: (one) => <Name text={one.name} /> },
        { key: "process", title: "of", value: of, show: (one) => <Name text={of(one)} />, width: "10rem", secondary: true },
        { key: "events", title: "events", value: (one) => one.events, show: (one) => format.exact(one.events), number: true, width: "6rem", secondary: true },
        { key: "busy", title: "busy", value: (one) => one.busy_us, show: (one) => format.duration(one.busy_us), number: true, width: "6.5rem" },
        { key: "share", title: "of the time", value: (one) => one.share, show: (one) => format.share(one.share), number: true, width: "7rem" },
        { key: "top", title: "most own time", value: top, show: (one) => <Name text={top(one)} />, secondary: true },
      ]}
      tall={12}
      onPick={show}
    />
  );
}
