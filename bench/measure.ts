import { setTimeout as pause } from 'node:timers/promises';

/** Code to time; `run` executes it once. */
export interface Contender {
  readonly name: string;
  readonly run: () => Promise<unknown>;
  /** Clears up after the runs of a round. Not timed. */
  readonly after?: () => Promise<void>;
}

/** The measurements of one contender, in milliseconds. */
export interface Timing {
  readonly name: string;
  readonly median: number;
  readonly p99: number;
  readonly runs: number;
  /** The mean of each round: what sequential callers experience. */
  readonly means: readonly number[];
}

/** Stands for a contender that was not measured. */
export const NOT_MEASURED: Timing = { name: '', median: 0, p99: 0, runs: 0, means: [] };

/** How often to run. */
export interface Rounds {
  readonly rounds: number;
  /** Runs of each contender per round; a round is one sample of its mean. */
  readonly perRound: number;
  /** Uncounted runs of each contender: a just-in-time compiler takes a thousand to settle. Default: 1. */
  readonly warmUp?: number;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  );
}

/** Returns the calls of the first contender per call of the second: the median of all rounds. */
export function speedup(ours: Timing | undefined, peer: Timing | undefined): number {
  return median((peer?.means ?? []).map((mean, round) => mean / (ours?.means[round] ?? Number.NaN)));
}

/**
 * Times contenders in turn, A B B A …, so that a machine that slows down affects all of them, and none
 * always follows the same other one.
 */
export async function measure(contenders: readonly Contender[], { rounds, perRound, warmUp = 1 }: Rounds): Promise<Timing[]> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const means = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const { run, after } of contenders) {
    for (let count = 0; count < warmUp; count += 1) await run();
    await after?.();
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run, after } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const began = performance.now();
      for (let count = 0; count < perRound; count += 1) {
        const started = performance.now();
        await run();
        samples.get(name)?.push(performance.now() - started);
      }
      means.get(name)?.push((performance.now() - began) / perRound);
      await after?.();
    }
    await pause(1);
  }
  return contenders.map(({ name }) => {
    const sorted = (samples.get(name) ?? []).toSorted((a, b) => a - b);
    return { name, median: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), runs: sorted.length, means: means.get(name) ?? [] };
  });
}
