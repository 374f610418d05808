import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { indexProblem, skippedFiles } from './false-index.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

interface Repository {
  readonly git: (...given: readonly string[]) => string;
  readonly write: (path: string, text: string) => void;
  readonly folder: string;
  readonly index: () => Buffer;
}

/** Makes a repository with a commit of some folders, a link and a long name. */
function repository(...options: readonly string[]): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'false-index-'));
  folders.push(folder);
  const environment = { PATH: process.env['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
  const settings = ['user.name=a', 'user.email=a@example.com', 'commit.gpgSign=false'].flatMap((setting) => ['-c', setting]);
  const git = (...given: readonly string[]): string =>
    execFileSync('git', [...settings, ...given], { cwd: folder, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const write = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  git('init', '-q', '-b', 'main', ...options);
  for (const path of ['a.txt', 'sub/deep/b', 'sub/deep/c', 'sub-x', 'sub.x/d', 'other/.gitignore', `other/${'n'.repeat(200)}`]) write(path, path);
  symlinkSync('a.txt', join(folder, 'link'));
  git('add', '-A');
  git('commit', '-qm', 'first');
  return { git, write, folder, index: () => readFileSync(join(folder, '.git/index')) };
}

/** An index with another content, and the sum of that at its end. */
function signed(content: Buffer): Buffer {
  return Buffer.concat([content, createHash('sha1').update(content).digest()]);
}

interface Entry {
  readonly name: string;
  readonly mode?: number;
  /** In place of the length of the name. */
  readonly length?: number;
}

/** An index with entries of empty files. */
function indexOf(entries: readonly Entry[], extensions: ReadonlyArray<readonly [name: string, content: Buffer]> = []): Buffer {
  const header = Buffer.from('DIRC\0\0\0\x02\0\0\0\0', 'latin1');
  header.writeUInt32BE(entries.length, 8);
  const bodies = entries.map(({ name, mode = 0o100644, length = name.length }) => {
    const entry = Buffer.alloc(62 + name.length + 8 - ((62 + name.length) % 8));
    entry.writeUInt32BE(mode, 24);
    entry.writeUInt16BE(length, 60);
    entry.write(name, 62, 'latin1');
    return entry;
  });
  const parts = extensions.map(([name, content]) => {
    const head = Buffer.from(`${name}\0\0\0\0`, 'latin1');
    head.writeUInt32BE(content.length, 4);
    return Buffer.concat([head, content]);
  });
  return signed(Buffer.concat([header, ...bodies, ...parts]));
}

/** Numbers, each in four bytes. */
const numbers = (...given: readonly number[]): Buffer =>
  Buffer.concat(
    given.map((number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(number);
      return bytes;
    }),
  );

const OUTSIDE = 'git checkout would write files outside of the working tree, or into its repository';
const UNSEEN = 'the next commit could have other files than git status shows';
const UNCLEAR = 'git could read other files in it than are seen in it';

describe('an index with names that are very long', () => {
  /** In version 4, with a first name of which the others change the last letter. */
  const compressed = (length: number, count: number): Buffer => {
    const header = Buffer.from('DIRC\0\0\0\x04\0\0\0\0', 'latin1');
    header.writeUInt32BE(count + 1, 8);
    const entry = (dropped: number, name: string): Buffer => {
      const bytes = Buffer.alloc(62 + 1 + name.length + 1);
      bytes.writeUInt32BE(0o100644, 24);
      bytes.writeUInt16BE(Math.min(length, 0xfff), 60);
      bytes[62] = dropped;
      bytes.write(name, 63, 'latin1');
      return bytes;
    };
    return signed(Buffer.concat([header, entry(0, 'a'.repeat(length)), ...Array.from({ length: count }, () => entry(1, 'b'))]));
  };

  it('is not read', () => {
    expect(indexProblem(compressed(100, 20_000))).toBeUndefined();
    expect(indexProblem(compressed(4_000, 2_000))).toBe(UNCLEAR);
    expect(indexProblem(compressed(100_000, 20))).toBe(UNCLEAR);
  });

  it('is not read where its folders have them', () => {
    const empty = Buffer.from('4b825dc642cb6eb9a060e54bf8d69288fbee4904', 'hex');
    const nested = (length: number): Buffer =>
      Buffer.concat([Buffer.from('\0-1 1\n'), ...[1, 1, 0].flatMap((folders) => [Buffer.from(`${'n'.repeat(length)}\x000 ${folders}\n`), empty])]);
    expect(indexProblem(indexOf([{ name: 'a' }], [['TREE', nested(10_000)]]))).toBeUndefined();
    expect(indexProblem(indexOf([{ name: 'a' }], [['TREE', nested(30_000)]]))).toBe(UNSEEN);
  });
});

describe('an index that git writes', () => {
  it.each<[string, (made: Repository) => void]>([
    ['after a commit', () => {}],
    ['with a change', ({ git, write }) => git('add', (write('sub/deep/b', 'other'), 'sub/deep/b'))],
    ['with a file that is to be added', ({ git, write }) => git('add', '-N', (write('sub/new', 'new'), 'sub/new'))],
    ['with a submodule', ({ git }) => git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`)],
    ['of version 4', ({ git }) => git('update-index', '--index-version', '4')],
    ['with folders that are not checked out', ({ git }) => git('sparse-checkout', 'set', '--cone', '--sparse-index', 'other')],
    ['with what is not tracked', ({ git }) => git('update-index', '--untracked-cache')],
    ['without files', ({ git }) => git('rm', '-rq', '--cached', '.')],
    ['without a sum', ({ git }) => git('-c', 'index.skipHash=true', 'update-index', '--force-write-index')],
  ])('is fine: %s', (_, change) => {
    const made = repository();
    change(made);
    expect(indexProblem(made.index())).toBeUndefined();
    made.git('read-tree', 'HEAD');
    expect(indexProblem(made.index())).toBeUndefined();
  });

  it('is fine in a conflict, and after it', () => {
    const { git, write, index } = repository();
    git('checkout', '-qb', 'other');
    write('sub/deep/b', 'one');
    git('commit', '-qam', 'one');
    git('checkout', '-q', 'main');
    write('sub/deep/b', 'two');
    git('commit', '-qam', 'two');
    expect(() => git('merge', 'other')).toThrow();
    expect(git('ls-files', '-u')).toContain('sub/deep/b');
    expect(indexProblem(index())).toBeUndefined();
    git('add', '-A');
    git('commit', '-qm', 'merged');
    expect(indexProblem(index())).toBeUndefined();
  });

  it('is fine with SHA-256', () => {
    expect(indexProblem(repository('--object-format=sha256').index())).toBeUndefined();
  });

  it('is fine in two parts', () => {
    const { git, write, folder, index } = repository();
    for (let count = 0; count < 200; count += 1) write(`many/${count}`, `${count}`);
    git('add', '-A');
    git('update-index', '--split-index');
    const readShared = (name: string): Buffer => readFileSync(join(folder, '.git', name));
    const shared = readdirSync(join(folder, '.git')).filter((name) => name.startsWith('sharedindex.'));
    expect(shared.map((name) => indexProblem(readShared(name)))).toEqual([undefined]);
    git('add', (write('a.txt', 'other'), write('many/7', 'other'), write('many/new', 'new'), '.'));
    git('rm', '-qf', 'many/3', 'many/100');
    git('commit', '-qm', 'second');
    expect(index().includes('link')).toBe(true);
    expect(index().includes('TREE')).toBe(true);
    expect([indexProblem(index(), readShared), indexProblem(index())]).toEqual([undefined, UNCLEAR]);
    const tree = Buffer.from(git('rev-parse', 'HEAD:many').trim(), 'hex').toString('latin1');
    const forged = signed(Buffer.from(index().toString('latin1').slice(0, -20).replace(tree, 'x'.repeat(20)), 'latin1'));
    expect(indexProblem(forged, readShared)).toBe(UNSEEN);
  });
});

describe('an index that git would not write', () => {
  it.each(['.git/hooks/post-checkout', 'sub/.GIT/config', '../out', 'sub/../../out', '/etc/out', 'sub//a', './a', 'git~1/config', '.g\u200cit/x'])(
    'has a name that leads elsewhere: %s',
    (name) => {
      const bytes = Buffer.from(name).toString('latin1');
      expect(indexProblem(indexOf([{ name: bytes }]))).toBe(OUTSIDE);
      expect(indexProblem(indexOf([{ name: 'A' }, { name: bytes }, { name: 'z' }]))).toBe(OUTSIDE);
    },
  );

  it.each(['.gitignore', 'sub/.gitattributes', '.github/x', '...', '..a', 'a..', 'git~', 'ä/ö'])('has usual names: %s', (name) => {
    expect(indexProblem(indexOf([{ name: Buffer.from(name).toString('latin1') }]))).toBeUndefined();
  });

  it('has a folder that is not checked out, and no other name with a slash at its end', () => {
    expect(indexProblem(indexOf([{ name: 'sub/', mode: 0o40000 }]))).toBeUndefined();
    expect(indexProblem(indexOf([{ name: 'sub/' }]))).toBe(OUTSIDE);
    expect(indexProblem(indexOf([{ name: '.git/', mode: 0o40000 }]))).toBe(OUTSIDE);
  });

  it('has a name of another length than git reads', () => {
    expect(indexProblem(indexOf([{ name: 'a.txt' }]))).toBeUndefined();
    expect(indexProblem(indexOf([{ name: 'a.txt', length: 2 }]))).toBe(UNCLEAR);
  });

  it('is read in parts that are not its own', () => {
    const entries = [{ name: 'a' }, { name: 'b' }];
    const table = (...given: readonly number[]): Buffer => indexOf(entries, [['IEOT', numbers(1, ...given)]]);
    expect([table(12, 1, 76, 1), table(12, 2)].map((bytes) => indexProblem(bytes))).toEqual([undefined, undefined]);
    expect([table(76, 1, 12, 1), table(12, 1), table(12, 1, 80, 1)].map((bytes) => indexProblem(bytes))).toEqual([UNCLEAR, UNCLEAR, UNCLEAR]);
    const end = (at: number): Buffer => indexOf(entries, [['EOIE', Buffer.concat([numbers(at), Buffer.alloc(20)])]]);
    expect([end(140), end(76)].map((bytes) => indexProblem(bytes))).toEqual([undefined, UNCLEAR]);
  });

  it('remembers another tree of a folder, which the next commit would have', () => {
    const { git, index, write, folder } = repository();
    const before = index();
    write('evil/b', 'evil');
    git('add', 'evil/b');
    const evil = git('write-tree', '--prefix=evil/').trim();
    git('reset', '-q', '--hard');
    const deep = git('rev-parse', 'HEAD:sub/deep').trim();
    const changed = Buffer.from(before.subarray(0, -20).toString('hex').replace(deep, evil), 'hex');
    writeFileSync(join(folder, '.git/index'), signed(changed));
    // That is what git does with it.
    expect(git('status', '--porcelain')).toBe('');
    git('commit', '-q', '--allow-empty', '-m', 'harmless');
    expect(indexProblem(before)).toBeUndefined();
    expect(indexProblem(signed(changed))).toBe(UNSEEN);
  });

  it('has a shared part with a name that leads elsewhere', () => {
    const shared = indexOf([{ name: '.git/hooks/post-checkout' }]);
    const nothing = numbers(0, 0, 0);
    const index = indexOf([], [['link', Buffer.concat([Buffer.alloc(20, 1), nothing, nothing])]]);
    expect(indexProblem(index, () => shared)).toBe(OUTSIDE);
    expect(indexProblem(index, () => indexOf([{ name: 'a' }]))).toBeUndefined();
  });

  it('is none that git would read', () => {
    expect(['', 'x', 'DIRX'.padEnd(60, '\0'), 'DIRC\0\0\0\x09'.padEnd(60, '\0')].map((text) => indexProblem(Buffer.from(text)))).toEqual([
      undefined,
      undefined,
      undefined,
      UNCLEAR,
    ]);
  });
});

describe('the files of an index that git does not look at', () => {
  it.each([
    ['version 2', []],
    ['version 4', ['--index-version', '4']],
    ['in two parts', ['--split-index']],
  ])('are known: %s', (_, options) => {
    const { git, index, folder } = repository();
    if (options.length > 0) git('update-index', ...options);
    const read = (): string[] => [...skippedFiles(index(), (name) => readFileSync(join(folder, '.git', name)))];
    expect(read()).toEqual([]);
    git('update-index', '--assume-unchanged', 'a.txt');
    git('update-index', '--skip-worktree', 'sub/deep/b');
    expect(read()).toEqual(['a.txt', 'sub/deep/b']);
    git('update-index', '--no-assume-unchanged', 'a.txt');
    expect(read()).toEqual(['sub/deep/b']);
  });
});
