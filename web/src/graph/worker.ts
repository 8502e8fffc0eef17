import { type Plan, placed } from "./layout";

/** A layout takes longer than a frame: the page goes on meanwhile. */
addEventListener("message", (event: MessageEvent<{ job: number; plan: Plan }>) => {
  const { job, plan } = event.data;
  postMessage({ job, placed: placed(plan) });
});
