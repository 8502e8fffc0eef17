import { useEffect, useRef, useState } from "preact/hooks";
import { type Placed, type Plan, placed } from "./layout";
import LayoutWorker from "./worker?worker&inline";

/** The plan laid out by a worker; the picture before it stays until it is there. */
export function useLayout(plan: Plan): Placed | null {
  const [found, setFound] = useState<Placed | null>(null);
  const worker = useRef<Worker | "none" | null>(null);
  const job = useRef(0);
  useEffect(() => () => void (worker.current instanceof Worker && worker.current.terminate()), []);
  useEffect(() => {
    const mine = ++job.current;
    // where there are no workers it is done here
    const here = () => mine === job.current && setFound(placed(plan));
    const failed = () => {
      worker.current = "none";
      here();
    };
    if (worker.current === "none") return void here();
    try {
      worker.current ??= new LayoutWorker();
      worker.current.onmessage = ({ data }: MessageEvent<{ job: number; placed: Placed }>) => {
        if (data.job === job.current) setFound(data.placed);
      };
      worker.current.onerror = failed;
      worker.current.postMessage({ job: mine, plan });
    } catch {
      failed();
    }
  }, [plan]);
  return found;
}
