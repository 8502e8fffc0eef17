import type { ComponentType } from "preact";

/** A file of `sections/`: what it is called, and how its data is shown. `kind` is the file's name. */
export interface Section<Data> {
  title: string;
  /** what it shows and how it is read, for `?` */
  help?: string;
  View: ComponentType<SectionProps<Data>>;
}

export interface SectionProps<Data> {
  data: Data;
  /** what of the section is looked at, kept in the address: `#kind/…` */
  place: string;
  /** `replace` where the way back should not lead here: while something is dragged */
  go: (place: string, replace?: boolean) => void;
}

const files = import.meta.glob<{ default: Section<unknown> }>("./sections/*.tsx", { eager: true });

export const sections: ReadonlyMap<string, Section<unknown>> = new Map(
  Object.entries(files).map(([path, file]) => [
    path.slice("./sections/".length, -".tsx".length),
    file.default,
  ]),
);
