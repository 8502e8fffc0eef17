import { written } from "../amount";
import { bounded } from "../bounded";
import { share } from "../format";
import type { Finding, Gain } from "../results";
import { isShown } from "../shown";
import { Code } from "./code";
import "./finding.css";

/** What was found, what it costs, what to change as code, and what that gains. */
export function FindingView({ finding, section, open }: { finding: Finding; section?: string; open: boolean }) {
  return (
    <article class={`finding ${finding.severity}`}>
      <h4>
        <span class="finding-badge">{finding.severity}</span> {bounded(finding.says, 600)}
      </h4>
      <GainView finding={finding} />
      <details open={open}>
        <summary>The change</summary>
        {finding.advice && <p>{bounded(finding.advice, 2000)}</p>}
        {finding.code && <Code text={finding.code} />}
      </details>
      <p class="finding-why">
        {bounded(capital(finding.reason), 800)}{" "}
        <span class="faint">
          Rule {finding.rule}, confidence {finding.confidence}.
        </span>
        {section && isShown(section) && (
          <>
            {" "}
            <a href={`#${section}`}>See {section}</a>
          </>
        )}
      </p>
    </article>
  );
}

function GainView({ finding }: { finding: Finding }) {
  const { gain } = finding;
  if (!gain) return <p class="finding-gain faint">Gain not known: {finding.gain_reason}</p>;
  const left = gain.before > 0 ? Math.min(1, Math.max(0, gain.after / gain.before)) : 1;
  return (
    <div class="finding-gain">
      <span class="finding-bar" aria-hidden="true">
        <span style={{ width: `${100 * left}%` }} />
      </span>
      <span>
        {metricName(gain)} <b>{amount(gain, gain.before)}</b> → <b>{amount(gain, gain.after)}</b>, {share(1 - left)}{" "}
        less
        <span class="faint">
          {" "}
          ({gain.kind}: {gain.model})
        </span>
      </span>
    </div>
  );
}

function metricName(gain: Gain): string {
  return capital(gain.metric.replace(/_[a-z]+$/, "").replaceAll("_", " "));
}

function amount(gain: Gain, value: number): string {
  return written(value, gain.metric.endsWith("_bytes") ? "bytes" : "microseconds");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
