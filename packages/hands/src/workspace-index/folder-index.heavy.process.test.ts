import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { entriesOf } from './folder.ts';
import { FolderIndex, type FolderIndexOptions } from './folder-index.ts';
import { openFolder } from './open-folder.ts';

let root: string;
let confinement: HandleConfinement;
let stack: DisposableStack;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'synapse-folders-'));
  confinement = new HandleConfinement(root);
  stack = new DisposableStack();
});
afterEach(() => {
  stack.dispose();
  confinement[Symbol.dispose]();
  execFileSync('rm', ['-rf', root]);
});

const open = (options: FolderIndexOptions = {}): FolderIndex => stack.use(new FolderIndex(confinement, options));

/** All that an index says, in one comparable form. */
async function said(index: FolderIndex): Promise<string[]> {
  const { folders, unread } = await index.refresh();
  const lines = [...folders].map(([path, folder]) =>
    [
      path,
      ...entriesOf(folder)
        .map(({ name, kind }) => `${kind} ${name}`)
        .toSorted(),
    ].join('\n '),
  );
  return [...lines, ...[...unread].map(([path, reason]) => `unread ${path} ${reason}`)].toSorted();
}

/** What a walk says that knows nothing from before. */
async function fresh(): Promise<string[]> {
  using index = new FolderIndex(confinement);
  return await said(index);
}

/** A number sequence that is the same for a seed (Park–Miller). */
function random(seed: number): (below: number) => number {
  let state = (seed % 2_147_483_646) + 1;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

/** Changes something; what cannot be done is left out. */
function change(pick: (below: number) => number, outside: string): void {
  const folders = execFileSync('find', [root, '-type', 'd', '-print0'], { encoding: 'latin1' }).split('\0').filter(Boolean);
  const folder = (): string => folders[pick(folders.length)] ?? root;
  const name = (): string => ['a', 'b', 'c.txt', '.git', 'objects', 'new\nline', '\xff\xfe', 'Ж'][pick(8)] ?? 'a';
  const at = (...parts: string[]): Buffer => Buffer.from(parts.join('/'), 'latin1');
  const steps: ReadonlyArray<() => void> = [
    () => writeFileSync(at(folder(), name()), 'x'),
    () => mkdirSync(at(folder(), name())),
    () => execFileSync('mkdir', ['-p', `${root}/deep/${pick(9)}/b/c/d`]),
    () => symlinkSync('..', at(folder(), name())),
    () => unlinkSync(at(folder(), name())),
    () => renameSync(at(folder(), name()), at(folder(), name())),
    () => renameSync(at(folder(), name()), at(outside, String(pick(1e6)))),
    () => renameSync(at(outside, readdirSync(outside)[0] ?? 'nothing'), at(folder(), name())),
    () => {
      const gone = folder();
      if (gone !== root) rmSync(at(gone), { recursive: true });
    },
    () => linkSync(at(folder(), 'a'), at(folder(), 'c.txt')),
    () => {
      for (let count = 0; count < 60; count += 1) writeFileSync(at(folder(), `f${count}`), '');
    },
  ];
  try {
    steps[pick(steps.length)]?.();
  } catch {
    // Its names were not what it needs.
  }
}

it.each([1, 2, 3, Math.floor(Math.random() * 1e6)])(
  'says what a walk says after any changes (seed %i)',
  async (seed) => {
    const pick = random(seed);
    const outside = mkdtempSync(join(tmpdir(), 'synapse-outside-'));
    stack.defer(() => execFileSync('rm', ['-rf', outside]));
    const index = open();
    await index.refresh();
    for (let round = 0; round < 12; round += 1) {
      for (let count = pick(15); count >= 0; count -= 1) change(pick, outside);
      expect(await said(index), `round ${round}`).toEqual(await fresh());
      expect(index.mode?.kind).toBe('watched');
    }
  },
  120_000,
);

it('does not read again what did not change', async () => {
  mkdirSync(join(root, 'a/b'), { recursive: true });
  const index = open();
  const { version, folders } = await index.refresh();
  const before = folders.get('a/b');
  expect((await index.refresh()).version).toBe(version);
  writeFileSync(join(root, 'a/x'), '');
  expect((await index.refresh()).version).toBeGreaterThan(version);
  expect(folders.get('a/b')).toBe(before);
  expect([...(index.changedSince(version) ?? [])]).toEqual(['a']);
});

it('notices contents that changed, and nothing where nothing did', async () => {
  writeFileSync(join(root, 'a'), 'x');
  const index = open();
  await index.refresh();
  const version = await index.version();
  expect(await index.version()).toBe(version);
  writeFileSync(join(root, 'a'), 'y');
  expect(await index.version()).not.toBe(version);
});

it('is made ready by the second question for a version, and not by the first', async () => {
  const index = open();
  expect(await index.version()).toBeUndefined();
  expect(index.mode).toBeUndefined();
  expect(await index.version()).toBeUndefined();
  await expect.poll(() => index.version()).toEqual(expect.any(Number));
});

describe('where events are lost', () => {
  /** Blocks the event loop while more happens than the queue holds. */
  function burst(count: number): void {
    const fd = openSync(root, 'r');
    try {
      for (let made = 0; made < count; made += 1) writeFileSync(`/proc/self/fd/${fd}/burst/${made}`, '');
      mkdirSync(join(root, 'burst/hidden/.git'), { recursive: true });
      mkdirSync(join(root, 'after'));
    } finally {
      closeSync(fd);
    }
  }

  it('sees all after 20,000 files that were made while the loop was blocked', async () => {
    mkdirSync(join(root, 'burst'));
    const index = open();
    await index.refresh();
    burst(20_000);
    expect(await said(index)).toEqual(await fresh());
  });

  it('trusts nothing after a burst near the limit of the queue', async () => {
    mkdirSync(join(root, 'burst'));
    const index = open({ queueLimit: 100 });
    await index.refresh();
    const feed = index.follow(() => true);
    feed.take();
    burst(60);
    expect(await said(index)).toEqual(await fresh());
    expect(feed.take().all).toBe(true);
  });
});

it('walks where no more folders can be watched, and says so', async () => {
  mkdirSync(join(root, 'a/b/c'), { recursive: true });
  const index = open({
    onWatch: (watched) => {
      if (watched >= 2) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    },
  });
  expect(await said(index)).toEqual(await fresh());
  expect(index.mode).toEqual({ kind: 'walked', reason: expect.stringContaining('max_user_watches') });
  writeFileSync(join(root, 'a/b/c/x'), '');
  expect(await said(index)).toEqual(await fresh());
  expect(await index.version()).toBeUndefined();
});

it('finds what lies deeper than any path can be long, also when it comes later', async () => {
  const name = 'd'.repeat(100);
  const dig = (start: string, depth: number): void => {
    // Each step from the handle of the one above: no path of it is longer than a name.
    let fd = openSync(start, 'r');
    for (let level = 0; level < depth; level += 1) {
      mkdirSync(`/proc/self/fd/${fd}/${name}`, { recursive: true });
      const next = openFolder(fd, name);
      closeSync(fd);
      fd = next;
    }
    mkdirSync(`/proc/self/fd/${fd}/.git`);
    closeSync(fd);
  };
  dig(root, 90);
  mkdirSync(join(root, 'second'));
  const index = open();
  const { folders, unread } = await index.refresh();
  expect(unread.size).toBe(0);
  expect([...folders.keys()].filter((path) => path.endsWith('/.git'))).toHaveLength(1);
  dig(join(root, 'second'), 90);
  await index.refresh();
  expect([...folders.keys()].filter((path) => path.endsWith('/.git'))).toHaveLength(2);
  expect(await said(index)).toEqual(await fresh());
});

it.skipIf(process.getuid?.() === 0)('says what it could not read, until it can', async () => {
  mkdirSync(join(root, 'a'));
  chmodSync(join(root, 'a'), 0);
  const index = open();
  expect([...(await index.refresh()).unread]).toEqual([['a', 'EACCES']]);
  expect(await index.version()).toBeUndefined();
  chmodSync(join(root, 'a'), 0o700);
  expect((await index.refresh()).unread.size).toBe(0);
});

it('tells followers of files that come, change and go, with the folders they are in', async () => {
  mkdirSync(join(root, 'a/b'), { recursive: true });
  for (const path of ['a/1.ts', 'a/2.ts', 'a/b/3.ts', 'a/4.md']) writeFileSync(join(root, path), '');
  const index = open();
  const feed = index.follow((path) => path.endsWith('.ts'));
  await index.refresh();
  expect(feed.take().all).toBe(true);
  writeFileSync(join(root, 'a/1.ts'), 'x');
  writeFileSync(join(root, 'a/4.md'), 'x');
  writeFileSync(join(root, 'new.ts'), 'x');
  writeFileSync(join(root, 'tmp'), 'x');
  renameSync(join(root, 'tmp'), join(root, 'a/2.ts'));
  renameSync(join(root, 'a/b'), join(root, 'c'));
  await index.refresh();
  const { files, all } = feed.take();
  expect(all).toBe(false);
  expect(Object.fromEntries(files)).toEqual({
    'a/1.ts': 'changed',
    'a/2.ts': 'changed',
    'a/b/3.ts': 'deleted',
    'c/3.ts': 'created',
    'new.ts': 'created',
  });
});

it('leaves no descriptor open', async () => {
  const count = (): number =>
    execFileSync('ls', [`/proc/${process.pid}/fd`])
      .toString()
      .split('\n').length;
  for (let level = 0; level < 80; level += 1) mkdirSync(join(root, ...Array.from({ length: level + 1 }, () => 'd')));
  await fresh();
  const before = count();
  for (let times = 0; times < 5; times += 1) await fresh();
  await expect.poll(count).toBeLessThanOrEqual(before);
});
