import { bounded } from "../bounded";
import type { FactRow } from "../results";
import "./facts.css";

/** Labels and what there is to say; a label that comes again is written once. */
export function Facts({ facts }: { facts: FactRow[] }) {
  if (!facts.length) return null;
  return (
    <dl class="facts">
      {facts.map((one, at) => (
        <div key={at}>
          <dt>{one.label === facts[at - 1]?.label ? "" : one.label}</dt>
          <dd>{bounded(one.text, 1500)}</dd>
        </div>
      ))}
    </dl>
  );
}
