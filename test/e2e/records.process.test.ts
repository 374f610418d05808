import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace, runCli } from './run-cli.ts';

it('tells what was done, takes it back, and proves that nobody changed the log', async () => {
  const place = await makePlace({ 'a.txt': 'one\n' });
  await runCli(place, ['call', 'write_file', '{"path":"a.txt","content":"two\\n"}', '--yes']);
  await runCli(place, ['call', 'read_file', '{"path":"missing"}']);
  const log = await runCli(place, ['log']);
  expect(log.out).toMatch(/ {2}ok {10} write_file\(a\.txt\) → 4B {2}\(/u);
  expect(log.out).toMatch(/ {2}failed {6} read_file\(missing\) → not_found {2}\(/u);
  expect((await runCli(place, ['changes'])).out).toBe('changed a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n');

  const asked = await runCli(place, ['undo']);
  expect(asked).toMatchObject({ code: 4, out: '' });
  expect(asked.err).toContain('restore a.txt');
  // One document, also where the answer is that a yes is missing.
  const planned = await runCli(place, ['undo', '--json']);
  expect(planned.code).toBe(4);
  expect(JSON.parse(planned.out)).toMatchObject({ plan: { changes: [{ path: 'a.txt' }] }, result: null });
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('two\n');
  const undone = await runCli(place, ['undo', '--yes']);
  expect(undone.code).toBe(0);
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');
  expect((await runCli(place, ['undo', '--yes'])).code).toBe(5);

  const redo = /To take this back: synapse undo (\S+)/u.exec(undone.err)?.[1] ?? '';
  await writeFile(join(place.folder, 'a.txt'), 'mine\n');
  const conflict = await runCli(place, ['undo', redo, '--yes', '--json']);
  expect(conflict.code).toBe(1);
  expect(JSON.parse(conflict.out)).toMatchObject({ plan: { conflicts: ['a.txt was changed since; nothing was undone.'] }, result: null });
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('mine\n');

  expect(await runCli(place, ['log', 'verify'])).toMatchObject({ code: 0, out: expect.stringMatching(/^ok {2}6 records/u) as string });
  const { calls } = JSON.parse((await runCli(place, ['log', '--json', '--tool', 'undo'])).out) as { calls: Array<{ end: unknown }> };
  expect(calls).toMatchObject([{ tool: 'undo', status: 'ok', end: { changes: [{ kind: 'write', path: 'a.txt' }] } }]);
});

it('is no success where a call stays, and undoes the others', async () => {
  const place = await makePlace({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  for (const path of ['a.txt', 'b.txt'])
    expect((await runCli(place, ['call', 'write_file', JSON.stringify({ path, content: 'two\n' }), '--yes'])).code).toBe(0);
  await writeFile(join(place.folder, 'a.txt'), 'mine\n');
  const undone = await runCli(place, ['undo', '--last', '2', '--yes']);
  expect(undone).toMatchObject({ code: 1, err: expect.stringContaining('Not undone: write_file') as string });
  const contents = ['a.txt', 'b.txt'].map(async (path) => await readFile(join(place.folder, path), 'utf8'));
  expect(await Promise.all(contents)).toEqual(['mine\n', 'one\n']);
});

it('opens tracked projects only, and tracks what a person names', async () => {
  const place = await makePlace({ 'a.txt': 'one\n' });
  expect(await runCli(place, ['projects', 'remove'])).toMatchObject({ code: 0 });
  const refused = await runCli(place, ['call', 'read_file', '{"path":"a.txt"}']);
  expect(refused).toMatchObject({ code: 3, out: '' });
  expect(refused.err).toContain('Error: Project not tracked. Only tracked projects can be accessed.');
  const named = await runCli(place, ['call', 'read_file', '{"path":"../secret"}', '--workspace', '.']);
  expect(named.err).toContain('is a tracked project now');
  expect((await runCli(place, ['call', 'read_file', '{"path":"a.txt"}', '--workspace', '.'])).err).not.toContain('tracked');
  expect(await runCli(place, ['call', 'read_file', '{"path":"a.txt"}'])).toMatchObject({ code: 0, out: 'one\n' });
  expect((await runCli(place, ['projects', 'show'])).out).toContain('outside_workspace  read_file(read ../secret)');
  expect(await runCli(place, ['projects', 'trust', '--yes'])).toMatchObject({ code: 0 });
  expect(JSON.parse((await runCli(place, ['projects', 'list', '--json'])).out)).toMatchObject({ projects: [{ trusted: true, exists: true }] });
  await mkdir(join(place.folder, 'below'));
  expect(await runCli(place, ['projects', 'add', 'below'])).toMatchObject({ code: 0 });
  expect((await runCli(place, ['projects', 'list'])).out.trim().split('\n')).toHaveLength(2);
  await mkdir(join(place.folder, 'other'));
  const several = await runCli(place, ['projects', 'add', '--yes', 'other', 'nowhere', 'below']);
  expect(several).toMatchObject({ code: 5, out: '' });
  expect(several.err).toMatch(
    /other is a tracked project now\.\nError: nowhere: The workspace .*nowhere does not exist\.\n.*\n.*below is tracked already\.\n$/u,
  );
  const removed = await runCli(place, ['projects', 'remove', 'other', 'below', '--json']);
  expect(removed.code).toBe(0);
  expect(JSON.parse(removed.out)).toEqual({ projects: [null, null] });
  expect((await runCli(place, ['projects', 'list'])).out.trim().split('\n')).toHaveLength(1);
});
