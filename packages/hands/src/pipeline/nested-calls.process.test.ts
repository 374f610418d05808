import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Approver } from '../approval/approver.ts';
import { queryAudit, type AuditedCall } from '../audit/query-audit.ts';
import { defineTool } from '../tool/tool.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const proxy = defineTool({
  name: 'proxy',
  description: 'Makes another call.',
  effects: 'read',
  input: z.strictObject({ tool: z.string(), given: z.unknown(), bytes: z.int().optional() }),
  async execute({ tool, given, bytes }, { call }) {
    const result = await call(tool, given, bytes === undefined ? {} : { limits: { outputBytes: bytes } });
    return { data: result, content: result.ok ? result.output : `${result.error.code}: ${result.error.message}` };
  },
});

const FILES = { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n', 'secret/key.txt': 'hunter2\n' };
const answerOf = async (at: TemporaryHands<typeof proxy>, tool: string, given: unknown, more: object = {}): Promise<string> => {
  const result = await at.hands.call('proxy', { tool, given, ...more });
  return result.ok ? result.output : `outer ${result.error.code}`;
};
const audited = (at: TemporaryHands<typeof proxy>): AuditedCall[] => [...queryAudit(join(at.folder, '..', 'state'), at.folder)].toReversed();

it('makes a call of its own, on record with the call that made it', async () => {
  await using at = await temporaryHands(FILES, { tools: [proxy] });
  const result = await at.hands.call('proxy', { tool: 'read_file', given: { path: 'a.txt' } }, { callId: 'outer', sessionId: 's' });
  expect(result).toMatchObject({ ok: true, output: expect.stringContaining('one\ntwo\n') as string });
  expect(audited(at).map(({ tool, start }) => [tool, start.session, start.parent])).toEqual([
    ['proxy', 's', undefined],
    ['read_file', 's', 'outer'],
  ]);
});

it('judges it by the same rules, asks the approver of the call, and undoes its change by itself', async () => {
  const asked: string[] = [];
  const person: Approver = { name: 'person', ask: async ({ tool }) => (asked.push(tool), { verdict: 'allow', scope: 'once' }) };
  await using at = await temporaryHands(FILES, { allow: [], policy: { deny: ['read(secret/**)'] }, tools: [proxy] });
  expect(await answerOf(at, 'read_file', { path: 'secret/key.txt' })).toContain('denied');
  expect(await answerOf(at, 'write_file', { path: 'a.txt', content: 'x' })).toContain('approval_required');
  expect(await readFile(at.at('a.txt'), 'utf8')).toBe('one\ntwo\n');
  const approved = await at.hands.call('proxy', { tool: 'write_file', given: { path: 'a.txt', content: 'x' } }, { approver: person });
  expect(approved).toMatchObject({ ok: true });
  expect(asked).toEqual(['write_file']);
  expect(await readFile(at.at('a.txt'), 'utf8')).toBe('x');
});

it('changes nothing in a dry run', async () => {
  await using at = await temporaryHands(FILES, { tools: [proxy] });
  const result = await at.hands.call('proxy', { tool: 'write_file', given: { path: 'a.txt', content: 'x' } }, { dryRun: true });
  expect(result).toMatchObject({ ok: true, output: expect.stringContaining('nothing was changed') as string });
  expect(await readFile(at.at('a.txt'), 'utf8')).toBe('one\ntwo\n');
});

it('ends when its caller cancels, bounds the answer, and never throws', async () => {
  await using at = await temporaryHands({ 'a.txt': 'line\n'.repeat(500) }, { tools: [proxy] });
  expect(await at.hands.call('proxy', { tool: 'read_file', given: { path: 'a.txt' } }, { signal: AbortSignal.abort() })).toMatchObject({
    ok: false,
    error: { code: 'cancelled' },
  });
  expect((await answerOf(at, 'read_file', { path: 'a.txt' }, { bytes: 100 })).length).toBeLessThan(300);
  expect(await answerOf(at, 'no_such_tool', {})).toContain('unknown_tool');
  expect(await answerOf(at, 'read_file', { wrong: 1 })).toContain('invalid_arguments');
});

it('refuses a tool that calls itself without end', async () => {
  let calls = 0;
  const endless = defineTool({
    name: 'endless',
    description: 'Calls itself.',
    effects: 'read',
    input: z.strictObject({}),
    async execute(_, { call }) {
      calls += 1;
      const result = await call('endless', {});
      return result.ok ? result.output : result.error.message;
    },
  });
  await using at = await temporaryHands(FILES, { tools: [endless] });
  expect(await at.hands.call('endless', {})).toMatchObject({ output: expect.stringContaining('nested') as string });
  expect(calls).toBe(5);
});
