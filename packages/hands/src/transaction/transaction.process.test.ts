import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CallResult } from '@synapse/protocol';
import { describe, expect, it, afterEach, beforeEach } from 'vitest';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { nanosecondsOf, secondsOf } from '../workspace/file-seconds.ts';

const FILES = { 'a.txt': 'one\n', 'b.txt': 'b\n', 'd/x': 'x', 'd/y': 'y', 'd/e/z': 'z' };
/** A file system in memory that every Linux has. */
const MEMORY = '/dev/shm';
const isAcross = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(tmpdir()).dev;
/** Where the state folder lies; undefined is beside the workspace, on its file system. */
let stateFolder: string | undefined;
const place = (options: Omit<HandsOptions, 'workspace'> = {}, files: Record<string, string> = FILES): Promise<TemporaryHands> =>
  temporaryHands(files, { sandbox: 'required', ...(stateFolder === undefined ? {} : { stateFolder }), ...options });
/** Copies between file systems keep times to what Node can set. */
const kept = (nanoseconds: bigint): bigint => (stateFolder === undefined ? nanoseconds : nanosecondsOf(secondsOf(nanoseconds)));
const stateOf = (at: TemporaryHands): string => stateFolder ?? join(at.folder, '../state');
const run = (at: TemporaryHands, command: string, rest: object = {}): Promise<CallResult> => at.hands.call('run_command', { command, ...rest });
const text = (result: CallResult): string => (result.ok ? result.output : expect.fail(result.error.message));

/** Runs something in the workspace as soon as the command has begun, as another program would. */
async function runWhile(at: TemporaryHands, command: string, meddle: () => void, first = ''): Promise<CallResult> {
  let done = false;
  const onProgress = (): void => {
    if (!done) meddle();
    done = true;
    writeFileSync(join(at.folder, 'go'), '');
  };
  // What was looked up before is remembered as missing: each time the folder is read anew.
  const wait = `${first}echo ready; until ls -a . | grep -qx go; do sleep 0.01; done; `;
  const result = await at.hands.call('run_command', { command: wait + command }, { onProgress });
  expect(done).toBe(true);
  rmSync(join(at.folder, 'go'));
  return result;
}

const PLACES = ['the file system of the workspace', ...(isAcross ? ['another file system'] : [])];

describe.skipIf((await findBubblewrap()) === undefined).each(PLACES)('a command as a transaction, with its state on %s', (where) => {
  beforeEach(() => void (stateFolder = where === PLACES[0] ? undefined : mkdtempSync(join(MEMORY, 'synapse-state-'))));
  afterEach(() => stateFolder !== undefined && execFileSync('rm', ['-rf', stateFolder]));

  it('is applied, told, and undone', async () => {
    await using at = await place();
    const before = readTree(at.folder);
    const result = await run(at, 'echo two >> a.txt; rm b.txt; rm -r d; mkdir -p n/m; echo x > n/m/f; ln -s a.txt l; echo d > d');
    expect(result).toMatchObject({ ok: true, meta: { undo: 'covered', appliedFrom: 'copy' } });
    expect(readTree(at.folder)).toMatchObject({ 'a.txt': 'file 644 one\ntwo\n', 'n/m/f': 'file 644 x\n', l: 'link a.txt', d: 'file 644 d\n' });
    expect(readdirSync(at.folder)).not.toContain('b.txt');
    const after = readTree(at.folder);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toEqual(before);
    expect(await at.hands.undo({ call: (await lastCall(at)) ?? '' })).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toEqual(after);
  });

  it('keeps times, links between files, holes and empty folders', async () => {
    await using at = await place();
    const command =
      'mkdir n n/empty; echo x > n/f; touch -d @1000000000.123456789 n/f; ln n/f n/g; truncate -s 8M n/hole; echo y > old; touch -d @1111111111.5 old a.txt; mkdir -m 500 n/closed';
    text(await run(at, command));
    const at0 = (path: string) => lstatSync(at.at(path), { bigint: true });
    expect(at0('n/f').mtimeNs).toBe(kept(1000000000123456789n));
    expect([at0('n/f').nlink, at0('n/g').ino]).toEqual([2n, at0('n/f').ino]);
    expect(at0('n/hole').blocks).toBeLessThan(100n);
    expect([at0('old').mtimeNs, at0('a.txt').mtimeNs]).toEqual([1111111111500000000n, 1111111111500000000n]);
    expect(at0('n/closed').mode & 0o777n).toBe(0o500n);
    expect(statSync(at.at('n/empty')).isDirectory()).toBe(true);
  });

  it('gives folders the times that a command chose to the nanosecond, and leaves no marks of the overlay', async () => {
    await using at = await place();
    const command = 'echo 1 > d/x; mv a.txt d/moved; rm -r d/e; mkdir d/e; echo 2 > d/e/z; echo 3 > b.txt; touch -d @1000000000.123456789 d';
    text(await run(at, command));
    // As cargo does. The kernel marks it, although nothing else was changed.
    text(await run(at, 'mkdir -p .tmp/in; echo 1 > .tmp/in/x; mv .tmp renamed'));
    expect(lstatSync(at.at('d'), { bigint: true }).mtimeNs).toBe(1000000000123456789n);
    const list = 'import os\nfor f, ds, ns in os.walk("."):\n  for n in ds + ns: print(os.listxattr(os.path.join(f, n), follow_symlinks=False))';
    const marks = spawnSync('python3', ['-c', list], { cwd: at.folder, encoding: 'utf8' });
    if (marks.status === 0) expect(new Set(marks.stdout.trim().split('\n'))).toEqual(new Set(['[]']));
    expect(await at.hands.undo({ last: 2 })).toMatchObject({ ok: true });
    expect(readdirSync(at.at('d')).toSorted()).toEqual(['e', 'x', 'y']);
  });

  it('leaves alone what was rewritten as it was', async () => {
    await using at = await place();
    utimesSync(at.at('a.txt'), 1e9, 1e9);
    const before = lstatSync(at.at('a.txt'), { bigint: true });
    text(await run(at, 'cp -p a.txt t; cat t > a.txt; touch -r t a.txt; rm t'));
    const after = lstatSync(at.at('a.txt'), { bigint: true });
    expect([after.ino, after.ctimeNs]).toEqual([before.ino, before.ctimeNs]);
    await expect(at.hands.undo()).rejects.toThrow('Nothing to undo');
  });

  it('replaces a folder that was deleted and made again, and keeps one that was only changed', async () => {
    await using at = await place();
    text(await run(at, 'rm -r d; mkdir d; echo new > d/new'));
    expect(readdirSync(at.at('d'))).toEqual(['new']);
    text(await run(at, 'echo more > d/more'));
    expect(readdirSync(at.at('d')).toSorted()).toEqual(['more', 'new']);
    expect(await at.hands.undo({ last: 2 })).toMatchObject({ ok: true });
    expect(readdirSync(at.at('d')).toSorted()).toEqual(['e', 'x', 'y']);
  });

  it('exchanges a large folder that was made again with the same names as one, and undoes it as one', async () => {
    const names = Array.from({ length: 250 }, (_, index) => `f${index}`);
    await using at = await place({}, Object.fromEntries(names.map((name) => [`many/${name}`, 'old'])));
    const before = readTree(at.folder);
    const folder = statSync(join(at.folder, 'many')).ino;
    const again = await run(at, 'rm -r many && mkdir many && cd many && for i in $(seq 0 249); do echo new > f$i; done');
    expect(again).toMatchObject({ ok: true, meta: { undo: 'covered' } });
    expect(new Set(names.map((name) => readFileSync(join(at.folder, 'many', name), 'utf8')))).toEqual(new Set(['new\n']));
    expect(statSync(join(at.folder, 'many')).ino).not.toBe(folder);
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toEqual(before);
    // Moved back whole, where both are on one file system.
    if (stateFolder === undefined) expect(statSync(join(at.folder, 'many')).ino).toBe(folder);
  });

  it('leaves the time of the workspace as it was where nothing in it was made or deleted', async () => {
    await using at = await place();
    utimesSync(at.folder, 1_000_000_000, 1_000_000_000.25);
    text(await run(at, 'echo more >> a.txt; echo more >> d/x'));
    expect(readFileSync(join(at.folder, 'a.txt'), 'utf8')).toBe('one\nmore\n');
    expect(statSync(at.folder).mtimeMs).toBe(1_000_000_000_250);
  });

  it('splits no file from a name outside, nor writes through it', async () => {
    await using at = await place();
    writeFileSync(join(at.outside, 'store'), 'shared\n');
    linkSync(join(at.outside, 'store'), at.at('linked'));
    text(await run(at, 'echo mine > linked; chmod 600 linked'));
    expect(readFileSync(at.at('linked'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(at.outside, 'store'), 'utf8')).toBe('shared\n');
    expect(statSync(join(at.outside, 'store')).mode & 0o777).toBe(0o644);
  });

  it('takes names that are no text, and trees that no path can name', async () => {
    await using at = await place();
    const deep = 'i=0; while [ $i -lt 300 ]; do mkdir ddddddddddddddddddddddd && cd ddddddddddddddddddddddd; i=$((i+1)); done; echo bottom > f';
    text(await run(at, `mkdir n; printf x > "n/$(printf '\\377\\n')"; mkdir deep; cd deep; ${deep}`));
    expect(readdirSync(Buffer.from(at.at('n')), 'buffer')).toEqual([Buffer.from([0xff])]);
    expect(execFileSync('sh', ['-c', 'find . -name f -execdir cat {} +'], { cwd: at.at('deep') }).toString()).toBe('bottom\n');
    expect(await at.hands.undo()).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toMatchObject({ 'a.txt': 'file 644 one\n' });
    expect(readdirSync(at.folder).toSorted()).toEqual(['a.txt', 'b.txt', 'd']);
    // Too deep for the way in which tests clean up.
    execFileSync('rm', ['-rf', join(stateOf(at), 'transactions')]);
  });

  it('keeps its version of what something else changed meanwhile under a handle, and applies the rest', async () => {
    await using at = await place();
    const result = await runWhile(at, 'echo mine > a.txt; echo mine > b.txt; rm -r d; echo mine > late; echo mine > free', () => {
      writeFileSync(at.at('a.txt'), 'theirs');
      writeFileSync(at.at('d/e/theirs'), 'theirs');
      writeFileSync(at.at('late'), 'theirs');
      writeFileSync(at.at('sibling'), 'theirs');
    });
    for (const path of ['a.txt', 'd', 'late']) expect(text(result)).toContain(`${path} was changed by something else while it ran`);
    const handle = /synapse changes pending (?<handle>c-[0-9a-f]+)/u.exec(text(result))?.groups?.['handle'];
    expect(handle).toBeDefined();
    const tree = readTree(at.folder);
    expect([tree['a.txt'], tree['late'], tree['d/e/theirs'], tree['d/x']]).toEqual([
      'file 644 theirs',
      'file 644 theirs',
      'file 644 theirs',
      'file 644 x',
    ]);
    expect([tree['b.txt'], tree['free']]).toEqual(['file 644 mine\n', 'file 644 mine\n']);
  });

  it('takes away no folder that something else moved into a deeper one, with files that did not change, and one where something was deleted', async () => {
    await using at = await place({}, { ...FILES, 'old/p': 'theirs' });
    const moved = await runWhile(at, 'rm -r d', () => renameSync(at.at('old'), at.at('d/e/old')));
    expect(text(moved)).toContain('d was changed by something else while it ran');
    expect(readFileSync(at.at('d/e/old/p'), 'utf8')).toBe('theirs');
    const deleted = await runWhile(at, 'rm -r d', () => rmSync(at.at('d/e/z')));
    expect(text(deleted)).not.toContain('changed by something else');
    expect(existsSync(at.at('d'))).toBe(false);
  });

  it('changes nothing when it is ended, and keeps what it did', async () => {
    await using at = await place();
    const before = readTree(at.folder);
    const result = await run(at, 'echo x > a.txt; sleep 60', { timeout_ms: 1_500 });
    expect(result).toMatchObject({
      ok: true,
      data: { timed_out: true },
      output: expect.stringMatching(/as it was[^]*changes pending c-/u) as string,
    });
    expect(readTree(at.folder)).toEqual(before);
  });

  it('is not undone over a later change, also one in a folder that it made', async () => {
    await using at = await place();
    text(await run(at, 'mkdir -p n/m; echo 1 > n/m/f; echo 2 > a.txt'));
    writeFileSync(at.at('n/m/f'), 'later');
    expect(await at.hands.undo()).toMatchObject({
      ok: false,
      error: { code: 'conflict', message: expect.stringContaining('n has other contents') as string },
    });
    rmSync(at.at('n/m/f'));
    writeFileSync(at.at('n/m/other'), '');
    expect(await at.hands.undo()).toMatchObject({ ok: false, error: { code: 'conflict' } });
    expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('2\n');
  });

  it('is undone together with what file tools and other commands did after it', async () => {
    await using at = await place();
    const before = readTree(at.folder);
    text(await run(at, 'mkdir n; echo 1 > n/f; echo 1 > n/g; echo 1 > a.txt'));
    await at.hands.call('write_file', { path: 'n/f', content: 'tool' });
    text(await run(at, 'echo 3 > n/g; echo 3 > a.txt; echo 3 > n/f'));
    await at.hands.call('write_file', { path: 'a.txt', content: 'tool' });
    expect(await at.hands.undo({ last: 4 })).toMatchObject({ ok: true });
    expect(readTree(at.folder)).toEqual(before);
  });

  it('waits for no git that is at work, and takes its lock while it applies', async () => {
    await using at = await place();
    execFileSync('sh', ['-c', 'git init -q . && git add . && git -c user.name=a -c user.email=b@c commit -qm one'], { cwd: at.folder });
    const before = readTree(at.folder);
    const command = 'git add -u; git -c user.name=a -c user.email=b@c commit -qm two';
    const held = await runWhile(at, ':', () => writeFileSync(at.at('.git/index.lock'), ''), `echo 2 > a.txt; ${command}; `);
    expect(text(held)).toMatch(/git is at work[^]*changes pending/u);
    rmSync(at.at('.git/index.lock'));
    expect(readTree(at.folder)).toEqual(before);
    text(await run(at, `echo 2 > a.txt; ${command}`));
    expect(execFileSync('git', ['status', '--short'], { cwd: at.folder }).toString()).toBe('');
    expect(execFileSync('git', ['log', '--format=%s'], { cwd: at.folder }).toString()).toBe('two\none\n');
    expect(readdirSync(at.at('.git'))).not.toContain('index.lock');
  });

  it('has no second undo of a folder that became a link meanwhile', async () => {
    await using at = await place();
    text(await run(at, 'echo 1 > d/x'));
    mkdirSync(join(at.outside, 'd'));
    writeFileSync(join(at.outside, 'd/x'), 'outside');
    renameSync(at.at('d'), at.at('elsewhere'));
    symlinkSync(join(at.outside, 'd'), at.at('d'));
    expect(await at.hands.undo()).toMatchObject({ ok: false });
    expect(readFileSync(join(at.outside, 'd/x'), 'utf8')).toBe('outside');
  });

  it('says which target cannot be replaced, and changes nothing else', async () => {
    await using at = await place();
    if (process.getuid?.() !== 0) return;
    execFileSync('chattr', ['+i', at.at('b.txt')]);
    try {
      const result = await run(at, 'echo 1 > a.txt; rm -f b.txt; mv a.txt c.txt; echo 2 > d/x');
      expect(text(result)).toBeDefined();
      expect(readFileSync(at.at('b.txt'), 'utf8')).toBe('b\n');
    } finally {
      execFileSync('chattr', ['-i', at.at('b.txt')]);
    }
  });

  it('goes through whatever the number of files', async () => {
    await using at = await place();
    chmodSync(at.folder, 0o755);
    const files = stateFolder === undefined ? 12_000 : 2_000;
    text(await run(at, `mkdir many; cd many; seq 1 ${files} | xargs touch; truncate -s 300M big`, { timeout_ms: 600_000 }));
    expect(readdirSync(at.at('many'))).toHaveLength(files + 1);
    expect(await at.hands.undo()).toMatchObject({ ok: true, output: expect.stringContaining('1 step') as string });
    expect(readdirSync(at.folder)).not.toContain('many');
  }, 120_000);
});

async function lastCall(at: TemporaryHands): Promise<string | undefined> {
  // The undo itself is a call that can be undone, and is the last of all in the log.
  const { readdirSync: list, readFileSync: read } = await import('node:fs');
  const folder = join(stateOf(at), 'audit');
  const lines = list(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => read(join(folder, name), 'utf8').trim().split('\n'));
  return lines.map((line) => JSON.parse(line) as { call?: string; tool?: string }).findLast(({ tool }) => tool === 'undo')?.call;
}
