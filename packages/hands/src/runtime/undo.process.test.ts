import { chmod, mkdir, readFile, readdir, readlink, rename, stat, symlink, truncate, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lstatSync } from 'node:fs';
import type { CallResult } from '@synapse/protocol';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { queryAudit } from '../audit/query-audit.ts';
import { readTree } from '../testing/read-tree.ts';
import { defineTool } from '../tool/tool.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

async function place(): Promise<TemporaryHands> {
  const at = await temporaryHands({
    'a.txt': 'one\ntwo\n',
    'run.sh': '#!/bin/sh\n',
    'src/deep/b.txt': 'b\n',
    'src/c.bin': Buffer.from([0, 1, 2, 255]),
  });
  await chmod(at.at('run.sh'), 0o751);
  await chmod(at.at('src/deep'), 0o750);
  await mkdir(at.at('empty'));
  await symlink('a.txt', at.at('link'));
  await symlink('/etc/hostname', at.at('src/outside'));
  await writeFile(Buffer.concat([Buffer.from(`${at.folder}/src/`), Buffer.from([0x66, 0xff])]), 'not UTF-8');
  return at;
}

const succeeded = <T>(result: CallResult<T>): CallResult<T> & { ok: true } =>
  result.ok ? result : expect.fail(`${result.error.message} ${result.error.hint}`);
const ok = <T>(result: CallResult<T>): T => succeeded(result).data;

const CALLS: ReadonlyArray<[string, string, unknown]> = [
  ['a new file', 'write_file', { path: 'new.txt', content: 'x' }],
  ['a new file in new folders', 'write_file', { path: 'x/y/z.txt', content: 'x' }],
  ['a replaced file', 'write_file', { path: 'a.txt', content: 'x' }],
  ['a replaced program', 'write_file', { path: 'run.sh', content: 'x' }],
  ['a file replaced through a link', 'write_file', { path: 'link', content: 'x' }],
  ['an edit', 'edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'ONE' }] }],
  [
    'a patch that adds, changes, moves and deletes',
    'apply_patch',
    {
      patch: [
        '*** Begin Patch',
        '*** Add File: p/q/new.txt',
        '+x',
        '*** Update File: a.txt',
        '*** Move to: moved/a.txt',
        '@@',
        '-one',
        '+ONE',
        '*** Delete File: src/deep/b.txt',
        '*** End Patch',
      ].join('\n'),
    },
  ],
  ['a deleted file', 'delete_file', { path: 'run.sh' }],
  ['a deleted link', 'delete_file', { path: 'link' }],
  ['a deleted link that leads out', 'delete_file', { path: 'src/outside' }],
  ['a deleted folder with everything in it', 'delete_directory', { path: 'src', recursive: true }],
  ['a deleted empty folder', 'delete_directory', { path: 'empty' }],
  ['a new folder', 'create_directory', { path: 'm/n' }],
  ['a moved file', 'move_path', { from: 'a.txt', to: 'elsewhere/a2.txt' }],
  ['a moved folder', 'move_path', { from: 'src', to: 'lib/src' }],
  ['a moved link', 'move_path', { from: 'link', to: 'src/link' }],
];

it.each(CALLS)('takes back %s, and the undo as well', async (_, tool, input) => {
  await using at = await place();
  const before = readTree(at.folder);
  ok(await at.hands.call(tool, input, { callId: 'changed' }));
  const changed = readTree(at.folder);
  expect(changed).not.toEqual(before);
  expect(await at.hands.planUndo()).toMatchObject({ calls: [{ call: 'changed', tool }], conflicts: [], not_covered: [] });
  expect(readTree(at.folder)).toEqual(changed);
  ok(await at.hands.undo({}, { callId: 'undone' }));
  expect(readTree(at.folder)).toEqual(before);
  ok(await at.hands.undo({ call: 'undone' }, { callId: 'redone' }));
  expect(readTree(at.folder)).toEqual(changed);
  ok(await at.hands.undo({ call: 'redone' }));
  expect(readTree(at.folder)).toEqual(before);
  const audited = [...queryAudit(join(at.folder, '..', 'state'), at.folder)];
  expect(audited.map(({ tool: name, status }) => [name, status])).toEqual([...Array.from({ length: 3 }, () => ['undo', 'ok']), [tool, 'ok']]);
  expect(audited.every(({ end }) => (end?.changes?.length ?? 0) > 0)).toBe(true);
});

it.each<[string, ReadonlyArray<[string, unknown]>]>([
  [
    'a file that was moved, then replaced',
    [
      ['move_path', { from: 'a.txt', to: 'b.txt' }],
      ['write_file', { path: 'b.txt', content: 'x' }],
    ],
  ],
  [
    'a file that was moved, replaced, moved again and deleted',
    [
      ['move_path', { from: 'a.txt', to: 'b.txt' }],
      ['write_file', { path: 'b.txt', content: 'x' }],
      ['move_path', { from: 'b.txt', to: 'c.txt' }],
      ['delete_file', { path: 'c.txt' }],
    ],
  ],
  [
    'a folder that was moved, then deleted',
    [
      ['move_path', { from: 'src', to: 'lib' }],
      ['delete_directory', { path: 'lib', recursive: true }],
    ],
  ],
  [
    'a link that was moved, then deleted',
    [
      ['move_path', { from: 'link', to: 'other' }],
      ['delete_file', { path: 'other' }],
    ],
  ],
])('takes back %s: one by one, all at once, and both again', async (_, calls) => {
  await using at = await place();
  const states = [readTree(at.folder)];
  for (const [tool, input] of calls) {
    ok(await at.hands.call(tool, input));
    states.push(readTree(at.folder));
  }
  const undone: string[] = [];
  for (const state of states.slice(0, -1).toReversed()) {
    const { meta } = succeeded(await at.hands.undo());
    undone.push(meta.callId);
    expect(readTree(at.folder)).toEqual(state);
  }
  for (const state of states.slice(1)) {
    ok(await at.hands.undo({ call: undone.pop() ?? '' }));
    expect(readTree(at.folder)).toEqual(state);
  }
  const { meta } = succeeded(await at.hands.undo({ last: calls.length }));
  expect(readTree(at.folder)).toEqual(states[0]);
  ok(await at.hands.undo({ call: meta.callId }));
  expect(readTree(at.folder)).toEqual(states.at(-1));
});

it('brings back what it removed with the permissions that it had then', async () => {
  await using at = await temporaryHands();
  ok(await at.hands.call('create_directory', { path: 'd' }));
  ok(await at.hands.call('write_file', { path: 'd/secret', content: 'x' }));
  await chmod(at.at('d'), 0o700);
  await chmod(at.at('d/secret'), 0o600);
  const before = readTree(at.folder);
  const { meta } = succeeded(await at.hands.undo({ last: 2 }));
  expect(await readdir(at.folder)).toEqual([]);
  ok(await at.hands.undo({ call: meta.callId }));
  expect(readTree(at.folder)).toEqual(before);
});

it('takes a whole session back, and nothing else', async () => {
  await using at = await place();
  const before = readTree(at.folder);
  for (const [, tool, input] of CALLS.slice(0, 7)) await at.hands.call(tool, input, { sessionId: 'mine' });
  ok(await at.hands.call('move_path', { from: 'src', to: 'lib' }, { sessionId: 'mine' }));
  ok(await at.hands.call('write_file', { path: 'lib/c.txt', content: 'c' }, { sessionId: 'mine' }));
  ok(await at.hands.call('write_file', { path: 'other.txt', content: 'stays' }, { sessionId: 'other' }));
  ok(await at.hands.undo({ session: 'mine' }));
  expect(readTree(at.folder)).toEqual({ ...before, 'other.txt': expect.stringContaining('stays') as string });
  await expect(at.hands.undo({ session: 'mine' })).rejects.toThrow('Nothing to undo.');
});

it('walks back call by call, and skips what was taken back', async () => {
  await using at = await temporaryHands({ a: '0' });
  for (const content of ['1', '2', '3']) ok(await at.hands.call('write_file', { path: 'a', content }));
  const seen: string[] = [];
  for (let step = 0; step < 3; step += 1) {
    ok(await at.hands.undo());
    seen.push(await readFile(at.at('a'), 'utf8'));
  }
  expect(seen).toEqual(['2', '1', '0']);
  await expect(at.hands.undo()).rejects.toThrow('Nothing to undo.');
  await expect(at.hands.undo({ call: 'nonsense' })).rejects.toThrow('No call with the id nonsense');
});

it.each<[string, [string, unknown], (at: TemporaryHands) => Promise<unknown>, string]>([
  [
    'a file that was edited since',
    ['write_file', { path: 'a.txt', content: 'x' }],
    (at) => writeFile(at.at('a.txt'), 'mine'),
    'a.txt was changed since',
  ],
  ['a file that is gone', ['write_file', { path: 'a.txt', content: 'x' }], (at) => unlink(at.at('a.txt')), 'a.txt is gone'],
  ['a file that has another mode', ['write_file', { path: 'a.txt', content: 'x' }], (at) => chmod(at.at('a.txt'), 0o700), 'other permissions'],
  ['a new file that was edited', ['write_file', { path: 'new', content: 'x' }], (at) => writeFile(at.at('new'), 'mine'), 'new was changed since'],
  ['a name that is taken', ['delete_file', { path: 'a.txt' }], (at) => writeFile(at.at('a.txt'), 'mine'), 'a.txt exists by now'],
  [
    'a file that is a link by now',
    ['write_file', { path: 'new', content: 'x' }],
    async (at) => (await unlink(at.at('new')), symlink('a.txt', at.at('new'))),
    'is a link by now',
  ],
  [
    'a moved file whose place is taken',
    ['move_path', { from: 'a.txt', to: 'b.txt' }],
    (at) => writeFile(at.at('a.txt'), 'mine'),
    'its old place is taken',
  ],
  ['a folder that exists again', ['delete_directory', { path: 'src', recursive: true }], (at) => mkdir(at.at('src')), 'src exists by now'],
])('refuses %s, and changes nothing', async (_, [tool, input], drift, message) => {
  await using at = await place();
  ok(await at.hands.call(tool, input));
  await drift(at);
  const before = readTree(at.folder);
  expect((await at.hands.planUndo()).conflicts.join('\n')).toContain(message);
  expect(await at.hands.undo()).toMatchObject({ ok: false, error: { code: 'conflict', message: expect.stringContaining(message) as string } });
  expect(readTree(at.folder)).toEqual(before);
});

it('changes nothing where the last of many steps cannot be taken back', async () => {
  await using at = await place();
  ok(await at.hands.call('write_file', { path: 'a.txt', content: 'x' }, { sessionId: 's' }));
  ok(await at.hands.call('move_path', { from: 'src', to: 'lib' }, { sessionId: 's' }));
  ok(await at.hands.call('write_file', { path: 'lib/new.txt', content: 'x' }, { sessionId: 's' }));
  // Behind the move of a folder nothing is looked at beforehand: the steps have to be rolled back.
  await writeFile(at.at('a.txt'), 'mine');
  const before = readTree(at.folder);
  expect(await at.hands.undo({ session: 's' })).toMatchObject({ ok: false, error: { code: 'conflict' } });
  expect(readTree(at.folder)).toEqual(before);
  await writeFile(at.at('a.txt'), 'x');
  ok(await at.hands.undo({ session: 's' }));
  expect(await readFile(at.at('src/deep/b.txt'), 'utf8')).toBe('b\n');
});

it('never deletes what it did not make', async () => {
  await using at = await place();
  ok(await at.hands.call('write_file', { path: 'x/y/z.txt', content: 'x' }));
  await writeFile(at.at('x/mine.txt'), 'mine');
  expect(await at.hands.planUndo()).toMatchObject({ kept_folders: ['x'], conflicts: [] });
  expect(ok(await at.hands.undo()).kept_folders).toEqual(['x']);
  expect(await readdir(at.at('x'))).toEqual(['mine.txt']);
});

it('needs the permission to write, and to write where that takes its own', async () => {
  await using at = await temporaryHands({ a: '0' });
  ok(await at.hands.call('write_file', { path: 'a', content: '1' }));
  const options = { stateFolder: join(at.folder, '..', 'state') };
  const { createHands } = await import('./create-hands.ts');
  await using reader = await createHands({ workspace: at.folder, ...options });
  expect(await reader.undo()).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  await using owner = await createHands({ workspace: at.folder, ...options, allow: ['write', 'protected'] });
  ok(await owner.call('write_file', { path: '.envrc', content: 'x' }, { callId: 'protected' }));
  expect(await at.hands.undo({ call: 'protected' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  ok(await owner.undo({ call: 'protected' }));
});

it('says before the answer is given that a change is for good', async () => {
  await using at = await temporaryHands();
  await writeFile(at.at('big'), '');
  await truncate(at.at('big'), 40 * 1024 * 1024);
  const result = await at.hands.call('delete_file', { path: 'big' });
  expect(result).toMatchObject({
    ok: true,
    output: expect.stringContaining('This cannot be undone: big (41.9MB) is more than the undo journal keeps.') as string,
    meta: { tooLargeToUndo: [{ path: 'big', bytes: 41_943_040, limit: 33_554_432 }] },
  });
  await expect(at.hands.undo()).rejects.toThrow('cannot be undone');
  expect((await at.hands.planUndo()).conflicts).toEqual([expect.stringContaining('big (41.9MB)')]);
});

it('reports commands whose changes it does not keep', async () => {
  await using at = await temporaryHands({ a: '0' }, { undoCommands: false });
  ok(await at.hands.call('write_file', { path: 'a', content: '1' }, { sessionId: 's' }));
  ok(await at.hands.call('run_command', { command: 'echo 2 > b' }, { sessionId: 's' }));
  expect((await at.hands.planUndo()).not_covered).toEqual([expect.stringContaining('1 command ran')]);
});

it('reports tools that run programs by themselves', async () => {
  const runs = defineTool({
    name: 'deploy',
    description: 'Runs a program.',
    effects: 'exec',
    input: z.strictObject({}),
    execute: async () => ({ data: {}, content: [] }),
  });
  await using at = await temporaryHands({ a: '0' }, { tools: [runs], policy: { allow: ['deploy', 'write'] } });
  ok(await at.hands.call('write_file', { path: 'a', content: '1' }));
  ok(await at.hands.call('deploy', {}));
  expect((await at.hands.planUndo()).not_covered).toEqual([expect.stringContaining('1 command ran')]);
});

it('reports no commands that only read, or whose changes are taken back too', async () => {
  await using at = await temporaryHands({ a: '0' });
  const { hands } = at;
  const run = { sessionId: 's' };
  ok(await hands.call('write_file', { path: 'a', content: '1' }, run));
  for (const command of ['cat a', 'echo 2 > b']) ok(await hands.call('run_command', { command }, run));
  ok(await hands.call('run_program', { code: "return (await hands.run_command({ command: 'cat a' })).exit_code" }, run));
  ok(await hands.call('job', { action: 'list' }, run));
  expect(await hands.planUndo({ session: 's' })).toMatchObject({ changes: [{ path: 'b' }, { path: 'a' }], not_covered: [] });
});

it('shows what was changed as diffs, summed up', async () => {
  await using at = await place();
  for (const content of ['one\n2\n', 'one\n2\nthree\n']) ok(await at.hands.call('write_file', { path: 'a.txt', content }, { sessionId: 's' }));
  ok(await at.hands.call('write_file', { path: 'gone.txt', content: 'x' }, { sessionId: 's' }));
  ok(await at.hands.call('delete_file', { path: 'gone.txt' }, { sessionId: 's' }));
  ok(await at.hands.call('move_path', { from: 'run.sh', to: 'go.sh' }, { sessionId: 's' }));
  ok(await at.hands.call('delete_file', { path: 'src/c.bin' }, { sessionId: 's' }));
  ok(await at.hands.call('write_file', { path: 'other.txt', content: 'x' }));
  expect(await at.hands.changes({ session: 's' })).toEqual([
    { kind: 'changed', path: 'a.txt', current: true, diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+three\n' },
    { kind: 'moved', path: 'go.sh', from: 'run.sh', current: true },
    { kind: 'deleted', path: 'src/c.bin', current: true, note: 'binary, 4B' },
  ]);
  const [first] = await at.hands.changes({ session: 's' }, { diffs: false });
  expect(first).toEqual({ kind: 'changed', path: 'a.txt', current: true });
  const few = await at.hands.changes({}, { diffs: 1 });
  expect(few.map(({ path, diff }) => [path, diff !== undefined])).toEqual([
    ['a.txt', true],
    ['go.sh', false],
    ['other.txt', false],
    ['src/c.bin', false],
  ]);
  await expect(at.hands.changes({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
  await writeFile(at.at('a.txt'), 'mine');
  expect((await at.hands.changes({ session: 's' }))[0]).toMatchObject({
    path: 'a.txt',
    current: false,
    note: expect.stringContaining('not kept') as string,
  });
  await expect(at.hands.changes({ call: 'nonsense' })).rejects.toMatchObject({
    code: 'not_found',
    hint: expect.stringContaining('synapse log') as string,
  });
  const undone = await at.hands.planUndo({ last: 1 });
  ok(await at.hands.undo({ last: 1 }));
  expect(await at.hands.changes({ call: undone.calls[0]?.call ?? '' })).toEqual([]);
  expect((await at.hands.changes()).map(({ path }) => path)).toEqual(['a.txt', 'go.sh', 'src/c.bin']);
});

it('shows what was deleted, also where something else was moved into its place', async () => {
  await using at = await temporaryHands({ x: 'old x', y: 'old y' });
  ok(await at.hands.call('delete_file', { path: 'x' }));
  ok(await at.hands.call('move_path', { from: 'y', to: 'x' }));
  expect(await at.hands.changes()).toMatchObject([
    { kind: 'deleted', path: 'x', diff: expect.stringContaining('-old x') as string },
    { kind: 'moved', path: 'x', from: 'y' },
  ]);
});

it('keeps the journal from other users, and out of the workspace', async () => {
  await using at = await place();
  ok(await at.hands.call('write_file', { path: 'a.txt', content: 'x' }));
  const journal = join(at.folder, '..', 'state', 'journal');
  const open = Object.keys(readTree(journal)).filter((path) => (lstatSync(join(journal, path)).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect((await stat(journal)).mode & 0o077).toBe(0);
});

it('sets a damaged journal aside, says so, and goes on', async () => {
  await using at = await temporaryHands({ a: '0' });
  const { createHands } = await import('./create-hands.ts');
  const open = () => createHands({ workspace: at.folder, stateFolder: join(at.folder, '..', 'state'), allow: ['write'] });
  {
    await using hands = await open();
    ok(await hands.call('write_file', { path: 'a', content: '1' }));
  }
  const [id = ''] = await readdir(join(at.folder, '..', 'state', 'journal'));
  const journal = join(at.folder, '..', 'state', 'journal', id);
  const damaged = Buffer.from('this is no database, and longer than the header of one'.repeat(40));
  await writeFile(join(journal, 'journal.db'), damaged);
  await using hands = await open();
  expect(await hands.call('write_file', { path: 'a', content: '2' })).toMatchObject({
    ok: true,
    output: expect.stringContaining('journal was damaged') as string,
  });
  const aside = (await readdir(journal)).find((name) => name.startsWith('journal.db.damaged-'));
  expect(await readFile(join(journal, aside ?? ''))).toEqual(damaged);
  ok(await hands.undo());
  expect(await readFile(at.at('a'), 'utf8')).toBe('1');
});

it('does not change what it cannot keep', async () => {
  await using at = await temporaryHands({ a: '0' });
  await writeFile(join(at.folder, '..', 'state', 'journal'), '').catch(async () => {
    await mkdir(join(at.folder, '..', 'state'));
    await writeFile(join(at.folder, '..', 'state', 'journal'), '');
  });
  expect(await at.hands.call('write_file', { path: 'a', content: '1' })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  expect(await readFile(at.at('a'), 'utf8')).toBe('0');
  expect(await readlink(at.at('a')).catch(() => 'no link')).toBe('no link');
});

it('puts nothing back through a folder that is a link by now', async () => {
  await using at = await temporaryHands({ 'd/pre-commit': 'old', 'other/pre-commit': 'new' });
  ok(await at.hands.call('write_file', { path: 'd/pre-commit', content: 'new' }, { callId: 'changed' }));
  await mkdir(at.at('.git'));
  await rename(at.at('d'), at.at('moved'));
  await rename(at.at('other'), at.at('.git/hooks'));
  await symlink('.git/hooks', at.at('d'));
  expect(await at.hands.undo({ call: 'changed' })).toMatchObject({ ok: false, error: { code: 'conflict' } });
  expect(await readFile(at.at('.git/hooks/pre-commit'), 'utf8')).toBe('new');
});
