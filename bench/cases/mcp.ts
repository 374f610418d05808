import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { measure, median, NOT_MEASURED, speedup } from '../measure.ts';
import { openMcp } from '../mcp-session.ts';
import { time, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const cli = join(repository, 'packages/cli/bin/synapse.js');
const filesystemServer = join(repository, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

const MIN_SPEEDUP = 1.5;
/** By then, the compilers of both servers have settled. */
const WARM_UP_ROUNDS = 5;
const MAX_START_MS = 300;
/** No slower than the peer, within the variation between runs. */
const MAX_START_RATIO = 1.05;

interface Case {
  readonly what: string;
  /** Enough for some tenths of a second: a shorter round measures how the processor adapts to another program. */
  readonly perRound: number;
  readonly ours: readonly [string, unknown];
  readonly theirs: readonly [string, unknown];
}

const cases = (folder: string): readonly Case[] => [
  {
    what: 'read_file 4 KB',
    ours: ['read_file', { path: 'f4k.txt' }],
    theirs: ['read_text_file', { path: join(folder, 'f4k.txt') }],
    perRound: 1_000,
  },
  {
    what: 'list_directory 100',
    ours: ['list_directory', { path: 'd100' }],
    theirs: ['list_directory_with_sizes', { path: join(folder, 'd100') }],
    perRound: 300,
  },
];

type McpCommand = Parameters<typeof openMcp>[0];

/** Compares MCP over stdio with the reference file-system server, both with the same raw client. */
export async function mcpCases({ folder, state }: Scratch): Promise<Row[]> {
  const environment = { ...process.env, XDG_STATE_HOME: state };
  const oursCommand = [process.execPath, cli, 'mcp', '--workspace', folder] as const;
  const theirsCommand = [process.execPath, filesystemServer, folder] as const;
  await using ours = await openMcp(oursCommand, environment);
  await using theirs = await openMcp(theirsCommand, environment);
  const rows: Row[] = [];
  for (const {
    what,
    ours: [name, input],
    theirs: [theirName, theirInput],
    perRound,
  } of cases(folder)) {
    const [mine = NOT_MEASURED, peer = NOT_MEASURED] = await measure(
      [
        { name: 'ours', run: () => ours.call(name, input) },
        { name: 'peer', run: () => theirs.call(theirName, theirInput) },
      ],
      { rounds: 30, perRound, warmUp: WARM_UP_ROUNDS * perRound },
    );
    const times = speedup(mine, peer);
    rows.push({
      group: 'MCP over stdio, against @modelcontextprotocol/server-filesystem',
      what,
      ours: `${time(mine.median)} (p99 ${time(mine.p99)})`,
      peer: `${time(peer.median)} (p99 ${time(peer.p99)})`,
      compared: `${times.toFixed(2)}× the calls`,
      target: '≥ 1.5×, p99 no worse',
      met: times >= MIN_SPEEDUP && mine.p99 <= peer.p99,
    });
  }
  return [...rows, await startCase(oursCommand, theirsCommand, environment)];
}

/** Compares how long the servers take from their start to the first list of tools. */
async function startCase(oursCommand: McpCommand, theirsCommand: McpCommand, environment: NodeJS.ProcessEnv): Promise<Row> {
  const starts = { ours: [] as number[], theirs: [] as number[] };
  const commands = [
    ['ours', oursCommand],
    ['theirs', theirsCommand],
  ] as const;
  for (let round = 0; round < 15; round += 1) {
    for (const [key, command] of round % 2 === 0 ? commands : commands.toReversed()) {
      await using session = await openMcp(command, environment);
      starts[key].push(session.firstList);
    }
  }
  const [ours, theirs] = [median(starts.ours), median(starts.theirs)];
  return {
    group: 'Start',
    what: 'synapse mcp to the first tools/list answer',
    ours: time(ours),
    peer: `${time(theirs)} (server-filesystem)`,
    compared: `${(ours / theirs).toFixed(2)}×`,
    target: '< 300 ms, about as fast',
    met: ours < MAX_START_MS && ours <= MAX_START_RATIO * theirs,
  };
}
