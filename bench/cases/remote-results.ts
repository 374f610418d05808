import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands } from '@synapse/hands';
import type { CallResult } from '@synapse/protocol';
import { sessionUrl } from '@synapse/remote';
import { connectHands } from '@synapse/remote/brain';
import { MeasuredProcess } from '../../packages/remote/src/fixtures/measured-process.ts';
import { openBare, rate } from '../bare-parties.ts';
import { measure } from '../measure.ts';
import { time, type Row } from '../result.ts';

const GROUP = 'Large results from far away, through a relay that commits each message';
const ROUNDS = 5;

/** Source text: lines with quotes and tabs, as JSON escapes them. */
function sourceText(bytes: number): string {
  let text = '';
  for (let line = 1; text.length < bytes; line += 1) text += `\tconst value${line} = read("field ${line}", ${line % 7});\n`;
  return text.slice(0, bytes - 1) + '\n';
}

interface Case {
  readonly what: string;
  readonly bytes: number;
  readonly calls: number;
  readonly inFlight: number;
  readonly call: readonly [tool: string, input: object];
  readonly target: number;
}

const KB_64 = 65_536;
const MB = 1_048_576;

const CASES: readonly Case[] = [
  { what: 'read_file of 64 KB, 1 in flight', bytes: KB_64, calls: 60, inFlight: 1, call: ['read_file', { path: 'kb64.ts' }], target: 0.6 },
  { what: 'read_file of 64 KB, 8 in flight', bytes: KB_64, calls: 240, inFlight: 8, call: ['read_file', { path: 'kb64.ts' }], target: 0.6 },
  { what: 'read_file of 1 MB, 1 in flight', bytes: MB, calls: 12, inFlight: 1, call: ['read_file', { path: 'mb1.ts', limit: 100_000 }], target: 0.5 },
  { what: 'read_file of 1 MB, 8 in flight', bytes: MB, calls: 40, inFlight: 8, call: ['read_file', { path: 'mb1.ts', limit: 100_000 }], target: 0.5 },
];

/** A machine that runs tools, here or far away. */
interface Callable {
  call(name: string, input: object): Promise<CallResult>;
}

/** Outputs of commands far away, beside the same command here and as many bytes through the bare relay. */
async function commandRows(far: Callable, here: Callable, bare: (size: number) => Promise<unknown>): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [name, file, bytes, target] of [
    ['64 KB', 'kb64.ts', KB_64, 0.6],
    ['1 MB', 'mb1.ts', MB, 0.5],
  ] as const) {
    const run = async (hands: Callable): Promise<void> => {
      const result = await hands.call('run_command', { command: `cat ${file}` });
      if (!result.ok || result.output.length < bytes) throw new Error(`cat ${file}: ${result.ok ? result.output.length : result.error.message}`);
    };
    const contenders = [
      { name: 'far', run: async () => await run(far) },
      { name: 'here', run: async () => await run(here) },
      { name: 'bare', run: async () => await bare(bytes / 2) },
    ];
    const measured = await measure(contenders, { rounds: 2 * ROUNDS, perRound: 10, warmUp: 5 });
    const [ours = NaN, local = NaN, floor = NaN] = measured.map(({ median }) => median);
    const share = (local + floor) / ours;
    rows.push({
      group: GROUP,
      what: `run_command with ${name} of output`,
      ours: time(ours),
      peer: `${time(local)} here, and ${time(floor)} (bare ws relay)`,
      compared: `${share.toFixed(2)}×`,
      target: `≥ ${target}×`,
      met: share >= target,
    });
  }
  return rows;
}

/** Compares results of `read_file` and `run_command` through Synapse with as many bytes through a relay that only commits and forwards. */
export async function remoteResultCases(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-bench-results-'));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const [workspace, state] = [join(folder, 'workspace'), join(folder, 'state')];
  for (const one of [workspace, state]) mkdirSync(one);
  writeFileSync(join(workspace, 'kb64.ts'), sourceText(KB_64));
  writeFileSync(join(workspace, 'mb1.ts'), sourceText(MB));
  writeFileSync(join(state, 'config.jsonc'), JSON.stringify({ permissions: { allow: ['exec(cat **)'] } }));
  const relay = stack.use(new MeasuredProcess('relay-process', ['0', join(folder, 'relay.sqlite')]));
  const url = await relay.line();
  const words = [sessionUrl(url, 'desk'), workspace, state, join(folder, 'counter'), '', '1', '0', '0.1', '', '0', String(4 * MB)];
  stack.use(new MeasuredProcess('hands-process', words));
  const brain = stack.use(connectHands(url, { session: 'desk', jitter: () => 0.05 }));
  const bare = await openBare(folder, stack);
  const rows: Row[] = [];
  for (const { what, bytes, calls, inFlight, call, target } of CASES) {
    const [tool, input] = call;
    const ours = async (): Promise<void> => {
      const result = await brain.call(tool, input);
      if (!result.ok || result.output.length < bytes) throw new Error(`${what}: ${result.ok ? result.output.length : result.error.message}`);
    };
    const theirs = (): Promise<unknown> => bare(bytes / 2);
    const best = { ours: 0, bare: 0 };
    await rate(ours, Math.ceil(calls / 3), inFlight);
    for (let round = 0; round < ROUNDS; round += 1) {
      best.ours = Math.max(best.ours, await rate(ours, calls, inFlight));
      best.bare = Math.max(best.bare, await rate(theirs, calls, inFlight));
    }
    const share = best.ours / best.bare;
    rows.push({
      group: GROUP,
      what,
      ours: `${best.ours.toFixed(0)}/s`,
      peer: `${best.bare.toFixed(0)}/s (bare ws relay)`,
      compared: `${share.toFixed(2)}×`,
      target: `≥ ${target}×`,
      met: share >= target,
    });
  }
  const limits = { outputBytes: 4 * MB, outputLines: 1_000_000 };
  await using here = await createHands({ workspace, stateFolder: join(folder, 'here'), configFolder: state, limits });
  return [...rows, ...(await commandRows(brain, here, bare))];
}
