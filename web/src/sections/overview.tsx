import { amountText } from "../amount";
import { bounded } from "../bounded";
import { Card, Cards } from "../parts/card";
import { ColumnTable } from "../parts/column-table";
import { FindingView } from "../parts/finding";
import { Facts } from "../parts/facts";
import { SplitBar } from "../parts/split-bar";
import type {
  Advised,
  AverageStep,
  Card as CardData,
  FactRow,
  PageVerdict,
  PhasePart,
  TablePart,
} from "../results";
import type { Section, SectionProps } from "../section";
import { isShown } from "../shown";
import { byCategory } from "../split";
import "./overview.css";

interface Data {
  cards: CardData[];
  verdict: PageVerdict | null;
  advised: Advised[];
  rules: number | null;
  step: AverageStep | null;
  phases: PhasePart[];
  top: TablePart[];
  facts: FactRow[];
  notes: string[];
}

const PHASES: Record<string, readonly [string, string]> = {
  forward: ["#5b8fd6", "#8ab6f5"],
  backward: ["#6a4fb5", "#9a82ea"],
  update: ["#b0679a", "#dc92c4"],
  other: ["#a9aeb5", "#5f6168"],
};

function View({ data }: SectionProps<Data>) {
  const top = data.top[0];
  return (
    <div class="overview">
      {data.verdict && <Verdict verdict={data.verdict} />}
      <Cards>
        {data.cards.map((card) => (
          <CardView key={card.label} card={card} />
        ))}
      </Cards>
      <div class={data.advised.length ? "overview-columns" : "overview-columns overview-one"}>
        <section class="overview-findings" aria-label="What to change">
          <h3>What to change</h3>
          {data.advised.map((one, at) => (
            <FindingView key={one.finding.rule} finding={one.finding} section={one.section} open={at < 3} />
          ))}
          {!data.advised.length && data.rules !== null && (
            <p class="faint">Nothing: none of {data.rules} rules found anything.</p>
          )}
        </section>
        <div class="overview-side">
          {data.step && (
            <section>
              <h3>Where an average step goes</h3>
              <SplitBar parts={byCategory(data.step.breakdown)} label="An average step" />
            </section>
          )}
          {data.phases.length > 0 && <Phases phases={data.phases} />}
          {top && top.count > 0 && (
            <section>
              <h3>{top.title || "Costliest"}</h3>
              <ColumnTable table={firstRows(top, 8)} label={top.title || "Costliest"} />
              {top.count > 8 && isShown("ops") && (
                <p class="overview-more">
                  <a href="#ops">All {top.count} rows</a>
                </p>
              )}
            </section>
          )}
        </div>
      </div>
      <h3>Facts</h3>
      <Facts facts={data.facts} />
      {data.notes.length > 0 && (
        <ul class="overview-notes">
          {data.notes.map((note) => (
            <li key={note}>{bounded(note, 1000)}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Verdict({ verdict }: { verdict: PageVerdict }) {
  return (
    <p class={`overview-verdict overview-${verdict.tone}`}>
      <span>{bounded(verdict.text, 600)}</span>
      {isShown(verdict.section) && <a href={`#${verdict.section}`}>Show</a>}
    </p>
  );
}

function CardView({ card }: { card: CardData }) {
  const unknown = card.amount.number === null && card.amount.text === null;
  const note = unknown ? card.amount.reason : card.note;
  return (
    <Card
      title={card.label}
      value={bounded(amountText(card.amount), 40)}
      note={<span title={bounded(note)}>{bounded(note, 120)}</span>}
      {...(card.tone && { tone: card.tone as "problem" })}
      {...(isShown(card.section) && { href: `#${card.section}` })}
    />
  );
}

function Phases({ phases }: { phases: PhasePart[] }) {
  const timed = phases[0]?.amount.unit === "microseconds";
  const parts = phases.map((one) => ({
    key: one.name,
    label: one.name,
    value: one.amount.number ?? 0,
    text: amountText(one.amount) + (timed ? "" : " MACs"),
    light: PHASES[one.name]?.[0] ?? "#959aa0",
    dark: PHASES[one.name]?.[1] ?? "#5f6168",
  }));
  return (
    <section>
      <h3>{timed ? "Op time by phase of training" : "Work by phase of training"}</h3>
      <SplitBar parts={parts} label="Phases" />
    </section>
  );
}

/** Rows of `top` are sorted: the first cost most. */
function firstRows(table: TablePart, most: number): TablePart {
  if (table.count <= most) return table;
  const parts = table.parts.map((one) => ({
    ...one,
    texts: one.texts && one.texts.slice(0, most),
    numbers: one.numbers && one.numbers.slice(0, most),
    said: one.said && one.said.slice(0, most),
  }));
  return { ...table, count: most, parts };
}

export default { title: "Overview", View } satisfies Section<Data> as Section<unknown>;
