import type { ConsoleCall } from '@synapse/protocol/console';

/** Returns the index of the first call that is not before `n`. */
export function lowerBound(calls: readonly ConsoleCall[], n: number): number {
  let low = 0;
  let high = calls.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((calls[middle]?.n ?? 0) < n) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a received call is older than the known one. Updates can arrive out of order. */
function isOlder(came: ConsoleCall, known: ConsoleCall): boolean {
  return came.status === 'running' && known.status !== 'running';
}

/**
 * Merges calls into a list ordered by `n`. Merging a call twice has no effect, so repeated transmissions neither lose
 * nor duplicate calls.
 */
export function mergeCalls(calls: readonly ConsoleCall[], came: readonly ConsoleCall[]): readonly ConsoleCall[] {
  const [first] = came;
  const last = came.at(-1);
  if (first === undefined || last === undefined) return calls;
  const ordered = came.every(({ n }, index) => index === 0 || n > (came[index - 1]?.n ?? 0));
  // Older calls are prepended as a whole, which is the usual case for history.
  if (ordered && last.n < (calls[0]?.n ?? Number.POSITIVE_INFINITY)) return [...came, ...calls];
  const next = [...calls];
  for (const call of ordered ? came : came.toSorted((a, b) => a.n - b.n)) {
    const newest = next.at(-1);
    if (newest === undefined || newest.n < call.n) {
      next.push(call);
      continue;
    }
    const at = lowerBound(next, call.n);
    const known = next[at];
    if (known?.n !== call.n) next.splice(at, 0, call);
    else if (!isOlder(call, known)) next[at] = call;
  }
  return next;
}
