import type { ConsoleRun } from '@synapse/protocol/console';
import { useEffect, useState } from 'preact/hooks';
import { count, duration, visible } from '../parts/format.ts';

/** The time now, each second while something runs. */
function useNow(runs: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [runs]);
  return now;
}

/** What a run has used so far. */
export function RunFacts({ run: { steps, calls, tokens, costUsd, startedAt, endedAt, status, brain, elsewhere } }: { readonly run: ConsoleRun }) {
  const isOn = endedAt === undefined && elsewhere === undefined && status !== 'paused';
  const now = useNow(isOn);
  const current = steps.find((step) => step.status === 'running') ?? steps.findLast((step) => step.status === 'done');
  const time =
    endedAt === undefined ? (isOn ? duration(Math.max(0, Math.floor((now - startedAt) / 1_000) * 1_000)) : undefined) : duration(endedAt - startedAt);
  const facts = [
    current === undefined ? undefined : `Step ${current.index}/${steps.length}`,
    count(calls, 'call'),
    tokens === undefined ? undefined : count(tokens, 'token'),
    costUsd === undefined || costUsd === 0 ? undefined : `$${costUsd.toFixed(4)}`,
    time,
    visible(brain),
  ];
  return (
    <p class="run-facts">
      {facts
        .filter((fact) => fact !== undefined && fact !== '')
        .map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
    </p>
  );
}
