import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { createHands } from '@synapse/hands';
import { measure, speedup } from '../measure.ts';
import { openMcp } from '../mcp-session.ts';
import { time, type Row } from '../result.ts';
import type { Scratch } from '../scratch.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs a program to its end and discards its output. */
function run(cwd: string, program: string, programArguments: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, programArguments, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.resume();
    child.on('error', reject);
    child.on('close', () => resolve());
  });
}

interface Case {
  readonly what: string;
  readonly peer: string;
  readonly tool: string;
  readonly input: unknown;
  readonly bare: readonly [string, ...string[]];
  readonly atMost: number;
}

/** The files of search_text: no user settings, and only .gitignore. */
const SAME_FILES = ['--no-config', '--no-messages', '--no-ignore-global', '--no-ignore-dot', '--no-require-git'] as const;

const CASES: readonly Case[] = [
  {
    what: 'search_text, a rare word',
    peer: 'rg',
    tool: 'search_text',
    input: { pattern: 'regeneratorRuntime', literal: true },
    bare: [rgPath, '--json', '-F', 'regeneratorRuntime', '.'],
    atMost: 1.15,
  },
  {
    what: 'search_text, a rare word',
    peer: 'rg with the same ignore rules',
    tool: 'search_text',
    input: { pattern: 'regeneratorRuntime', literal: true },
    bare: [rgPath, ...SAME_FILES, '--json', '-F', 'regeneratorRuntime', '.'],
    atMost: 1.15,
  },
  {
    what: 'search_text, a regular expression',
    peer: 'rg',
    tool: 'search_text',
    input: { pattern: 'class\\s+\\w+\\s+extends\\s+\\w+zz' },
    bare: [rgPath, '--json', 'class\\s+\\w+\\s+extends\\s+\\w+zz', '.'],
    atMost: 1.15,
  },
  {
    what: 'search_text, a regular expression',
    peer: 'rg with the same ignore rules',
    tool: 'search_text',
    input: { pattern: 'class\\s+\\w+\\s+extends\\s+\\w+zz' },
    bare: [rgPath, ...SAME_FILES, '--json', 'class\\s+\\w+\\s+extends\\s+\\w+zz', '.'],
    atMost: 1.15,
  },
  {
    what: 'find_files **/*.ts',
    peer: 'rg --files',
    tool: 'find_files',
    input: { glob: '**/*.ts' },
    bare: [rgPath, '--files', '-g', '**/*.ts'],
    atMost: 1.05,
  },
  { what: 'git_status', peer: 'git status', tool: 'git_status', input: {}, bare: ['git', 'status', '--porcelain=v2', '--branch'], atMost: 1.2 },
];

/** Compares searches and git with the plain programs, and find_files with the file-system server. */
export async function processCases(repository: string, { state }: Scratch): Promise<Row[]> {
  await using hands = await createHands({ workspace: repository, stateFolder: state });
  const rows: Row[] = [];
  for (const { what, peer, tool, input, bare, atMost } of CASES) {
    const ours = async (): Promise<void> => {
      const result = await hands.call(tool, input);
      if (!result.ok) throw new Error(`${tool}: ${result.error.message}`);
    };
    const [mine, theirs] = await measure(
      [
        { name: 'ours', run: ours },
        { name: peer, run: () => run(repository, bare[0], bare.slice(1)) },
      ],
      { rounds: 31, perRound: 1, warmUp: 2 },
    );
    const ratio = speedup(theirs, mine);
    rows.push({
      group: 'A repository of more than 20,000 files',
      what,
      ours: time(mine?.median ?? 0),
      peer: `${time(theirs?.median ?? 0)} (${peer})`,
      compared: `${ratio.toFixed(2)}×`,
      target: `≤ ${atMost}×`,
      met: ratio <= atMost,
    });
  }
  rows.push(await findFilesAgainstServer(repository, hands));
  return rows;
}

async function findFilesAgainstServer(repository: string, hands: Awaited<ReturnType<typeof createHands>>): Promise<Row> {
  const server = join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');
  await using session = await openMcp([process.execPath, server, repository]);
  const [mine, theirs] = await measure(
    [
      { name: 'ours', run: () => hands.call('find_files', { glob: '**/*.ts' }) },
      { name: 'peer', run: () => session.call('search_files', { path: repository, pattern: '**/*.ts', excludePatterns: ['.git'] }) },
    ],
    { rounds: 3, perRound: 1 },
  );
  const times = speedup(mine, theirs);
  return {
    group: 'A repository of more than 20,000 files',
    what: 'find_files **/*.ts',
    ours: time(mine?.median ?? 0),
    peer: `${time(theirs?.median ?? 0)} (server-filesystem search_files)`,
    compared: `${times.toFixed(1)}× faster`,
    target: '≥ 15×',
    met: times >= 15,
  };
}
