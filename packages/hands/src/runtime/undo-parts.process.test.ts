import { readFile, stat, writeFile } from 'node:fs/promises';
import type { CallResult } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';

const succeeded = <T>(result: CallResult<T>): CallResult<T> & { ok: true } =>
  result.ok ? result : expect.fail(`${result.error.message} ${result.error.hint}`);
const ok = <T>(result: CallResult<T>): T => succeeded(result).data;

const YES = { name: 'person', ask: () => Promise.resolve({ verdict: 'allow', scope: 'once' } as const) };

it.each(['.git/hooks/pre-commit', '.envrc', '.github/agents/a.agent.md'])(
  'undoes an approved change of %s after a yes that named it',
  async (path) => {
    await using at = await temporaryHands({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/x': '', a: '0' });
    ok(await at.hands.call('write_file', { path, content: '#!/bin/sh\n' }, { sessionId: 's', approver: YES }));
    ok(await at.hands.call('write_file', { path: 'a', content: '1' }, { sessionId: 's' }));
    expect((await at.hands.planUndo({ session: 's' })).protected.map((one) => one.path)).toContain(path);
    const asked: string[] = [];
    const no = {
      name: 'person',
      ask: (request: { effects: readonly string[] }) => (asked.push(...request.effects), Promise.resolve({ verdict: 'deny' } as const)),
    };
    expect(await at.hands.undo({ session: 's' }, { approver: no })).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(asked.join('\n')).toContain(path);
    ok(await at.hands.undo({ session: 's' }, { approver: YES }));
    await expect(stat(at.at(path))).rejects.toThrow();
    expect(await readFile(at.at('a'), 'utf8')).toBe('0');
  },
);

it('undoes the others of a session where no person can approve one of them, and names it', async () => {
  await using at = await temporaryHands({ '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/x': '', a: '0' });
  ok(await at.hands.call('write_file', { path: '.git/hooks/pre-commit', content: 'x' }, { sessionId: 's', callId: 'hook', approver: YES }));
  ok(await at.hands.call('write_file', { path: 'a', content: '1' }, { sessionId: 's' }));
  const result = succeeded(await at.hands.undo({ session: 's' }));
  expect(result.output).toMatch(/^Not undone: write_file \(hook\)\. .*pre-commit needs approval/mu);
  expect(await readFile(at.at('a'), 'utf8')).toBe('0');
  expect(await readFile(at.at('.git/hooks/pre-commit'), 'utf8')).toBe('x');
});

it('leaves a changed file, and older calls below it, and undoes the others of a session', async () => {
  await using at = await temporaryHands({ a: '0', b: '0', c: '0' });
  const calls: ReadonlyArray<[string, string]> = [
    ['a', '1'],
    ['b', '1'],
    ['a', '2'],
    ['c', '1'],
  ];
  for (const [index, [path, content]] of calls.entries())
    ok(await at.hands.call('write_file', { path, content }, { sessionId: 's', callId: `call-${index}` }));
  await writeFile(at.at('a'), 'mine');
  expect((await at.hands.planUndo({ session: 's' })).left.map(({ call }) => call)).toEqual(['call-2', 'call-0']);
  expect(ok(await at.hands.undo({ session: 's' })).left).toMatchObject([
    { call: 'call-2', reason: expect.stringContaining('a was changed since') as string },
    { call: 'call-0', reason: expect.stringContaining('call-2 changed the same place') as string },
  ]);
  expect(await Promise.all(['a', 'b', 'c'].map((name) => readFile(at.at(name), 'utf8')))).toEqual(['mine', '0', '0']);
  await writeFile(at.at('a'), '2');
  ok(await at.hands.undo({ session: 's' }));
  expect(await readFile(at.at('a'), 'utf8')).toBe('0');
});

it('takes the beginning of an id for the whole, where only one begins with it', async () => {
  await using at = await temporaryHands({ a: '0', b: '0' });
  for (const [callId, path] of [
    ['abcd-1', 'a'],
    ['abcd-2', 'b'],
  ] as const)
    ok(await at.hands.call('write_file', { path, content: '1' }, { callId, sessionId: `session-${callId}` }));
  await expect(at.hands.undo({ call: 'abcd' })).rejects.toMatchObject({
    code: 'conflict',
    hint: 'Name one of them: abcd-1, abcd-2.',
  });
  expect(await at.hands.changes({ session: 'session-abcd-2' })).toMatchObject([{ path: 'b' }]);
  await expect(at.hands.changes({ session: 'session-' })).rejects.toMatchObject({ code: 'conflict' });
  ok(await at.hands.undo({ call: 'abcd-2' }));
  ok(await at.hands.undo({ session: 'session-abcd-1' }));
  expect(await readFile(at.at('a'), 'utf8')).toBe('0');
});
