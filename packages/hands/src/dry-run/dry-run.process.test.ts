import { readdirSync } from 'node:fs';
import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SynapseError, type CallResult, type DryRun } from '@synapse/protocol';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { queryAudit } from '../audit/query-audit.ts';
import { write } from '../testing/git-repository.ts';
import { readTree } from '../testing/read-tree.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';
import { PROBE } from '../testing/probe-tool.ts';

async function place(options: Omit<HandsOptions, 'workspace'> = {}): Promise<TemporaryHands> {
  const at = await temporaryHands({ 'a.txt': 'one\ntwo\n', 'src/b.txt': 'b\n', 'src/c.bin': Buffer.from([0, 1, 2]), '.env': 'KEY=1\n' }, options);
  await chmod(at.at('a.txt'), 0o640);
  await mkdir(at.at('empty'));
  await symlink('a.txt', at.at('link'));
  return at;
}

function report(result: CallResult): DryRun {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  const { dryRun } = result.meta;
  return dryRun ?? expect.fail('This was no dry run.');
}

const lines = ({ changes }: DryRun): string[] => changes.map(({ kind, path, from }) => `${kind} ${from === undefined ? '' : `${from} to `}${path}`);

const PATCH = [
  '*** Begin Patch',
  '*** Add File: p/new.txt',
  '+x',
  '*** Update File: a.txt',
  '*** Move to: moved.txt',
  '@@',
  '-one',
  '+ONE',
  '*** Delete File: src/b.txt',
  '*** End Patch',
].join('\n');

const CALLS: ReadonlyArray<[string, string, unknown, readonly string[]]> = [
  ['a new file', 'write_file', { path: 'x/y.txt', content: 'y' }, ['created x', 'created x/y.txt']],
  ['a replaced file', 'write_file', { path: 'a.txt', content: 'y' }, ['changed a.txt']],
  ['a file replaced through a link', 'write_file', { path: 'link', content: 'y' }, ['changed a.txt']],
  ['the same content', 'write_file', { path: 'a.txt', content: 'one\ntwo\n' }, []],
  ['an edit', 'edit_file', { path: 'a.txt', edits: [{ old_text: 'two', new_text: '2' }] }, ['changed a.txt']],
  ['a patch', 'apply_patch', { patch: PATCH }, ['deleted a.txt', 'created moved.txt', 'created p', 'created p/new.txt', 'deleted src/b.txt']],
  ['a deleted file', 'delete_file', { path: 'a.txt' }, ['deleted a.txt']],
  ['a deleted link', 'delete_file', { path: 'link' }, ['deleted link']],
  ['a deleted folder', 'delete_directory', { path: 'src', recursive: true }, ['deleted src', 'deleted src/b.txt', 'deleted src/c.bin']],
  ['an empty folder', 'delete_directory', { path: 'empty' }, ['deleted empty']],
  ['a new folder', 'create_directory', { path: 'm/n' }, ['created m', 'created m/n']],
  ['a folder that exists', 'create_directory', { path: 'src' }, []],
  ['a move', 'move_path', { from: 'src', to: 'lib/src' }, ['created lib', 'moved src to lib/src']],
  ['a look at a file', 'read_file', { path: 'a.txt' }, []],
  ['a listing', 'list_directory', { path: '.' }, []],
];

it('shows a folder that would be deleted in one line', async () => {
  await using at = await place({});
  const files = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`many/in/${index}`, 'one\ntwo\n']));
  write(at.folder, files);
  const result = await at.hands.call('delete_directory', { path: 'many', recursive: true }, { dryRun: true });
  expect(result).toMatchObject({ ok: true, output: expect.stringContaining('\ndelete many (a folder with 31 entries)\nIt would answer:') as string });
});

it.each(CALLS)('tells %s, changes nothing, and needs no approval', async (_, tool, input, expected) => {
  // The target of a link needs a rule: the question did not show it.
  await using at = await place(JSON.stringify(input).includes('link') ? {} : { allow: [] });
  const before = readTree(at.folder);
  const result = await at.hands.call(tool, input, { dryRun: true });
  expect(lines(report(result))).toEqual(expected);
  expect(result).toMatchObject({ ok: true, output: expect.stringMatching(/^Dry run: nothing was changed\.\n/u) as string });
  expect(readTree(at.folder)).toEqual(before);
  // It leaves no lock and no journal entry, only a record in the audit log.
  expect(readdirSync(join(at.folder, '../state'))).toEqual(['audit']);
});

it.each(CALLS)('foretells %s rightly', async (_, tool, input) => {
  await using at = await place();
  const foretold = await at.hands.call(tool, input, { dryRun: true });
  const done = await at.hands.call(tool, input, { callId: 'done' });
  expect(foretold.ok && foretold.data).toEqual(done.ok && done.data);
  const made = (await at.hands.changes({ call: 'done' })).map(({ current: __, ...change }) => change);
  const planned = report(foretold).changes;
  expect(planned.map(({ kind, path, from }) => ({ kind, path, from }))).toEqual(made.map(({ kind, path, from }) => ({ kind, path, from })));
  for (const { path, diff } of made) expect(planned.find((change) => change.path === path)?.diff).toBe(diff);
});

it.each<[string, string, unknown, string]>([
  ['a file that is missing', 'edit_file', { path: 'none', edits: [{ old_text: 'a', new_text: 'b' }] }, 'not_found'],
  ['a folder that is not empty', 'delete_directory', { path: 'src' }, 'conflict'],
  ['a place that is taken', 'move_path', { from: 'a.txt', to: 'src/b.txt' }, 'already_exists'],
  ['a folder moved into itself', 'move_path', { from: 'src', to: 'src/in' }, 'invalid_arguments'],
  ['a folder written as a file', 'write_file', { path: 'src', content: '' }, 'wrong_type'],
  ['a stale version', 'write_file', { path: 'a.txt', content: '', version: '0'.repeat(16) }, 'conflict'],
  ['a place outside', 'write_file', { path: '../x', content: '' }, 'outside_workspace'],
  ["Synapse's own folder", 'write_file', { path: '.synapse/config.jsonc', content: '' }, 'denied'],
])('fails as the call would: %s', async (_, tool, input, code) => {
  await using at = await place();
  expect(await at.hands.call(tool, input, { dryRun: true })).toMatchObject({ ok: false, error: { code } });
  expect(await at.hands.call(tool, input)).toMatchObject({ ok: false, error: { code } });
});

it('shows what the policy says, and stays refused where it denies', async () => {
  await using at = await place({ allow: [], policy: { deny: ['write(src/**)', 'exec(rm *)'] } });
  const input = { path: 'a.txt', content: '' };
  expect(report(await at.hands.call('write_file', input, { dryRun: true }))).toMatchObject({
    verdict: 'ask',
    rule: 'mode ask: write',
    effects: ['writes a.txt'],
  });
  expect(await at.hands.call('write_file', { ...input, path: 'src/b.txt' }, { dryRun: true })).toMatchObject({
    ok: false,
    error: { code: 'denied' },
  });
  expect(await at.hands.call('run_command', { command: 'rm a.txt' }, { dryRun: true })).toMatchObject({ ok: false, error: { code: 'denied' } });
});

it('does not show the text of a file that the caller may not read', async () => {
  await using at = await place({ allow: [] });
  expect(await at.hands.call('read_file', { path: '.env' }, { dryRun: true })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  const edits = [{ old_text: 'KEY', new_text: 'K' }];
  expect(await at.hands.call('edit_file', { path: '.env', edits }, { dryRun: true })).toMatchObject({
    ok: false,
    error: { code: 'approval_required' },
  });
  const replaced = await at.hands.call('write_file', { path: '.env', content: 'new' }, { dryRun: true });
  expect(report(replaced).changes).toEqual([{ kind: 'changed', path: '.env', note: 'not shown, as reading it is not allowed' }]);
  expect(JSON.stringify(replaced)).not.toContain('KEY=1');
});

it('is marked in the audit log, which records no change', async () => {
  await using at = await place();
  await at.hands.call('write_file', { path: 'a.txt', content: '' }, { dryRun: true, callId: 'tried' });
  const [record] = [...queryAudit(join(at.folder, '../state'), at.folder, {})];
  expect(record?.start).toMatchObject({ call: 'tried', dry_run: true });
  expect(record?.end).toMatchObject({ ok: true, dry_run: true });
  expect(record?.end).not.toHaveProperty('changes');
});

it('tells what an undo would do', async () => {
  await using at = await place();
  await at.hands.call('delete_file', { path: 'a.txt' });
  const before = readTree(at.folder);
  expect(lines(report(await at.hands.undo({}, { dryRun: true })))).toEqual(['created a.txt']);
  expect(readTree(at.folder)).toEqual(before);
  expect(await at.hands.undo()).toMatchObject({ ok: true });
});

it('says that a change could not be undone', async () => {
  await using at = await place();
  await writeFile(at.at('big'), '');
  await truncate(at.at('big'), 40 * 1024 * 1024);
  const result = await at.hands.call('delete_file', { path: 'big' }, { dryRun: true });
  expect(result).toMatchObject({ ok: true, output: expect.stringContaining('This cannot be undone: big (41.9MB)') as string });
});

it.each<[string, object]>([
  ['needs a server', { permission: () => [{ action: 'mcp', resource: 'mcp:github:create_issue' }] }],
  ['needs the network', { permission: () => [{ action: 'net', resource: 'example.com' }] }],
  ['says that it acts outside', { permission: () => [], outside: true }],
])('is not possible for a tool that %s, and does not run it', async (_, more) => {
  let ran = false;
  const execute = async (): Promise<{ data: Record<string, never>; content: string }> => {
    ran = true;
    return { data: {}, content: '' };
  };
  const tool = defineTool({
    ...PROBE,
    name: 'send',
    effects: 'net',
    ...(more as { permission: () => [] }),
    execute,
  });
  await using at = await temporaryHands({}, { tools: [tool], allow: ['write', 'exec', 'fetch', 'mcp'] });
  expect(await at.hands.call('send', {}, { dryRun: true })).toMatchObject({
    ok: false,
    error: { code: 'unavailable', message: expect.stringContaining('not possible') as string },
  });
  expect(ran).toBe(false);
  expect(await at.hands.call('send', {})).toMatchObject({ ok: true });
});

it('runs the code of any tool, and says where it cannot follow', async () => {
  const twice = defineTool({
    ...PROBE,
    name: 'twice',
    effects: 'write',
    input: z.strictObject({ paths: z.array(z.string()) }),
    permission: ({ paths }) => paths.map((resource) => ({ action: 'write' as const, resource })),
    async execute({ paths }, { workspace }) {
      for (const path of paths) await workspace.change([path], async (scope) => scope.write(path, Buffer.from('x')));
      return { data: {}, content: '' };
    },
  });
  await using at = await temporaryHands({}, { tools: [twice] });
  expect(lines(report(await at.hands.call('twice', { paths: ['a', 'b'] }, { dryRun: true })))).toEqual(['created a', 'created b']);
  expect(await at.hands.call('twice', { paths: ['a', 'a'] }, { dryRun: true })).toMatchObject({
    ok: false,
    error: { code: 'unavailable', message: expect.stringContaining('it would change a twice') as string },
  });
  expect(readTree(at.folder)).toEqual({});
});

it('tells a dialect, too', async () => {
  await using at = await place();
  const { result } = await at.hands.dialect('claude-code').call('Write', { file_path: at.at('n.txt'), content: 'x' }, { dryRun: true });
  expect(lines(report(result))).toEqual(['created n.txt']);
  expect(readTree(at.folder)).not.toHaveProperty('n.txt');
});

it('waits for no lock of another process, and puts right nothing that one left', async () => {
  await using at = await place();
  const blocked = defineTool({
    ...PROBE,
    name: 'hold',
    effects: 'write',
    permission: () => [{ action: 'write', resource: 'a.txt' }],
    async execute(__, { workspace }) {
      await workspace.change(['a.txt'], async () => {
        const tried = await at.hands.call('write_file', { path: 'a.txt', content: 'x' }, { dryRun: true });
        if (!tried.ok) throw new SynapseError('tool_failed', tried.error.message);
      });
      return { data: {}, content: '' };
    },
  });
  const { createHands } = await import('../runtime/create-hands.ts');
  await using other = await createHands({ workspace: at.folder, stateFolder: join(at.folder, '../state'), allow: ['write'], tools: [blocked] });
  expect(await other.call('hold', {})).toMatchObject({ ok: true });
});
