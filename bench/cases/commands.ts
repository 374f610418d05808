import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHands } from '@synapse/hands';
import { measure } from '../measure.ts';
import { time, type Row } from '../result.ts';

/** The size of the repository in which the cost of commands was first noticed. */
const [FOLDERS, FILES] = [13_041, 27_674];

/** The shell of commands: loops take different times in other shells. */
const SHELL = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

/** This repository, and tests of it that only compute. */
const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const TESTED = ['text', 'output', 'net'].map((folder) => `packages/hands/src/${folder}`);

/** Calls before the measured ones: the targets are for a server that has worked for a while. */
const WARM_UP = 40;
/** The same for commands that make thousands of files, which would keep the disk busy. */
const FEW = 4;

interface Case {
  readonly command: string;
  /** Default: the command. */
  readonly what?: string;
  /** Whether each run adds files. They stay until the end: ext4 avoids inodes that were deleted a moment ago, at ten times the cost. */
  readonly adds?: boolean;
  /** Default: {@link WARM_UP}. */
  readonly warmUp?: number;
  readonly target: string;
  /** @param plain milliseconds of the same command in a plain shell */
  readonly atMost: (plain: number) => number;
}

const CASES: readonly Case[] = [
  { command: 'true', target: '≤ plain + 20 ms', atMost: (plain) => plain + 20 },
  { command: 'date > x', target: '≤ plain + 25 ms', atMost: (plain) => plain + 25 },
  { command: 'git status', target: '≤ 1.1× + 15 ms', atMost: (plain) => 1.1 * plain + 15 },
  { command: 'grep -rc needle d1 d2 d3', target: '≤ 1.1× + 15 ms', atMost: (plain) => 1.1 * plain + 15 },
  {
    command: 'cd "$(mktemp -d ./many-XXXXXX)" && for i in $(seq 2000); do : > $i; done',
    what: '2,000 new files',
    adds: true,
    warmUp: FEW,
    target: '≤ 1.4×',
    atMost: (plain) => 1.4 * plain,
  },
  {
    command: 'tar -xf sources.tar -C "$(mktemp -d ./many-XXXXXX)"',
    what: '2,000 new files, 8 MB, from an archive',
    adds: true,
    warmUp: FEW,
    target: '≤ 1.4×',
    atMost: (plain) => 1.4 * plain,
  },
  {
    command: 'rm -rf many && mkdir many && cd many && for i in $(seq 2000); do : > $i; done',
    what: '2,000 new files in place of 2,000 others',
    warmUp: FEW,
    target: '≤ 1.4×',
    atMost: (plain) => 1.4 * plain,
  },
];

const TESTS: Case = {
  what: `vitest, ${TESTED.length} folders of this repository`,
  command: `${process.execPath} node_modules/vitest/vitest.mjs run ${TESTED.join(' ')} --silent`,
  warmUp: 2,
  target: '≤ 1.1×',
  atMost: (plain) => 1.1 * plain,
};

/** Without garbage collection in the background, while something is measured. */
const git = (cwd: string, ...words: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=B', '-c', 'user.email=b@example.com', '-c', 'gc.auto=0', '-c', 'maintenance.auto=false', ...words], {
    cwd,
    stdio: 'ignore',
  });

/** Creates a repository with a number of folders and files; `d1` to `d3` always exist. */
export function makeRepository(root: string, folders: number, files: number): string {
  for (let index = 0; index < folders; index += 1) mkdirSync(join(root, `d${index % 120}`, `e${index}`), { recursive: true });
  for (let index = 0; index < files; index += 1) {
    const folder = index % folders;
    writeFileSync(join(root, `d${folder % 120}`, `e${folder}`, `f${index}.ts`), `export const value = ${index};\n`);
  }
  const sources = join(root, 'sources');
  mkdirSync(sources);
  for (let index = 0; index < 2_000; index += 1) writeFileSync(join(sources, `s${index}.ts`), `export const value = ${index};\n`.repeat(150));
  execFileSync('tar', ['-cf', 'sources.tar', 'sources'], { cwd: root });
  rmSync(sources, { recursive: true });
  for (const name of ['d1', 'd2', 'd3']) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, 'd1', 'needle.txt'), 'needle\n');
  git(root, 'init', '-q', '-b', 'main');
  git(root, 'add', '-A');
  git(root, 'commit', '-qm', 'all');
  return root;
}

interface Measured {
  readonly group: string;
  readonly workspace: string;
  readonly stateFolder: string;
  readonly cases?: readonly Case[];
  readonly rounds?: number;
}

async function inWorkspace({ group, workspace, stateFolder, cases = CASES, rounds = 11 }: Measured): Promise<Row[]> {
  await using hands = await createHands({ workspace, stateFolder, allow: ['write', 'exec'] });
  const rows: Row[] = [];
  for (const { command, what = command, adds = false, warmUp = WARM_UP, target, atMost } of cases) {
    const ours = async (): Promise<void> => {
      const result = await hands.call('run_command', { command });
      if (!result.ok || result.meta.completion !== 'ok') throw new Error(`${command}: ${result.ok ? result.output : result.error.message}`);
    };
    const plain = async (): Promise<void> => void execFileSync(SHELL, ['-c', command], { cwd: workspace, stdio: 'ignore' });
    const after = async (): Promise<void> => {
      if (!adds) return;
      // What was added is not to be written out, or taken into the index, while the next run is measured.
      execFileSync('sync');
      await hands.call('run_command', { command: 'true' });
    };
    const [mine, theirs] = await measure(
      [
        { name: 'ours', run: ours, after },
        { name: 'plain', run: plain, after },
      ],
      { rounds, perRound: 1, warmUp },
    );
    const [one, other] = [mine?.median ?? Number.NaN, theirs?.median ?? Number.NaN];
    rows.push({
      group,
      what,
      ours: time(one),
      peer: `${time(other)} (plain)`,
      compared: `${(one / other).toFixed(2)}×, +${time(Math.max(0, one - other))}`,
      target,
      met: one <= atMost(other),
    });
  }
  return rows;
}

/** Compares commands with a plain shell, in a small workspace and in a large one. */
export async function commandCases(): Promise<Row[]> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-commands-')));
  try {
    const small = makeRepository(join(base, 'small'), 3, 10);
    const large = makeRepository(join(base, 'large'), FOLDERS, FILES);
    // The files that were just made are not to be written out while commands are measured.
    execFileSync('sync');
    return [
      ...(await inWorkspace({ group: 'Commands, warm, small workspace', workspace: small, stateFolder: join(base, 'state-small') })),
      ...(await inWorkspace({
        group: `Commands, warm, ${FILES.toLocaleString('en')} files`,
        workspace: large,
        stateFolder: join(base, 'state-large'),
      })),
      ...(await inWorkspace({
        group: 'Tests of a project, warm',
        workspace: PROJECT,
        stateFolder: join(base, 'state-project'),
        cases: [TESTS],
        rounds: 5,
      })),
    ];
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
