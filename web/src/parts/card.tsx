import type { ComponentChildren } from "preact";
import "./card.css";

/** One number that matters, with its unit and what it is about; `href` leads to where it is explained. */
export function Card(props: {
  title: string;
  value: ComponentChildren;
  note?: ComponentChildren;
  tone?: "problem" | "hint" | "good";
  href?: string;
}) {
  const inside = (
    <>
      <span class="card-title">{props.title}</span>
      <strong class="card-value">{props.value}</strong>
      {props.note && <span class="card-note">{props.note}</span>}
    </>
  );
  const look = `card ${props.tone ?? ""}`.trim();
  return props.href ? (
    <a class={look} href={props.href}>
      {inside}
    </a>
  ) : (
    <div class={look}>{inside}</div>
  );
}

export function Cards({ children }: { children: ComponentChildren }) {
  return <div class="cards">{children}</div>;
}
