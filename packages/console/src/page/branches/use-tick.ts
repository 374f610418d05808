import { useEffect, useState } from 'preact/hooks';

/** A number that grows while the page is looked at, for what no event tells. */
export function useTick(ms: number): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && setTick((before) => before + 1), ms);
    return () => clearInterval(timer);
  }, [ms]);
  return tick;
}
