import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createHands } from '@synapse/hands';
import { BranchStore, FileLocks, holdBranch, type HeldBranch } from '@synapse/hands/internal';
import { measure, median, speedup, type Timing } from '../measure.ts';
import { openMcp, type McpSession } from '../mcp-session.ts';
import { time, type Row } from '../result.ts';
import { makeRepository } from './commands.ts';

const CLI = fileURLToPath(new URL('../../packages/cli/bin/synapse.js', import.meta.url));

/** The repository, and packages beside it that git ignores. */
const [FOLDERS, FILES, PACKAGES, IN_PACKAGE] = [13_041, 27_674, 600, 50];
const BESIDE = 8;
const ROUNDS = 7;
/** Full copies take seconds each. */
const COPIES = 2;
const APPLIED = 10;

const GROUP = `Branches, ${FILES.toLocaleString('en')} files and ${(PACKAGES * IN_PACKAGE).toLocaleString('en')} in node_modules`;

interface Place {
  readonly base: string;
  readonly root: string;
  /** As XDG_STATE_HOME. */
  readonly state: string;
  readonly stateFolder: string;
  readonly store: BranchStore;
}

function makePlace(): Place {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-branches-')));
  const [root, state] = [join(base, 'repository'), join(base, 'state')];
  mkdirSync(root);
  mkdirSync(state);
  writeFileSync(join(root, '.gitignore'), 'node_modules\n');
  makeRepository(root, FOLDERS, FILES);
  for (let index = 0; index < PACKAGES; index += 1) {
    const folder = join(root, 'node_modules', `package-${index}`);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < IN_PACKAGE; file += 1) writeFileSync(join(folder, `${file}.js`), `module.exports = ${file};\n`);
  }
  const stateFolder = join(state, 'synapse');
  return { base, root, state, stateFolder, store: new BranchStore(stateFolder, root) };
}

const milliseconds = async (work: () => Promise<unknown>): Promise<number> => {
  const started = performance.now();
  await work();
  return performance.now() - started;
};

async function hold({ store, stateFolder }: Place, name: string): Promise<HeldBranch> {
  const { folder, record } = store.get(name);
  return await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal: new AbortController().signal });
}

/** Proportional memory of a process, in bytes. */
function memoryOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/mu.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) * 1024;
}

/** Bytes on the disk of a folder with all that is in it. */
function diskOf(path: string): number {
  const stat = lstatSync(path);
  const below = stat.isDirectory() ? readdirSync(path).map((name) => diskOf(join(path, name))) : [];
  // st_blocks are 512 bytes each, whatever the file system has.
  return below.reduce((sum, bytes) => sum + bytes, stat.blocks * 512);
}

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(0)} KB`;

/** Makes and mounts eight branches, some times over. */
async function makingRows(place: Place): Promise<Row[]> {
  const times: number[][] = [];
  const [memory, disk]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    using held = new DisposableStack();
    const names = Array.from({ length: BESIDE }, (_, index) => `b${round}-${index}`);
    const made: number[] = [];
    for (const name of names) {
      made.push(
        await milliseconds(async () => {
          await place.store.create(name);
          held.use(await hold(place, name));
        }),
      );
    }
    times.push(made);
    for (const name of names) {
      const { folder } = place.store.get(name);
      memory.push(memoryOf(Number(readFileSync(folder.holder, 'utf8').split(' ')[0])));
      disk.push(diskOf(folder.path));
    }
  }
  const copies = { worktree: [] as number[], copy: [] as number[] };
  for (let round = 0; round < COPIES; round += 1) {
    const [worktree, copy] = [join(place.base, `worktree${round}`), join(place.base, `copy${round}`)];
    copies.worktree.push(
      await milliseconds(async () => execFileSync('git', ['worktree', 'add', '-q', '--detach', worktree], { cwd: place.root, stdio: 'ignore' })),
    );
    copies.copy.push(await milliseconds(async () => execFileSync('cp', ['-r', place.root, copy])));
    rmSync(worktree, { recursive: true });
    execFileSync('git', ['worktree', 'prune'], { cwd: place.root });
    rmSync(copy, { recursive: true });
  }
  const row = (what: string, ours: number, target: string, met: boolean): Row => ({
    group: GROUP,
    what,
    ours: time(ours),
    peer: `${time(median(copies.worktree))} (git worktree add, without node_modules), ${time(median(copies.copy))} (cp -r)`,
    compared: `${(median(copies.copy) / ours).toFixed(0)}× faster than cp -r`,
    target,
    met,
  });
  const [first, last] = [median(times.map(([one = 0]) => one)), median(times.map((made) => made.at(-1) ?? 0))];
  const size = (what: string, bytes: number): Row => ({
    group: GROUP,
    what,
    ours: kilobytes(bytes),
    peer: '',
    compared: '',
    target: '≤ 1 MB',
    met: bytes <= 1024 * 1024,
  });
  return [
    row('make and mount a branch', first, '≤ 20 ms', first <= 20),
    row(`the same, the ${BESIDE}th beside others`, last, '≤ 20 ms', last <= 20),
    size('memory of a mounted branch (PSS)', median(memory)),
    size('disk of a branch', median(disk)),
  ];
}

async function sessionRows({ root, state }: Place): Promise<Row[]> {
  const environment = { ...process.env, XDG_STATE_HOME: state };
  const words = [process.execPath, CLI, 'mcp', '--workspace', root, '--allow', 'write,exec'] as const;
  await using plain = await openMcp(words, environment);
  await using inside = await openMcp([...words, '--branch', 'work'], environment);
  const both = async (call: (session: McpSession) => Promise<unknown>, perRound: number, warmUp: number): Promise<Timing[]> =>
    await measure(
      [
        { name: 'branch', run: async () => await call(inside) },
        { name: 'workspace', run: async () => await call(plain) },
      ],
      { rounds: 21, perRound, warmUp },
    );
  const read = async (session: McpSession): Promise<unknown> => await session.call('read_file', { path: 'd1/needle.txt' });
  const rows: Row[] = [];
  const [own, base] = await both(read, 50, 1_000);
  const ratio = speedup(base, own);
  rows.push({
    group: GROUP,
    what: 'read_file over MCP',
    ours: time(own?.median ?? 0),
    peer: `${time(base?.median ?? 0)} (in the workspace)`,
    compared: `${ratio.toFixed(2)}×`,
    target: '≤ 1.15×',
    met: ratio <= 1.15,
  });
  for (const command of ['true', 'git status', 'date > x']) {
    const [mine, theirs] = await both(async (session) => await session.call('run_command', { command }), 1, 12);
    const [one, other] = [mine?.median ?? 0, theirs?.median ?? 0];
    rows.push({
      group: GROUP,
      what: `run_command \`${command}\` over MCP`,
      ours: time(one),
      peer: `${time(other)} (in the workspace)`,
      compared: `${(one / other).toFixed(2)}×`,
      target: '≤ 1.1× + 3 ms',
      met: one <= 1.1 * other + 3,
    });
  }
  return rows;
}

async function applyRow(place: Place): Promise<Row> {
  await using hands = await createHands({ workspace: place.root, stateFolder: place.stateFolder, allow: ['write', 'exec'] });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS + 1; round += 1) {
    await hands.createBranch(`apply${round}`);
    {
      using held = await hold(place, `apply${round}`);
      for (let index = 0; index < APPLIED; index += 1) writeFileSync(join(held.path(place.root), 'd1', `applied${index}.ts`), `// ${round}\n`);
    }
    times.push(
      await milliseconds(async () => {
        const result = await hands.applyBranch(`apply${round}`);
        if (!result.ok) throw new Error(result.error.message);
      }),
    );
    await hands.dropBranch(`apply${round}`);
  }
  const ours = median(times.slice(1));
  return { group: GROUP, what: `apply ${APPLIED} changed files`, ours: time(ours), peer: '', compared: '', target: '', met: true };
}

/** Compares branches with worktrees, copies, and the workspace itself. */
export async function branchCases(): Promise<Row[]> {
  const place = makePlace();
  try {
    const making = await makingRows(place);
    await place.store.create('work');
    return [...making, ...(await sessionRows(place)), await applyRow(place)];
  } finally {
    rmSync(place.base, { recursive: true, force: true });
  }
}
