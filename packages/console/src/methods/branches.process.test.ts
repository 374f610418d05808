import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SessionStore } from '@synapse/brain';
import { BranchStore } from '@synapse/hands/internal';
import type { ConsoleMethod, ConsoleParams, ConsoleResult } from '@synapse/protocol/console';
import { expect, it } from 'vitest';
import { consolePlace } from '../fixtures/console-place.ts';
import { OpenProjects } from '../project/open-projects.ts';
import { findBubblewrap } from '../../../hands/src/sandbox/find-bubblewrap.ts';
import { runMethod } from './list.ts';

const NAME = '<b>\u202egnp.txt';
/** As results name it. */
const SHOWN = String.raw`<b>\xe2\x80\xaegnp.txt`;

/** A project that is open in a console, and a function that sends a request of a page. */
async function setUp(files: Readonly<Record<string, string>>) {
  await using stack = new AsyncDisposableStack();
  const place = stack.use(await consolePlace(files));
  const projects = stack.use(
    new OpenProjects({ stateFolder: place.stateFolder, project: place.project, version: '', openHands: () => place.hands() }),
  );
  const project = await projects.open();
  const ask = async <Method extends ConsoleMethod>(method: Method, params: ConsoleParams<Method>) =>
    (await runMethod(method, params, {
      project,
      projects,
      signal: new AbortController().signal,
      createUrl: () => '',
    })) as ConsoleResult<Method>;
  const opened = stack.move();
  return { place, project, ask, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

it('lists branches with their sessions, compares them, and applies and deletes them', async () => {
  await using opened = await setUp({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  const { place, project, ask } = opened;
  const { stateFolder, project: root } = place;
  await project.hands.createBranch('first');
  await project.hands.createBranch('second');
  const [first, second] = new BranchStore(stateFolder, root).list().map(({ folder }) => folder);
  if (first === undefined || second === undefined) throw new Error('The branches are missing.');
  writeFileSync(join(first.upper, 'a.txt'), 'first\n');
  writeFileSync(join(first.upper, NAME), 'text\n');
  writeFileSync(join(first.upper, 'b.txt'), 'first\n');
  writeFileSync(join(second.upper, 'a.txt'), 'second\n');
  {
    using store = SessionStore.open(first.state);
    store.create({ workspace: root, model: 'm', task: 'Fix it' });
  }
  expect(await ask('branches.list', {})).toMatchObject([
    // The process of the session is gone.
    { name: 'first', from: null, changes: 3, inUse: false, jobs: [], sessions: [{ title: 'Fix it', calls: 0, running: false }] },
    { name: 'second', changes: 1, sessions: [] },
  ]);
  expect(existsSync(join(second.state, 'sessions.db'))).toBe(false);
  await project.hands.createBranch('upper', { from: 'first' });
  expect(await ask('branches.show', { name: 'upper' })).toMatchObject({ changes: [], comparedWith: 'first' });
  await project.hands.dropBranch('upper');
  expect((await ask('branches.show', { name: 'first' })).comparedWith).toBeNull();
  expect((await ask('branches.show', { name: 'first' })).changes.map(({ kind, path }) => [kind, path])).toEqual([
    ['created', SHOWN],
    ['changed', 'a.txt'],
    ['changed', 'b.txt'],
  ]);
  const compared = await ask('branches.compare', { name: 'first', other: 'second' });
  expect(compared.changes.map(({ kind, path }) => [kind, path])).toEqual([
    ['deleted', SHOWN],
    ['changed', 'a.txt'],
    ['changed', 'b.txt'],
  ]);
  expect(compared.changes[1]?.diff).toContain('-first\n+second\n');

  const hunks = [{ path: 'b.txt', take: [1], seen: ['@@ -1,1 +1,1 @@\n-two\n+first\n'] }];
  await expect(ask('branches.apply', { name: 'first', hunks })).rejects.toMatchObject({ code: 'conflict' });

  writeFileSync(join(root, 'a.txt'), 'mine\n');
  const applied = await ask('branches.apply', { name: 'first', paths: ['a.txt', 'b.txt'] });
  expect(applied).toMatchObject({ applied: 1, left: 1, conflicts: [{ path: 'a.txt' }] });
  expect([readFileSync(join(root, 'a.txt'), 'utf8'), readFileSync(join(root, 'b.txt'), 'utf8')]).toEqual(['mine\n', 'first\n']);
  expect((await ask('changes.plan', { call: applied.call })).conflicts).toEqual([]);
  expect(await ask('branches.show', { name: 'first' })).toMatchObject({ merged: [], conflicts: applied.conflicts });
  expect((await ask('branches.show', { name: 'first' })).changes.find(({ path }) => path === 'a.txt')?.diff).toContain('-mine\n+first\n');
  // What a program changed in a branch is not recorded, so that it is not known what that began with.
  expect(await ask('branches.conflict', { name: 'first', path: 'a.txt' })).toMatchObject({
    versions: { base: { what: expect.stringContaining('not known'), isText: false }, branch: { what: 'text, 6B', isText: true } },
    places: [],
  });
  await expect(ask('branches.conflict', { name: 'first', path: 'b.txt' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask('branches.resolve', { name: 'first', path: 'b.txt', take: 'branch' })).rejects.toMatchObject({ code: 'not_found' });
  await ask('branches.resolve', { name: 'first', path: 'a.txt', take: 'workspace' });
  expect((await ask('branches.show', { name: 'first' })).changes.map(({ path }) => path)).toEqual([SHOWN]);
  expect(await ask('branches.apply', { name: 'first', paths: [SHOWN] })).toMatchObject({ applied: 1, conflicts: [] });
  expect(readFileSync(join(root, NAME), 'utf8')).toBe('text\n');
  await ask('branches.drop', { name: 'first' });
  await expect(ask('branches.show', { name: 'first' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask('branches.apply', { name: 'first' })).rejects.toMatchObject({ code: 'not_found' });
  await expect(ask('branches.drop', { name: '../second' })).rejects.toMatchObject({ code: 'invalid_arguments' });
  expect((await ask('branches.list', {})).map(({ name }) => name)).toEqual(['second']);
});

it.skipIf((await findBubblewrap()) === undefined)('lists the jobs in a branch', async () => {
  await using opened = await setUp({ 'a.txt': '' });
  const { project, ask } = opened;
  await project.hands.createBranch('one');
  await using branch = await project.hands.branch('one', { create: false });
  const started = await branch.call('run_command', { command: 'sleep 1000', background: true }, { sessionId: 'one' });
  expect(started).toMatchObject({ ok: true });
  expect(await ask('branches.list', {})).toMatchObject([{ name: 'one', jobs: [{ command: 'sleep 1000', ports: [] }] }]);
});
