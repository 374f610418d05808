import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LocalProcesses } from '../process/local-processes.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { isGraphTrue } from './check-graph.ts';

const INFO = '.git/objects/info';
const GRAPH = `${INFO}/commit-graph`;
const PARTS = `${INFO}/commit-graphs`;
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'graph-'));
  folders.push(folder);
  return folder;
}

/** Runs git with times that increase. */
function gitIn(folder: string): (...given: readonly string[]) => string {
  const settings = ['user.name=a', 'user.email=a@example.com'].flatMap((setting) => ['-c', setting]);
  let seconds = 1_700_000_000;
  return (...given) => {
    const date = `${(seconds += given.includes('older') ? -100_000 : 10)} +0000`;
    const env = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
    return execFileSync('git', [...settings, ...given], { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  };
}

const made = new Map<string, { readonly upper: string; readonly lower: string }>();

/** Makes a repository with a merge of three branches, as a command left it in its layer, and what the workspace had before. Once for all tests. */
function template(options: readonly string[]): { readonly upper: string; readonly lower: string } {
  const key = options.join(' ');
  const known = made.get(key);
  if (known !== undefined) return known;
  const [upper, lower] = [temporary(), temporary()];
  const git = gitIn(upper);
  const commit = (message: string): string => git('commit', '-q', '--allow-empty', '-m', message);
  git('init', '-q', '-b', 'main', ...options);
  commit('first');
  cpSync(join(upper, '.git'), join(lower, '.git'), { recursive: true });
  for (const branch of ['one', 'two', 'three']) {
    git('checkout', '-qb', branch, 'main');
    commit('a');
    commit('b');
  }
  git('checkout', '-q', 'main');
  git('merge', '-q', '-m', 'merged', 'one', 'two', 'three');
  // Than its parents.
  commit('older');
  made.set(key, { upper, lower });
  return { upper, lower };
}

/** The same for one test, with a check of a file in its layer. */
function repository(...options: readonly string[]) {
  const [upper, lower, above] = [temporary(), temporary(), temporary()];
  const from = template(options);
  cpSync(join(from.upper, '.git'), join(upper, '.git'), { recursive: true });
  cpSync(join(from.lower, '.git'), join(lower, '.git'), { recursive: true });
  const git = gitIn(upper);
  const commit = (): string => git('commit', '-q', '--allow-empty', '-m', 'x');
  const check = async (path: string, before = lower): Promise<boolean> => {
    const location = path.split('/');
    const name = location.at(-1) ?? '';
    using confinement = new HandleConfinement(before);
    using now = new TreeCursor(upper, { owned: true });
    using then = new TreeCursor(before);
    const isBeside = location.slice(0, -1).every((folder) => {
      now.enter(folder);
      const isThere = then.stat(folder)?.isDirectory() === true;
      if (isThere) then.enter(folder);
      return isThere;
    });
    if (!isBeside) for (const folder of location.slice(now.location.length, -1)) now.enter(folder);
    const stat = now.stat(name);
    if (stat === undefined) throw new Error(`No ${path}`);
    const entry = { location, name, now: stat, before: undefined, isBeside, isMerged: false, upper: now, lower: then };
    return await isGraphTrue({ confinement, processes: new LocalProcesses(), signal: AbortSignal.timeout(60_000), above, upper }, entry);
  };
  return { upper, lower, git, commit, check };
}

const graphsOf = (folder: string): string[] => readdirSync(join(folder, PARTS)).map((name) => `${PARTS}/${name}`);

/** Where a part of a graph begins. */
function partOf(bytes: Buffer, name: string): number {
  for (let at = 8; ; at += 12) if (bytes.toString('latin1', at, at + 4) === name) return Number(bytes.readBigUInt64BE(at + 4));
}

/** Changes a graph, with a sum at its end that fits. Returns the sum. */
function forge(path: string, change: (bytes: Buffer) => void): string {
  const bytes = readFileSync(path).subarray(0, -20);
  change(bytes);
  rmSync(path);
  const sum = createHash('sha1').update(bytes).digest();
  writeFileSync(path, Buffer.concat([bytes, sum]));
  return sum.toString('hex');
}

/** Where what a graph says of a commit begins, behind its tree. */
function dataOf(bytes: Buffer, commit: string): number {
  const names = partOf(bytes, 'OIDL');
  for (let index = 0; ; index += 1)
    if (bytes.toString('hex', names + index * 20, names + (index + 1) * 20) === commit) return partOf(bytes, 'CDAT') + index * 36 + 20;
}

describe('a graph that git writes', () => {
  it.each([[[]], [['--object-format=sha256']]])('is true: %j', async (options) => {
    const { upper, git, check } = repository(...options);
    git('commit-graph', 'write', '--reachable');
    expect(await check(GRAPH)).toBe(true);
    git('repack', '-adq');
    git('prune-packed');
    expect(await check(GRAPH)).toBe(true);
    expect(lstatSync(join(upper, GRAPH)).size).toBeGreaterThan(1_000);
  });

  it('is true in parts, of which the workspace has some', async () => {
    const { upper, lower, git, commit, check } = repository();
    git('commit-graph', 'write', '--split=no-merge', '--reachable');
    cpSync(join(upper, PARTS), join(lower, PARTS), { recursive: true });
    const known = graphsOf(upper);
    commit();
    git('commit-graph', 'write', '--split=no-merge', '--reachable');
    const added = graphsOf(upper).filter((path) => !known.includes(path));
    expect(added).toHaveLength(1);
    for (const path of graphsOf(upper)) expect([path, await check(path)]).toEqual([path, true]);
    // As in a layer, which has only what is new.
    for (const path of known) if (path.endsWith('.graph')) rmSync(join(upper, path));
    for (const path of graphsOf(upper)) expect([path, await check(path)]).toEqual([path, true]);
  });

  it('is true in a new repository', async () => {
    const { git, check } = repository();
    git('commit-graph', 'write', '--reachable');
    expect(await check(GRAPH, temporary())).toBe(true);
  });
});

describe('a false graph', () => {
  it.each<[string, (bytes: Buffer, at: number) => void]>([
    ['leaves out the parents of a commit', (bytes, at) => bytes.writeUInt32BE(0x70000000, at)],
    ['names another parent', (bytes, at) => bytes.writeUInt32BE((bytes.readUInt32BE(at) + 1) % 8, at)],
    ['names a parent that it has not', (bytes, at) => bytes.writeUInt32BE(99, at)],
    ['adds a parent', (bytes, at) => bytes.writeUInt32BE(bytes.readUInt32BE(at), at + 4)],
    ['names another tree', (bytes, at) => bytes.writeUInt32BE(1, at - 20)],
    ['names another time', (bytes, at) => bytes.writeUInt32BE(bytes.readUInt32BE(at + 12) ^ 1, at + 12)],
    ['has a level below that of a parent', (bytes, at) => bytes.writeUInt32BE(1 << 2, at + 8)],
    ['has no level', (bytes, at) => bytes.writeUInt32BE(0, at + 8)],
    ['has a corrected time before that of a parent', (bytes) => bytes.fill(0, partOf(bytes, 'GDA2'), partOf(bytes, 'GDA2') + 9 * 4)],
    ['has a false table', (bytes) => bytes.writeUInt32BE(0, partOf(bytes, 'OIDF') + 254 * 4)],
    ['has a commit that is not there', (bytes) => void (bytes[partOf(bytes, 'OIDL') + 19] = (bytes[partOf(bytes, 'OIDL') + 19] ?? 0) ^ 1)],
    ['has a part that is not known', (bytes) => bytes.write('BDAT', 8 + 4 * 12, 'latin1')],
    ['has files below it', (bytes) => void (bytes[7] = 1)],
  ])('%s', async (_, change) => {
    const { upper, git, check } = repository();
    git('commit-graph', 'write', '--reachable');
    forge(join(upper, GRAPH), (bytes) => change(bytes, dataOf(bytes, git('rev-parse', 'HEAD'))));
    expect(await check(GRAPH)).toBe(false);
  });

  it('has another sum, or is cut, or a link', async () => {
    const { upper, git, check } = repository();
    git('commit-graph', 'write', '--reachable');
    const [path, found] = [join(upper, GRAPH), new Set<boolean>()];
    const bytes = readFileSync(path);
    rmSync(path);
    for (const length of Array.from({ length: 60 }, (__, index) => Math.floor((bytes.length * index) / 60))) {
      writeFileSync(path, bytes.subarray(0, length));
      found.add(await check(GRAPH));
    }
    writeFileSync(path, bytes.fill(0, bytes.length - 4));
    found.add(await check(GRAPH));
    rmSync(path);
    symlinkSync('elsewhere', path);
    found.add(await check(GRAPH));
    expect([...found]).toEqual([false]);
  });

  it('has a commit that the layer has under a false name', async () => {
    const { upper, git, check } = repository();
    git('commit-graph', 'write', '--reachable');
    const [head, first] = [git('rev-parse', 'HEAD'), git('rev-list', '--max-parents=0', 'HEAD')];
    const objectOf = (name: string): string => join(upper, '.git/objects', name.slice(0, 2), name.slice(2));
    rmSync(objectOf(head));
    cpSync(objectOf(first), objectOf(head));
    forge(join(upper, GRAPH), (bytes) => {
      const [to, from] = [dataOf(bytes, head), dataOf(bytes, first)];
      bytes.copy(bytes, to - 20, from - 20, from + 16);
    });
    expect(await check(GRAPH)).toBe(false);
  });

  it('has another name in a chain, or another place', async () => {
    const { upper, git, commit, check } = repository();
    git('commit-graph', 'write', '--split=no-merge', '--reachable');
    commit();
    git('commit-graph', 'write', '--split=no-merge', '--reachable');
    const chain = `${PARTS}/commit-graph-chain`;
    const [first = '', second = ''] = readFileSync(join(upper, chain), 'utf8').split('\n');
    for (const text of [`${second}\n`, `${second}\n${first}\n`, `${first}\n${first}\n`, `${first}\n${'0'.repeat(40)}\n`, first]) {
      rmSync(join(upper, chain));
      writeFileSync(join(upper, chain), text);
      expect([text, await check(chain)]).toEqual([text, false]);
    }
    const other = `${PARTS}/graph-${'0'.repeat(40)}.graph`;
    cpSync(join(upper, `${PARTS}/graph-${second}.graph`), join(upper, other));
    expect(await check(other)).toBe(false);
    rmSync(join(upper, `${PARTS}/graph-${first}.graph`));
    expect(await check(`${PARTS}/graph-${second}.graph`)).toBe(false);
  });

  it('is in a layer whose objects lead elsewhere', async () => {
    const { upper, git, check } = repository();
    git('commit-graph', 'write', '--reachable');
    mkdirSync(join(upper, '.git/objects/ff'), { recursive: true });
    execFileSync('mkfifo', [join(upper, '.git/objects/ff/pipe')]);
    expect(await check(GRAPH)).toBe(false);
  });
});
