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
}

/** How often to run. */
export interface Rounds {
  readonly rounds: number;
  /** Runs of each contender in a round; a round is one sample of its mean. */
  readonly perRound: number;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * Times contenders in turn, A B A B …, so that a machine that gets slower gets slower for all of them.
 */
export async function measure(contenders: readonly Contender[], { rounds, perRound }: Rounds): Promise<Timing[]> {
  const samples = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  for (const { run } of contenders) await run();
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, run } of contenders) {
      for (let count = 0; count < perRound; count += 1) {
        const started = performance.now();
        await run();
        samples.get(name)?.push(performance.now() - started);
      }
    }
    await pause(1);
  }
  return contenders.map(({ name }) => {
    const sorted = (samples.get(name) ?? []).toSorted((a, b) => a - b);
    return { name, median: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), runs: sorted.length };
  });
}
