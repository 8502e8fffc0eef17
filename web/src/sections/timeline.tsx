import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import * as format from "../format";
import { Tooltip } from "../parts/tooltip";
import type { Section, SectionProps } from "../section";
import { COUNTER } from "../timeline/counters";
import { Timeline, type TimelineColumns } from "../timeline/data";
import { RULER } from "../timeline/draw";
import { counted, matching, nextHit } from "../timeline/finding";
import { EventDetails, LanesTable, RangeSums } from "../timeline/panels";
import { type Event_, usePointing } from "../timeline/pointing";
import { heightOf, type Row, rowsOf, toggled, usualFolding } from "../timeline/rows";
import { type Stage, useStage } from "../timeline/stage";
import { sumsOf } from "../timeline/sums";
import { firstView, placeOf, TimeWindow } from "../timeline/window";
import "./timeline.css";

interface Data {
  timeline: TimelineColumns;
}

const SETTLED = 350;

function View({ data, place, go }: SectionProps<Data>) {
  const timeline = useMemo(() => new Timeline(data.timeline), [data]);
  const { span, steps, notes, counters } = data.timeline;
  const millisecond = 1e6 / data.timeline.quantum_ns;
  const view = useMemo(() => new TimeWindow(span, placeOf(place, millisecond, steps) ?? firstView(span, steps)), [timeline]);
  const [folding, setFolding] = useState(() => usualFolding(timeline));
  const rows = useMemo(() => rowsOf(timeline, folding), [timeline, folding]);
  const [text, setText] = useState("");
  const found = useMemo(() => matching(timeline, text), [timeline, text]);
  const hits = useMemo(() => found && counted(timeline, found), [timeline, found]);
  const [picked, setPicked] = useState<Event_ | null>(null);
  const [range, setRange] = useState<[number, number] | null>(null);
  const [summed, setSummed] = useState<[number, number] | null>(null);
  const [hovered, setHovered] = useState<{ event: Event_; x: number; y: number } | null>(null);
  const stage = useStage(timeline, view, { rows, closed: folding.closed, found, selected: picked, range });
  const settle = useRef(0);
  const written = useRef(place);

  const moved = () => {
    clearTimeout(settle.current);
    settle.current = window.setTimeout(() => {
      const [begin, end] = [view.begin, view.end].map((time) => (Math.max(0, time) / millisecond).toFixed(4));
      written.current = `${begin}-${end}`;
      go(written.current, true);
    }, SETTLED);
  };
  useEffect(() => () => clearTimeout(settle.current), []);
  // a link, or the way back: not what was written here while moving
  useEffect(() => {
    if (place === written.current) return;
    const wanted = placeOf(place, millisecond, steps) ?? firstView(span, steps);
    if (wanted) view.set(...wanted);
    else view.all();
    stage.redraw();
  }, [place]);
  const change = (how: () => void) => () => {
    how();
    stage.redraw();
    moved();
  };
  const fold = (row: Row) =>
    setFolding((now) =>
      row.kind === "process"
        ? { ...now, closed: toggled(now.closed, row.process) }
        : { ...now, folded: toggled(now.folded, row.lane) },
    );
  const bringIn = (event: Event_) => {
    const { start, duration } = timeline.finest;
    const [from, long] = [start[event.row]!, duration[event.row]!];
    if (from < view.begin || from + long > view.end || long * 60 < view.length) {
      const wide = Math.min(view.length, Math.max(long * 12, 2000));
      view.set(from + long / 2 - wide / 2, from + long / 2 + wide / 2);
    }
    setFolding((now) => ({
      closed: new Set([...now.closed].filter((one) => one !== timeline.lanes[event.lane]!.process)),
      folded: event.depth > 1 ? new Set([...now.folded].filter((one) => one !== event.lane)) : now.folded,
    }));
    setPicked(event);
    toLane(stage, rows, event.lane);
    change(() => {})();
  };
  const goTo = (forward: boolean) => {
    if (!found) return;
    const after = picked ? timeline.finest.start[picked.row]! : view.begin;
    const next = nextHit(timeline, found, after, forward);
    if (next) bringIn(next);
  };
  const beside = (way: number) => {
    const level = timeline.finest;
    const track = picked?.track ?? 0;
    const row = picked ? picked.row + way : level.first[0]!;
    if (row < level.first[track]! || row >= level.first[track + 1]!) return;
    bringIn(picked ? { ...picked, row } : { lane: 0, depth: 0, track: 0, row });
  };
  usePointing(stage, timeline, view, rows, {
    pick: (event) => {
      setPicked(event);
      if (!event) {
        setRange(null);
        setSummed(null);
      }
    },
    hover: (event, x, y) => setHovered(event ? { event, x, y } : null),
    range: (stretch, done) => {
      setRange(stretch);
      if (done) setSummed(stretch);
    },
    fold,
    moved,
  });
  const key = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const scroll = (far: number) => () => stage.scroller.current?.scrollBy(0, far);
    const keys: Record<string, () => void> = {
      w: () => view.zoom(0.7),
      s: () => view.zoom(1 / 0.7),
      "+": () => view.zoom(0.7),
      "=": () => view.zoom(0.7),
      "-": () => view.zoom(1 / 0.7),
      a: () => view.by(-0.15),
      d: () => view.by(0.15),
      ArrowLeft: () => view.by(-0.15),
      ArrowRight: () => view.by(0.15),
      ArrowUp: scroll(-60),
      ArrowDown: scroll(60),
      "0": () => view.all(),
      Home: () => view.all(),
      n: () => goTo(true),
      N: () => goTo(false),
      "]": () => beside(1),
      "[": () => beside(-1),
      Escape: () => (setRange(null), setSummed(null), setPicked(null)),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    change(keys[event.key]!)();
  };
  const sums = useMemo(() => summed && sumsOf(timeline, ...summed), [timeline, summed]);
  const inside = heightOf(rows);
  return (
    <div class="timeline">
      <div class="timeline-bar">
        <input
          type="search"
          class="timeline-search"
          placeholder={`Search ${format.exact(timeline.columns.events)} events by name`}
          aria-label="Search events by name"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && goTo(!event.shiftKey)}
        />
        {hits && (
          <span class="timeline-hits" role="status">
            {hits.events ? `${format.exact(hits.events)} events, ${format.duration(hits.own)} by themselves` : "nothing found"}
            <button type="button" aria-label="Hit before" disabled={!hits.events} onClick={() => goTo(false)}>
              ‹
            </button>
            <button type="button" aria-label="Next hit" disabled={!hits.events} onClick={() => goTo(true)}>
              ›
            </button>
          </span>
        )}
        <span class="timeline-buttons">
          <button type="button" aria-label="Zoom in" onClick={change(() => view.zoom(0.6))}>
            +
          </button>
          <button type="button" aria-label="Zoom out" onClick={change(() => view.zoom(1 / 0.6))}>
            −
          </button>
          <button type="button" onClick={change(() => view.all())}>
            All
          </button>
        </span>
        {steps.length > 0 && (
          <label>
            Step{" "}
            <select value="" onChange={(event) => go(`step/${event.currentTarget.value}`)}>
              <option value="">go to…</option>
              {steps.slice(0, 2000).map((step) => (
                <option key={step.number} value={step.number}>
                  {`${step.number}: ${format.duration(timeline.micros(step.end - step.begin))}`}
                </option>
              ))}
            </select>
          </label>
        )}
        <span class="timeline-how">wheel or W S zoom · drag selects · Shift-drag or A D move · click a name to fold</span>
      </div>
      <div class="timeline-frame" ref={stage.scroller} onScroll={stage.redraw} style={{ maxHeight: `${inside + RULER + 2}px` }}>
        <div style={{ height: `${inside + RULER}px` }}>
        <canvas
          class="timeline-canvas"
          ref={stage.tracks}
          tabIndex={0}
          role="application"
          aria-roledescription="timeline"
          aria-label={`Timeline of ${format.exact(timeline.columns.events)} events in ${timeline.lanes.length} lanes over ${format.duration(timeline.micros(span))}; the table of lanes below has the same in words. W and S zoom, A and D move, brackets go from event to event.`}
          onKeyDown={key}
        />
        </div>
      </div>
      {counters.length > 0 && (
        <canvas
          class="timeline-counters"
          ref={stage.counters}
          style={{ height: `${counters.length * COUNTER}px` }}
          role="img"
          aria-label={`Memory in use: ${counters.slice(0, 8).map((one) => `${one.name.slice(0, 80)} up to ${format.bytes(one.value.reduce((a, b) => Math.max(a, b), 0))}`).join(", ")}`}
        />
      )}
      {notes.map((note) => (
        <p key={note} class="timeline-note">
          {note}
        </p>
      ))}
      {picked && <EventDetails timeline={timeline} event={picked} />}
      {sums && (
        <RangeSums
          timeline={timeline}
          sums={sums}
          zoom={change(() => view.set(sums.begin, sums.end))}
          clear={() => (setRange(null), setSummed(null))}
        />
      )}
      <LanesTable
        timeline={timeline}
        show={(lane) => {
          toLane(stage, rows, timeline.lanes.indexOf(lane));
          stage.tracks.current?.focus();
        }}
      />
      {hovered && (
        <Tooltip x={hovered.x} y={hovered.y}>
          <Hover timeline={timeline} event={hovered.event} />
        </Tooltip>
      )}
    </div>
  );
}

function Hover({ timeline, event }: { timeline: Timeline; event: Event_ }) {
  const level = timeline.finest;
  const many = level.count[event.row]!;
  const name = timeline.columns.names.name[level.name[event.row]!]!;
  return (
    <>
      <b>{many > 1 ? `${format.exact(many)} short events, such as ${name.slice(0, 120)}` : name.slice(0, 300)}</b>
      <div>
        {format.duration(timeline.micros(level.duration[event.row]!))} from{" "}
        {format.duration(timeline.micros(level.start[event.row]!))}
      </div>
    </>
  );
}

function toLane(stage: Stage, rows: readonly Row[], lane: number): void {
  const row = rows.find((one) => one.kind === "lane" && one.lane === lane);
  const box = stage.scroller.current;
  if (!row || !box) return;
  const room = box.clientHeight - RULER;
  if (row.y < box.scrollTop || row.y + row.height > box.scrollTop + room) box.scrollTop = Math.max(0, row.y - room / 3);
}

export default {
  title: "Timeline",
  help: "What ran when on every thread and stream. Wheel or W and S zoom, A and D move, dragging sums up a stretch of time, a click tells of an event. Events that are too short to be seen are drawn together.",
  View,
} satisfies Section<Data> as Section<unknown>;
