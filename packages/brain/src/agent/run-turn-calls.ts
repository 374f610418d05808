import type { WantedCall } from './model-turn.ts';

/** Maximum parallel reading calls. */
const MAX_PARALLEL = 8;

/**
 * Runs the calls of one turn. Calls that only read run in parallel; a call that changes something waits for the calls
 * before it, and later calls wait for it. Results keep the order of the calls.
 */
export async function runTurnCalls<Result>(
  calls: readonly WantedCall[],
  reads: (name: string) => boolean,
  run: (call: WantedCall, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Promise<Result>[] = [];
  let together: Promise<Result>[] = [];
  for (const [index, call] of calls.entries()) {
    const alone = !reads(call.name);
    if (alone || together.length >= MAX_PARALLEL) {
      await Promise.all(together);
      together = [];
    }
    const work = run(call, index);
    results.push(work);
    if (alone) await work;
    else together.push(work);
  }
  return await Promise.all(results);
}
