import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  readFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openRoot } from '../workspace/open-root.ts';
import { FolderIndex } from '../workspace-index/folder-index.ts';
import { listingReader } from './tree-files.ts';
import { TreeStore } from './tree-store.ts';
import { wholeTree } from './whole-tree.ts';
import type { TreeState } from './tree-folders.ts';
import { WorkspaceTree } from './workspace-tree.ts';

class Bench implements Disposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-tree-')));
  readonly root = join(this.base, 'root');
  readonly state = join(this.base, 'state');
  readonly #confinement: ReturnType<typeof openRoot>['confinement'];
  readonly index: FolderIndex;
  readonly hides: (path: string) => boolean;
  readonly #tree: WorkspaceTree;

  constructor(files: Readonly<Record<string, string>> = {}, hides: (path: string) => boolean = () => false) {
    this.hides = hides;
    mkdirSync(this.root);
    for (const [path, text] of Object.entries(files)) this.write(path, text);
    this.#confinement = openRoot(this.root, this.state).confinement;
    this.index = new FolderIndex(this.#confinement);
    this.#tree = this.open();
    this.#tree.follow();
  }

  open(index = this.index): WorkspaceTree {
    return new WorkspaceTree({ confinement: this.#confinement, index, store: new TreeStore(this.state, this.root), hides: this.hides });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  git(...words: string[]): string {
    return execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], { cwd: this.root, encoding: 'utf8' });
  }

  /** The tree as it is followed. */
  async now(): Promise<TreeState> {
    const state = await this.#tree.at(await this.index.refresh());
    if (typeof state === 'string') throw new Error(state);
    return state;
  }

  /** The tree as another process finds it, which reads all files. */
  async fresh(store = new TreeStore(join(this.base, 'other'), this.root)): Promise<TreeState> {
    using index = new FolderIndex(this.#confinement);
    using tree = new WorkspaceTree({ confinement: this.#confinement, index, store, hides: this.hides });
    const state = await tree.at(await index.look());
    if (typeof state === 'string') throw new Error(state);
    return state;
  }

  /** The tree once all of it is known, so that no file is read. */
  async settled(store: () => TreeStore): Promise<TreeState> {
    const saved = (): number => statSync(execFileSync('find', [this.state, '-name', 'known'], { encoding: 'utf8' }).trim()).ino;
    const look = async (): Promise<boolean> => {
      await this.whole(store());
      const before = saved();
      await this.whole(store());
      // It is written anew where a file was read.
      return saved() === before;
    };
    await vi.waitUntil(look, { timeout: 60_000 });
    return await this.whole(store());
  }

  /** The tree as a look without an index finds it. */
  async whole(store = new TreeStore(join(this.base, 'whole'), this.root), readsAll = false): Promise<TreeState> {
    const state = await wholeTree({ confinement: this.#confinement, store, hides: this.hides, readsAll });
    if (typeof state === 'string') throw new Error(state);
    return state;
  }

  /** The paths in the tree. */
  async paths(): Promise<string[]> {
    const { hash } = await this.now();
    const read = listingReader(new TreeStore(this.state, this.root).reader());
    const below = (sum: string, prefix: string): string[] =>
      [...(read(sum) ?? [])].flatMap(([name, entry]) => (entry.kind === 'd' ? below(entry.hash, `${prefix}${name}/`) : [prefix + name]));
    return below(hash, '').toSorted();
  }

  [Symbol.dispose](): void {
    this.#tree[Symbol.dispose]();
    this.index[Symbol.dispose]();
    this.#confinement[Symbol.dispose]();
    rmSync(this.base, { recursive: true, force: true });
  }
}

it('counts what is tracked or not ignored, and lock files, as git does', async () => {
  using bench = new Bench({
    '.gitignore': 'dist/\n*.log\n!keep.log\n/top\n*.lock\n**/cache/*\n!**/cache/kept\nyarn.lock\n',
    'src/a.ts': '1',
    'src/top': '1',
    top: '1',
    'a.log': '1',
    'keep.log': '1',
    'dist/out.js': '1',
    'dist/forced/b.js': '1',
    'yarn.lock': '1',
    'sub/.gitignore': '*\n!*/\n!*.js\n',
    'sub/a.js': '1',
    'sub/a.txt': '1',
    'sub/deep/b.js': '1',
    'sub/deep/b.txt': '1',
    'cache/kept': '1',
    'cache/other': '1',
  });
  bench.git('init', '-q');
  bench.git('add', '-A');
  bench.git('add', '-f', 'dist/forced/b.js');
  bench.git('commit', '-qm', 'x');
  const git = bench.git('ls-files', '--cached', '--others', '--exclude-standard').trim().split('\n');
  expect(git).toContain('dist/forced/b.js');
  expect(await bench.paths()).toEqual([...git, 'yarn.lock'].toSorted());
});

it('follows every change, to the tree that a new look finds', async () => {
  using bench = new Bench({ '.gitignore': 'out/\n', 'a/b/c.txt': '1', 'a/d.txt': '1', 'e.txt': '1' });
  bench.git('init', '-q');
  const seen = new Set([(await bench.now()).hash]);
  const root = (path: string): string => join(bench.root, path);
  const steps: ReadonlyArray<readonly [what: string, isOther: boolean, step: () => void]> = [
    ['a content', true, () => bench.write('e.txt', '2')],
    ['the same content', false, () => bench.write('e.txt', '2')],
    ['a new file', true, () => bench.write('a/new.txt', '1')],
    ['a new folder in folders', true, () => bench.write('x/y/z/f.txt', '1')],
    ['an ignored file', false, () => bench.write('out/o.txt', '1')],
    ['permissions', true, () => chmodSync(root('e.txt'), 0o755)],
    ['other permissions of the group', false, () => chmodSync(root('e.txt'), 0o775)],
    ['a rename', true, () => renameSync(root('a/b'), root('b2'))],
    ['a replaced file', true, () => (bench.write('t', '9'), renameSync(root('t'), root('a/d.txt')))],
    ['a link', true, () => symlinkSync('e.txt', root('link'))],
    ['another link', true, () => (rmSync(root('link')), symlinkSync('a/d.txt', root('link')))],
    ['a file that becomes a folder', true, () => (rmSync(root('a/new.txt')), bench.write('a/new.txt/in', '1'))],
    ['an empty folder', false, () => mkdirSync(root('empty'))],
    ['a deleted folder', true, () => rmSync(root('x'), { recursive: true })],
    ['a rule', true, () => bench.write('.gitignore', 'out/\n*.md\n')],
    ['what it ignores', false, () => bench.write('readme.md', '1')],
    ['no rule', true, () => rmSync(root('.gitignore'))],
    ['a tracked file that is ignored', true, () => (bench.write('.gitignore', 'out/\n'), bench.git('add', '-f', 'out/o.txt'))],
    ['its content', true, () => bench.write('out/o.txt', '2')],
    ['a commit', false, () => void bench.git('commit', '-qm', 'x', '--allow-empty')],
  ];
  let last = [...seen][0];
  for (const [what, isOther, step] of steps) {
    step();
    const { hash } = await bench.now();
    expect([what, hash === (await bench.fresh()).hash]).toEqual([what, true]);
    expect([what, hash !== last]).toEqual([what, isOther]);
    last = hash;
  }
});

it('notices a change that leaves size and times as they were', async () => {
  using bench = new Bench({ 'a.txt': 'one' });
  const before = await bench.fresh(new TreeStore(bench.state, bench.root));
  const file = join(bench.root, 'a.txt');
  const time = new Date(1_700_000_000_000);
  utimesSync(file, time, time);
  const set = await bench.fresh(new TreeStore(bench.state, bench.root));
  expect(set.hash).toBe(before.hash);
  writeFileSync(file, 'two');
  utimesSync(file, time, time);
  expect((await bench.fresh(new TreeStore(bench.state, bench.root))).hash).not.toBe(before.hash);
});

it('does not read a file of terabytes, and notices its changes', async () => {
  using bench = new Bench({ 'a.txt': '1', huge: '' });
  truncateSync(join(bench.root, 'huge'), 4 * 1024 ** 4);
  const before = await bench.now();
  expect(await bench.fresh()).toEqual(before);
  truncateSync(join(bench.root, 'huge'), 4 * 1024 ** 4 - 1);
  expect(await bench.now()).not.toEqual(before);
});

it('leaves out what no command can read, and tells when that changes', async () => {
  using bench = new Bench({ 'a.txt': '1', '.env': 'SECRET=1' }, (path) => path === '.env');
  const before = await bench.now();
  bench.write('.env', 'SECRET=two');
  const after = await bench.now();
  expect(after.hash).toBe(before.hash);
  expect(after.hidden).not.toBe(before.hidden);
  expect(await bench.paths()).toEqual(['a.txt']);
});

it('does not read files again that another process knows', async () => {
  using bench = new Bench({ 'a/b.txt': '1', 'c.txt': '2' });
  const store = (): TreeStore => new TreeStore(bench.state, bench.root);
  const first = await bench.fresh(store());
  const folder = execFileSync('find', [bench.state, '-name', 'known'], { encoding: 'utf8' }).trim();
  // A file that was changed just now is read again, until its times tell later changes apart.
  await expect
    .poll(async () => {
      const before = readFileSync(folder, 'latin1');
      expect(await bench.fresh(store())).toEqual(first);
      return readFileSync(folder, 'latin1') === before;
    })
    .toBe(true);
  const saved = readFileSync(folder, 'latin1');
  expect(saved).toContain('b.txt');
  // A damaged one is not used.
  writeFileSync(folder, saved.replaceAll('c.txt', 'd.txt'));
  expect(await bench.fresh(store())).toEqual(first);
});

it('ends its first look when it is disposed', async () => {
  using bench = new Bench({ 'a/a.txt': 'a', 'b/b.txt': 'b' });
  const state = await bench.index.refresh();
  const tree = bench.open();
  const looking = tree.at(state);
  tree[Symbol.dispose]();
  await expect(looking).rejects.toThrow('The hands are closed.');
});

/** Numbers that look random, the same for each seed. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => (state = (state * 48_271) % 2_147_483_647) % limit;
}

/** Names that sort, quote and decode differently. */
const NAMES = ['a', 'B', 'é', '\u202Egpj', ' x', '-rf', 'q\'"$(id)', '%2e%2e', 'node_modules', 'a.log', '.gitignore', '.env', 'yarn.lock', '10', '9'];

it.each(Array.from({ length: 6 }, (_, seed) => seed + 1))('comes to the tree of a new look after each step of random history %i', async (seed) => {
  using bench = new Bench({ a: '1' }, (path) => path.endsWith('.env'));
  bench.git('init', '-q');
  const next = randomFrom(seed * 7_919);
  const pick = <T>(from: readonly T[]): T | undefined => from[next(from.length)];
  const place = (): string => Array.from({ length: 1 + next(3) }, () => pick(NAMES)).join('/');
  const at = (path: string): string => join(bench.root, path);
  const STEPS: ReadonlyArray<() => void> = [
    () => bench.write(place(), String(next(3))),
    () => bench.write(place(), next(2) === 0 ? '*.log\nnode_modules\n' : '!*\n/a\n'),
    () => renameSync(at(place()), at(place())),
    () => rmSync(at(place()), { recursive: true }),
    () => symlinkSync(String(next(3)), at(place())),
    () => chmodSync(at(place()), next(2) === 0 ? 0o755 : 0o644),
    () => writeFileSync(Buffer.concat([Buffer.from(at('')), Buffer.from([0x78, 0xe9 + next(3)])]), String(next(3))),
    () => void bench.git('add', '-f', '--ignore-errors', '-A'),
  ];
  const done: string[] = [];
  for (let round = 0; round < 12; round += 1) {
    // Several changes of a file within one tick of the clock are in here too.
    for (let count = 1 + next(6); count > 0; count -= 1) {
      const step = pick(STEPS);
      try {
        step?.();
        done.push(String(step));
      } catch {
        // A name is of another kind, or missing.
      }
    }
    const now = await bench.now();
    // Once with what earlier looks know, and once with nothing.
    const [known, fresh] = [await bench.fresh(), await bench.fresh(new TreeStore(join(bench.base, `empty-${round}`), bench.root))];
    const whole = [await bench.whole(), await bench.whole(undefined, true)];
    expect({ done, now, known, whole }).toEqual({ done, now: fresh, known: fresh, whole: [fresh, fresh] });
  }
});

it('looks at a whole workspace without what git ignores, and reads files again only if they may be others', async () => {
  using bench = new Bench({ '.gitignore': 'out/\n', 'a/b.txt': 'one', 'c.txt': '2', 'out/deep/o.txt': '1', '.git/x': '' });
  utimesSync(join(bench.root, 'a/b.txt'), 1, 1);
  const closed = join(bench.root, 'out/deep');
  chmodSync(closed, 0o000);
  const store = (): TreeStore => new TreeStore(bench.state, bench.root);
  const known = (): string => execFileSync('find', [bench.state, '-name', 'known'], { encoding: 'utf8' }).trim();
  await bench.settled(store);
  chmodSync(closed, 0o755);
  const right = await bench.whole(store());
  // What is known of a file is believed only where that is asked for.
  const text = readFileSync(known(), 'latin1');
  const body = text.slice(text.indexOf('\n') + 1).replace(hash('sha256', 'one'), hash('sha256', 'two'));
  writeFileSync(known(), Buffer.from(`${hash('sha256', Buffer.from(body, 'latin1'))}\n${body}`, 'latin1'));
  expect(await bench.whole(store())).not.toEqual(right);
  expect(await bench.whole(store(), true)).toEqual(right);
  expect(await bench.whole(store())).toEqual(right);
});

it('looks through no link, and at no other folder, that has the place of one that is known', async () => {
  using bench = new Bench({ 'a/b/c.txt': 'one', 'd.txt': '2' });
  const store = (): TreeStore => new TreeStore(bench.state, bench.root);
  const fresh = async (): Promise<TreeState> => await bench.whole(new TreeStore(mkdtempSync(join(bench.base, 'new-')), bench.root));
  await bench.settled(store);
  const [folder, moved] = [join(bench.root, 'a'), join(bench.base, 'moved')];
  renameSync(folder, moved);
  symlinkSync(moved, folder);
  expect(await bench.whole(store())).toEqual(await fresh());
  rmSync(folder);
  cpSync(moved, folder, { recursive: true, preserveTimestamps: true });
  writeFileSync(join(folder, 'b/c.txt'), 'two');
  utimesSync(join(folder, 'b/c.txt'), new Date(), statSync(join(moved, 'b/c.txt')).mtime);
  expect(await bench.whole(store())).toEqual(await fresh());
});

it('looks at the workspace that is open, also where another has its path', async () => {
  using bench = new Bench({ 'a/b.txt': 'one' });
  const store = (): TreeStore => new TreeStore(bench.state, bench.root);
  const right = await bench.settled(store);
  const away = join(bench.base, 'away');
  renameSync(bench.root, away);
  bench.write('a/b.txt', 'another');
  expect(await bench.whole(store())).toEqual(right);
});
