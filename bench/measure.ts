import { setTimeout as pause } from 'node:timers/promises';

/** One thing to time. `run` does it once. */
export interface Contender {
  readonly name: string;
  readonly run: () => Promise<unknown>;
}

/** What was measured of one contender, in milliseconds. */
export interface Timing {
  readonly name: string;
  readonly median: number;
  readonly p99: number;
  readonly runs: number;
  /** The mean of each round: what a caller gets who makes one call after the other. */
  readonly means: readonly number[];
}

/** How often to run. */
export interface Rounds {
  readonly rounds: number;
  /** Runs of each contender in a round; a round is one sample of its mean. */
  readonly perRound: number;
  /** Runs of each contender that are not counted: a just-in-time compiler takes a thousand to settle. Default: 1. */
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

/** How many calls the first contender makes in the time in which the second makes one, in the middle of all rounds. */
export function speedup(ours: Timing | undefined, peer: Timing | undefined): number {
  return median((peer?.means ?? []).map((mean, round) => mean / (ours?.means[round] ?? Number.NaN)));
}

/**
 * Times contenders in turn, A B B A …, so that a machine that gets slower gets slower for all of them, and none
 * always comes after the same other.
 */
export async function measure(contenders: readonly Contender[], { rounds, perRound, warmUp = 1 }: Rounds): Promise<Timing[]> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const means = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const { run } of contenders) for (let count = 0; count < warmUp; count += 1) await run();
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const began = performance.now();
      for (let count = 0; count < perRound; count += 1) {
        const started = performance.now();
        await run();
        samples.get(name)?.push(performance.now() - started);
      }
      means.get(name)?.push((performance.now() - began) / perRound);
    }
    await pause(1);
  }
  return contenders.map(({ name }) => {
    const sorted = (samples.get(name) ?? []).toSorted((a, b) => a - b);
    return { name, median: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), runs: sorted.length, means: means.get(name) ?? [] };
  });
}
