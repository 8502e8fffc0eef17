import type { Address } from "./address";
import { linkTo } from "./address";
import { Boundary } from "./boundary";
import { useReading } from "./reading";
import { Empty } from "../parts/empty";
import type { Head } from "../payload";
import { sections } from "../section";

export function titleOf(kind: string): string {
  return sections.get(kind)?.title ?? kind;
}

/** A section by its address, or why it is not there. */
export function Shown({ head, at }: { head: Head; at: Address }) {
  const absent = head.absent.find((one) => one.kind === at.kind);
  if (absent) return <Empty title={`${titleOf(at.kind)}: not in this profile`}>{absent.why}</Empty>;
  if (!head.sections.includes(at.kind) || !sections.has(at.kind)) {
    return <Empty title="There is no such section.">The sections of this page are listed above.</Empty>;
  }
  return (
    <Boundary key={at.kind}>
      <Section {...at} />
    </Boundary>
  );
}

function Section({ kind, place }: Address) {
  const reading = useReading(kind);
  const { View } = sections.get(kind)!;
  if (reading === null) return <p class="faint reading" role="status">{`Reading ${titleOf(kind)} …`}</p>;
  if ("fault" in reading) return <Empty title="This section cannot be shown.">{reading.fault}</Empty>;
  const go = (to: string, replace = false) => {
    const link = linkTo(kind, to);
    if (link === location.hash) return;
    if (replace) location.replace(link);
    else location.hash = link;
  };
  return <View data={reading.data} place={place} go={go} />;
}
