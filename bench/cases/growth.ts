import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { measure, median } from '../measure.ts';
import { time, type Row } from '../result.ts';

const FILES_GROUP = 'Growth: warm calls over the files of the workspace';
const CALLS_GROUP = 'Growth: calls over earlier calls';
const BIG_GROUP = 'The repository searched, warm';
const FILES = [100, 1_000, 10_000, 100_000];
const CALLS = [1_000, 10_000, 100_000];
const PER_FOLDER = 10;
/** Maximum milliseconds spent on earlier calls. */
const FILL_MS = 60_000;
const ROUNDS = 7;

/** A tool and the input of its call; `run` varies the input. */
const TOOLS: ReadonlyArray<readonly [string, (run: number) => readonly [string, unknown]]> = [
  ['read_file', () => ['read_file', { path: 'd0/f0.ts' }]],
  ['list_directory', () => ['list_directory', { path: 'd0' }]],
  ['write_file', (run) => ['write_file', { path: 'written.txt', content: `${run}\n` }]],
  ['search_text, one folder', () => ['search_text', { pattern: 'needle', path: 'd0' }]],
  ['search_text, all', () => ['search_text', { pattern: 'needle' }]],
  ['find_files, unchanged', () => ['find_files', { glob: '**/*.ts' }]],
  ['git_status, unchanged', () => ['git_status', {}]],
  ['git_log, unchanged', () => ['git_log', {}]],
  ['run_command true', () => ['run_command', { command: 'true' }]],
];

async function must(hands: Hands, [tool, input]: readonly [string, unknown]): Promise<void> {
  const result = await hands.call(tool, input);
  if (!result.ok) throw new Error(`${tool}: ${result.error.message}`);
}

const git = (cwd: string, ...words: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.com', ...words], { cwd, stdio: 'ignore' });

function makeWorkspace(base: string, files: number): string {
  const root = join(base, `files-${files}`);
  for (let index = 0; index < files; index += 1) {
    const folder = join(root, `d${Math.floor(index / PER_FOLDER)}`);
    if (index % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `f${index % PER_FOLDER}.ts`), `export const value = ${index};\n`);
  }
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'all');
  return root;
}

async function overFiles(base: string): Promise<Row[]> {
  const medians = new Map<string, string[]>(TOOLS.map(([name]) => [name, []]));
  for (const files of FILES) {
    const workspace = makeWorkspace(base, files);
    await using hands = await createHands({ workspace, stateFolder: join(base, `state-${files}`), allow: ['write', 'exec'] });
    for (const [name, callOf] of TOOLS) {
      let run = 0;
      const [timing] = await measure([{ name, run: () => must(hands, callOf((run += 1))) }], { rounds: ROUNDS, perRound: 1, warmUp: 4 });
      medians.get(name)?.push(time(timing?.median ?? 0));
    }
  }
  const head = FILES.map((files) => files.toLocaleString('en')).join(' / ');
  return Array.from(medians, ([what, times]) => ({
    group: FILES_GROUP,
    what,
    ours: times.join(' / '),
    peer: '',
    compared: `${head} files`,
    target: '',
    met: true,
  }));
}

async function overCalls(base: string): Promise<Row[]> {
  const workspace = makeWorkspace(join(base, 'calls'), 100);
  await using hands = await createHands({ workspace, stateFolder: join(base, 'state-calls'), allow: ['write'] });
  const rows: Row[] = [];
  let made = 0;
  const until = performance.now() + FILL_MS;
  for (const calls of CALLS) {
    for (; made < calls && performance.now() < until; made += 1) {
      await must(hands, made % 4 === 0 ? ['write_file', { path: `w${made % 40}.txt`, content: String(made) }] : ['read_file', { path: 'd0/f0.ts' }]);
    }
    const once = async (what: string, call: (run: number) => readonly [string, unknown]): Promise<string> => {
      let run = 0;
      const [timing] = await measure([{ name: what, run: () => must(hands, call((run += 1))) }], { rounds: 15, perRound: 10 });
      return time(timing?.median ?? 0);
    };
    const read = await once('read', () => ['read_file', { path: 'd0/f0.ts' }]);
    const write = await once('write', (run) => ['write_file', { path: 'now.txt', content: String(run) }]);
    const after = made.toLocaleString('en');
    rows.push({
      group: CALLS_GROUP,
      what: `after ${after} calls`,
      ours: `read ${read}, write ${write}`,
      peer: '',
      compared: '',
      target: '',
      met: true,
    });
    if (made < calls) break;
  }
  return rows;
}

/** Measures unchanged calls in the large repository, and programs through run_command against the plain ones. */
async function inRepository(repository: string, base: string): Promise<Row[]> {
  await using hands = await createHands({ workspace: repository, stateFolder: join(base, 'state-big'), allow: ['exec'] });
  const rows: Row[] = [];
  const unchanged = [
    ['git_status', {}, 5],
    ['git_log', {}, 5],
    ['find_files', { glob: '**/*.ts' }, undefined],
  ] as const;
  // The second request builds the index.
  await must(hands, ['run_command', { command: 'true' }]);
  for (const [tool, input, atMost] of unchanged) {
    const [timing] = await measure([{ name: tool, run: () => must(hands, [tool, input]) }], { rounds: 15, perRound: 1, warmUp: 3 });
    const ours = timing?.median ?? Number.NaN;
    const target = atMost === undefined ? '' : `< ${atMost} ms`;
    rows.push({
      group: BIG_GROUP,
      what: `${tool}, unchanged`,
      ours: time(ours),
      peer: '',
      compared: '',
      target,
      met: atMost === undefined || ours < atMost,
    });
  }
  for (const command of ['git status', 'grep -rc needle packages area-0 src 2>/dev/null | tail -1', 'true']) {
    const plain = (): void => void execFileSync('/bin/sh', ['-c', command], { cwd: repository, stdio: 'ignore' });
    const [mine, theirs] = await measure(
      [
        { name: 'ours', run: () => must(hands, ['run_command', { command }]) },
        { name: 'plain', run: async () => plain() },
      ],
      { rounds: 9, perRound: 1, warmUp: 2 },
    );
    const [ours, peer] = [mine?.median ?? 0, theirs?.median ?? 0];
    const ratio = median((mine?.means ?? []).map((mean, round) => mean / (theirs?.means[round] ?? Number.NaN)));
    rows.push({
      group: BIG_GROUP,
      what: `run_command ${command.split(' -', 1)[0]}`,
      ours: time(ours),
      peer: `${time(peer)} (plain)`,
      compared: `${ratio.toFixed(2)}×, +${time(Math.max(0, ours - peer))}`,
      target: '≤ 1.1× + 15 ms',
      met: ours <= 1.1 * peer + 15,
    });
  }
  return rows;
}

/** Measures how costs grow with the workspace and with earlier calls. */
export async function growthCases(repository: string): Promise<Row[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-growth-')));
  try {
    return [...(await overFiles(base)), ...(await overCalls(base)), ...(await inRepository(repository, base))];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
