import { execFile, execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createHands } from '@synapse/hands';
import { BranchStore, FileLocks, holdBranch, isReleased, type HeldBranch } from '@synapse/hands/internal';
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
/** Milliseconds between looks at a holder that comes to rest. */
const LOOK_MS = 10;

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

interface MadeBranches {
  /** In milliseconds, by branch. */
  readonly times: readonly number[];
  readonly memory: readonly number[];
  readonly disk: readonly number[];
}

/** Makes branches and mounts them beside each other. */
async function makeBranches(place: Place, names: readonly string[]): Promise<MadeBranches> {
  using held = new DisposableStack();
  const times: number[] = [];
  for (const name of names) {
    times.push(
      await milliseconds(async () => {
        await place.store.create(name);
        held.use(await hold(place, name));
      }),
    );
  }
  const folders = names.map((name) => place.store.get(name).folder);
  const pids = folders.map(({ holder }) => Number(readFileSync(holder, 'utf8').split(' ')[0]));
  // While nothing happens, a shell waits.
  while (pids.some((pid) => readFileSync(`/proc/${pid}/comm`, 'utf8') !== 'sh\n')) await delay(LOOK_MS);
  const memory = pids.map((pid) => memoryOf(pid));
  return { times, memory, disk: folders.map(({ path }) => diskOf(path)) };
}

/** Makes and mounts eight branches, some times over. */
async function makingRows(place: Place): Promise<Row[]> {
  const made: MadeBranches[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const names = Array.from({ length: BESIDE }, (_, index) => `b${round}-${index}`);
    made.push(await makeBranches(place, names));
    // The kernel takes the mounts of all of them down, which is no part of the next round.
    for (const name of names) await isReleased(place.store.get(name).folder, AbortSignal.timeout(10_000));
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
  const timeOf = (index: number): number => median(made.map(({ times }) => times.at(index) ?? 0));
  const [first, last] = [timeOf(0), timeOf(-1)];
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
    size('memory of a mounted branch (PSS)', median(made.flatMap(({ memory }) => memory))),
    size('disk of a branch', median(made.flatMap(({ disk }) => disk))),
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

/** What tests of a project do: it reads and hashes many files, writes some, and says how much of the processor that took, in milliseconds. */
const TESTS = `const fs = require('node:fs'), { createHash } = require('node:crypto');
for (const at of fs.readdirSync('.').slice(0, 1500)) if (fs.statSync(at).isDirectory() && at !== 'node_modules')
  for (const name of fs.readdirSync(at)) if (fs.statSync(at + '/' + name).isFile()) createHash('sha256').update(fs.readFileSync(at + '/' + name)).digest();
fs.mkdirSync('coverage', { recursive: true });
for (let index = 0; index < 100; index += 1) fs.writeFileSync('coverage/' + index, 'x'.repeat(4096));
const { user, system } = process.cpuUsage();
console.log((user + system) / 1000);`;

/** The processor time of eight runs of tests beside each other, in milliseconds. */
async function testsTogether(lines: ReadonlyArray<readonly [string, ...string[]]>, cwd?: string): Promise<number> {
  const run = promisify(execFile);
  const said = await Promise.all(lines.map(async ([program, ...words]) => await run(program, words, cwd === undefined ? {} : { cwd })));
  return said.reduce((sum, { stdout }) => sum + Number(stdout), 0);
}

/** Runs tests in branches beside each other, and as often in a full copy, whose files are read from the page cache from the second run on. */
async function testsRow(place: Place): Promise<Row> {
  const copy = join(place.base, 'copy-for-tests');
  execFileSync('cp', ['-r', place.root, copy]);
  using held = new DisposableStack();
  const branches: HeldBranch[] = [];
  for (let index = 0; index < BESIDE; index += 1) {
    await place.store.create(`tests${index}`);
    branches.push(held.use(await hold(place, `tests${index}`)));
  }
  const argv = [process.execPath, '-e', TESTS] as const;
  const [own, peer]: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.push(await testsTogether(branches.map((branch) => branch.enter(argv, place.root))));
    peer.push(
      await testsTogether(
        branches.map(() => argv),
        copy,
      ),
    );
  }
  const [ours, theirs] = [median(own.slice(1)), median(peer.slice(1))];
  return {
    group: GROUP,
    what: `processor time of tests in ${BESIDE} branches beside each other`,
    ours: time(ours),
    peer: `${time(theirs)} (${BESIDE} runs in a full copy)`,
    compared: `${(ours / theirs).toFixed(2)}×`,
    target: '≤ 1.15×',
    met: ours <= 1.15 * theirs,
  };
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
    return [...making, await testsRow(place), ...(await sessionRows(place)), await applyRow(place)];
  } finally {
    rmSync(place.base, { recursive: true, force: true });
  }
}
