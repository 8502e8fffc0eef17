import { Component, type ComponentChildren } from "preact";
import { Empty } from "../parts/empty";

/** A section that fails says so in its place; the rest of the page goes on. */
export class Boundary extends Component<{ children: ComponentChildren }, { fault: string | null }> {
  override state = { fault: null };

  static override getDerivedStateFromError(fault: unknown) {
    return { fault: fault instanceof Error ? fault.message : String(fault) };
  }

  override componentDidCatch(fault: unknown) {
    console.error(fault);
  }

  override render() {
    return this.state.fault === null ? (
      this.props.children
    ) : (
      <Empty title="This section cannot be shown.">{this.state.fault}</Empty>
    );
  }
}
