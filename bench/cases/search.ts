import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createHands, type Hands } from '@synapse/hands';
import { rgPath } from '@vscode/ripgrep';
import { measure } from '../measure.ts';
import { megabytes, time, type Row } from '../result.ts';

const GROUP = 'The search index, in a repository of more than 20,000 files';
/** Options with which ripgrep searches the same files. */
const SAME_FILES = ['--no-config', '--no-messages', '--no-ignore-global', '--no-ignore-dot', '--no-require-git'] as const;
const RARE = 'regeneratorRuntime';

interface Case {
  readonly what: string;
  readonly call: readonly [string, object];
  /** Arguments of ripgrep for the same. */
  readonly bare: readonly string[];
  /** Maximum milliseconds. */
  readonly atMost: number | undefined;
}

const CASES: readonly Case[] = [
  { what: 'a rare word', call: ['search_text', { pattern: RARE, literal: true }], bare: ['--json', '-F', RARE, '.'], atMost: 10 },
  { what: 'a word that is nowhere', call: ['search_text', { pattern: 'nothingOfThis' }], bare: ['--json', 'nothingOfThis', '.'], atMost: 10 },
  {
    what: 'a regular expression',
    call: ['search_text', { pattern: 'regenerator\\w+' }],
    bare: ['--json', 'regenerator\\w+', '.'],
    atMost: undefined,
  },
  { what: 'find_files **/*.ts', call: ['find_files', { glob: '**/*.ts' }], bare: ['--files', '-g', '**/*.ts'], atMost: 5 },
  { what: 'find_files, nothing', call: ['find_files', { glob: '**/nothing*.ts' }], bare: ['--files', '-g', '**/nothing*.ts'], atMost: undefined },
];

async function must(hands: Hands, [tool, input]: readonly [string, object]): Promise<void> {
  const result = await hands.call(tool, input);
  if (!result.ok) throw new Error(`${tool}: ${result.error.message}`);
}

const ripgrep = (cwd: string, words: readonly string[]): Promise<void> =>
  new Promise((resolve) => void execFile(rgPath, [...SAME_FILES, ...words], { cwd, maxBuffer: 1e9 }, () => resolve()));

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Compares searches by the index with ripgrep, which searches the same files. */
export async function searchCases(repository: string): Promise<Row[]> {
  const state = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-search-')));
  try {
    await using hands = await createHands({ workspace: repository, stateFolder: state });
    const absent = ['search_text', { pattern: 'nothingOfThis', literal: true }] as const;
    const bare = await timed(() => ripgrep(repository, ['--json', '-F', 'nothingOfThis', '.']));
    const before = process.memoryUsage().rss;
    const first = await timed(() => must(hands, absent));
    const began = performance.now();
    // The index answers once it is built.
    while ((await timed(() => must(hands, absent))) > bare / 4 && performance.now() - began < 120_000) await pause(100);
    const built = performance.now() - began;
    const row = (what: string, ours: string, rest: Partial<Row> = {}): Row => ({
      group: GROUP,
      what,
      ours,
      peer: '',
      compared: '',
      target: '',
      met: true,
      ...rest,
    });
    const rows = [
      row('the first search, without the index', time(first), { peer: `${time(bare)} (rg)` }),
      row('until the index answers', time(built)),
      row('memory of the process', `+${megabytes(process.memoryUsage().rss - before)}`),
    ];
    for (const { what, call, bare: words, atMost } of CASES) {
      const [mine, theirs] = await measure(
        [
          { name: 'ours', run: () => must(hands, call) },
          { name: 'rg', run: () => ripgrep(repository, words) },
        ],
        { rounds: 21, perRound: 1, warmUp: 3 },
      );
      const [ours, peer] = [mine?.median ?? Number.NaN, theirs?.median ?? Number.NaN];
      const target = atMost === undefined ? {} : { target: `≤ ${atMost} ms`, met: ours <= atMost };
      rows.push(row(what, time(ours), { peer: `${time(peer)} (rg)`, compared: `${(peer / ours).toFixed(1)}× faster`, ...target }));
    }
    return rows;
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}
