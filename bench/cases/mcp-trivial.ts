import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure, median, speedup, type Timing } from '../measure.ts';
import { openMcp } from '../mcp-session.ts';
import { time, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

const server = (name: string): string => fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url));

/** Minimum share of the calls that a bare server answers in the same time. */
const MIN_SHARE = 0.85;

/** Pairs of servers to measure: the scheduler places each pair separately, which can double the time. */
const PAIRS = 5;

/** Compares a call that does nothing with a server made of the SDK alone. */
export async function mcpTrivialCases({ folder, state }: Scratch): Promise<Row[]> {
  const pairs: (readonly [Timing | undefined, Timing | undefined])[] = [];
  for (let pair = 0; pair < PAIRS; pair += 1) {
    await using ours = await openMcp([process.execPath, server('trivial'), folder, join(state, `trivial-${pair}`)]);
    await using bare = await openMcp([process.execPath, server('bare')]);
    const [mine, peer] = await measure(
      [
        { name: 'ours', run: () => ours.call('echo', { text: 'hello' }) },
        { name: 'bare', run: () => bare.call('echo', { text: 'hello' }) },
      ],
      { rounds: 6, perRound: 1_000, warmUp: 4_000 },
    );
    pairs.push([mine, peer]);
  }
  const shares = pairs.map(([mine, peer]) => speedup(mine, peer));
  const share = median(shares);
  const middle = (side: 0 | 1, figure: 'median' | 'p99'): string => time(median(pairs.map((pair) => pair[side]?.[figure] ?? 0)));
  return [
    {
      group: 'MCP over stdio, against a bare server of the SDK 2.x',
      what: 'a call that does nothing',
      ours: `${middle(0, 'median')} (p99 ${middle(0, 'p99')})`,
      peer: `${middle(1, 'median')} (p99 ${middle(1, 'p99')})`,
      compared: `${share.toFixed(2)}× the calls; of ${PAIRS} pairs ${Math.min(...shares).toFixed(2)} to ${Math.max(...shares).toFixed(2)}`,
      target: `≥ ${MIN_SHARE}×`,
      met: share >= MIN_SHARE,
    },
  ];
}
