import type { WantedCall } from './model-turn.ts';

/** Reading calls at a time. */
const MAX_PARALLEL = 8;

/**
 * Runs the calls of one turn. Calls that only read run side by side; one that changes something waits for those before
 * it, and those after it wait for it. Results come in the order of the calls.
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
