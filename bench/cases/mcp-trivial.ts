import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure } from '../measure.ts';
import { openMcp } from '../mcp-session.ts';
import { time, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

const server = (name: string): string => fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url));

/** Of the calls that a bare server answers in the same time. */
const MIN_SHARE = 0.85;

/** A call that does nothing, against a server that is nothing but the SDK. */
export async function mcpTrivialCases({ folder, state }: Scratch): Promise<Row[]> {
  await using ours = await openMcp([process.execPath, server('trivial'), folder, join(state, 'trivial')]);
  await using bare = await openMcp([process.execPath, server('bare')]);
  const [mine, peer] = await measure(
    [
      { name: 'ours', run: () => ours.call('echo', { text: 'hello' }) },
      { name: 'bare', run: () => bare.call('echo', { text: 'hello' }) },
    ],
    { rounds: 30, perRound: 100 },
  );
  const share = (peer?.median ?? 0) / (mine?.median ?? 1);
  return [
    {
      group: 'MCP over stdio, against a bare server of the SDK 2.x',
      what: 'a call that does nothing',
      ours: `${time(mine?.median ?? 0)} (p99 ${time(mine?.p99 ?? 0)})`,
      peer: `${time(peer?.median ?? 0)} (p99 ${time(peer?.p99 ?? 0)})`,
      compared: `${share.toFixed(2)}× the calls`,
      target: `≥ ${MIN_SHARE}×`,
      met: share >= MIN_SHARE,
    },
  ];
}
