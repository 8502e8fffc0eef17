import { bounded } from "../bounded";
import { CATEGORIES } from "../categories";
import { duration, exact, share } from "../format";
import type { BehindSlice, SlowNote, StepTimes } from "../results";
import type { Picked } from "./stack";

interface Props {
  steps: StepTimes;
  slow: SlowNote[];
  behind: BehindSlice[];
  shown: Picked;
  onPick: (picked: Picked) => void;
}

/** What the step that is looked at is made of, and what is behind the part of it. */
export function SliceDetails({ steps, slow, behind, shown, onPick }: Props) {
  const { step, category } = shown;
  const period = steps.periods[step] ?? 0;
  const why = slow.find((one) => one.at === step);
  const tag = steps.tags?.[step];
  const parts = steps.categories
    .filter((one) => one.times[step]! > 0)
    .sort((one, other) => other.times[step]! - one.times[step]!);
  return (
    <div class="steps-details">
      <section aria-label={`Step ${steps.numbers[step]}`}>
        <h3>
          Step {steps.numbers[step]} <span class="steps-period">{duration(period)}</span>
          {tag && <small> {bounded(tag, 80)}</small>}
        </h3>
        {why && <p class="steps-slow">▾ {bounded(why.text, 600)}</p>}
        <table class="steps-parts">
          <thead>
            <tr>
              <th scope="col">went to</th>
              <th scope="col">time</th>
              <th scope="col">share</th>
              <th scope="col">vs. average</th>
            </tr>
          </thead>
          <tbody>
            {parts.map((one) => (
              <tr key={one.category} aria-selected={one.category === category}>
                <td>
                  <button
                    type="button"
                    aria-pressed={one.category === category}
                    title={CATEGORIES[one.category]?.meaning}
                    onClick={() => onPick({ step, category: one.category })}
                  >
                    <Dot category={one.category} />
                    {CATEGORIES[one.category]?.label ?? one.category}
                  </button>
                </td>
                <td>{duration(one.times[step])}</td>
                <td>{share(one.times[step], period)}</td>
                <td>{difference(one.times[step]! - one.average_us)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Behind behind={behind} steps={steps} shown={shown} />
    </div>
  );
}

function Behind({ behind, steps, shown }: { behind: BehindSlice[]; steps: StepTimes; shown: Picked }) {
  const { step, category } = shown;
  const own = behind.find((one) => one.step === step && one.category === category);
  const all = behind.find((one) => one.step === null && one.category === category);
  const found = own ?? all;
  const look = CATEGORIES[category];
  const number = steps.numbers[step];
  return (
    <section aria-live="polite" class="steps-behind">
      <h3>
        <Dot category={category} /> {look?.label ?? category}
      </h3>
      <p class="steps-meaning">
        {look?.meaning}.{" "}
        {found && (own ? `Behind it in step ${number}:` : "Behind it in all steps that are averaged:")}
      </p>
      {found ? (
        <>
          <table>
            <thead>
              <tr>
                <th scope="col">event</th>
                <th scope="col">count</th>
                <th scope="col">own time</th>
                <th scope="col">longest</th>
              </tr>
            </thead>
            <tbody>
              {found.events.map((one) => (
                <tr key={one.event}>
                  <td title={bounded(one.event)}>
                    <bdi>{bounded(one.event)}</bdi>
                  </td>
                  <td>{exact(one.count)}</td>
                  <td>{duration(one.self_us)}</td>
                  <td>{duration(one.longest_us)}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {found.more > 0 && <p class="steps-meaning">and events of {exact(found.more)} more names</p>}
        </>
      ) : (
        <p class="steps-meaning">There are no events behind this: nothing was recorded then.</p>
      )}
    </section>
  );
}

export function Dot({ category }: { category: string }) {
  const look = CATEGORIES[category];
  const background = look ? `light-dark(${look.light}, ${look.dark})` : "var(--faint)";
  return <span class="sb-dot" style={{ background }} />;
}

function difference(micros: number): string {
  if (!micros) return "±0";
  return `${micros > 0 ? "+" : "−"}${duration(Math.abs(micros))}`;
}
