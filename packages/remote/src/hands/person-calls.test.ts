import { createHands, defineTool } from '@synapse/hands';
import { mkdtemp, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { runCall } from './run-call.ts';

const options = { signal: new AbortController().signal, onProgress: () => {}, sessionId: 'remote:desk' };

const ownChanges = defineTool({
  name: 'changes',
  title: 'Changes',
  description: "The machine's own.",
  effects: 'read',
  input: z.strictObject({ topic: z.string() }),
  output: z.strictObject({ topic: z.string() }),
  permission: () => [],
  timeoutMs: 30_000,
  keep: 'head',
  summarize: () => 'changes',
  execute: ({ topic }) => Promise.resolve({ data: { topic }, content: topic }),
});

async function changedHands(tools: readonly (typeof ownChanges)[] = []) {
  const base = await mkdtemp(join(tmpdir(), 'synapse-person-calls-'));
  const [workspace, stateFolder] = [join(base, 'workspace'), join(base, 'state')];
  await Promise.all([mkdir(workspace), mkdir(stateFolder)]);
  const hands = await createHands({ workspace, stateFolder, configFolder: join(base, 'config'), allow: ['write'], tools });
  await hands.call('write_file', { path: 'a.txt', content: 'secret words' });
  return hands;
}

it.each(['changes', 'plan_undo'])('%s names what was changed, and shows no content and no hash of one', async (tool) => {
  await using hands = await changedHands();
  const { status, body } = await runCall(hands, { tool, args: {} }, options);
  expect({ status, body }).toEqual({ status: 'success', body: expect.stringContaining('a.txt') as string });
  expect(body).not.toMatch(/secret words|[0-9a-f]{64}/u);
});

it.each([{ last: 0 }, { last: 'all' }, { path: 'a.txt' }, 'a.txt', null])('refuses what is no selection: %j', async (args) => {
  await using hands = await changedHands();
  for (const tool of ['changes', 'plan_undo', 'undo']) {
    const { status, body } = await runCall(hands, { tool, args }, options);
    expect({ tool, status, body }).toEqual({ tool, status: 'error', body: expect.stringContaining('It takes call, session or last.') as string });
  }
});

it('a brain that speaks a dialect has the tools of that, and nothing beside', async () => {
  await using hands = await changedHands();
  const { status } = await runCall(hands, { tool: 'undo', args: {}, dialect: 'synapse-readonly' }, options);
  expect(status).toBe('error');
  expect(await hands.changes()).toHaveLength(1);
});

it('a tool of the machine with such a name is called as one', async () => {
  await using hands = await changedHands([ownChanges]);
  const { status, body } = await runCall(hands, { tool: 'changes', args: { topic: 'own' } }, options);
  expect({ status, result: JSON.parse(body) as unknown }).toMatchObject({ status: 'success', result: { output: 'own' } });
});

it.each(['nope', '__proto__'])('a call in the dialect %s, which is none, is answered, and the machine goes on', async (dialect) => {
  await using hands = await changedHands();
  const { status, body } = await runCall(hands, { tool: 'read_file', args: { path: 'a.txt' }, dialect }, options);
  expect(status).toBe('error');
  expect(JSON.parse(body)).toMatchObject({ isError: true, result: { ok: false, error: { code: 'invalid_arguments' } } });
});

it('a method that fails in a way of its own is answered too', async () => {
  await using hands = await changedHands();
  const broken = Object.assign(Object.create(hands) as typeof hands, {
    undo: () => Promise.reject(new TypeError('broken')),
    tools: () => hands.tools(),
  });
  const { status, body } = await runCall(broken, { tool: 'undo', args: {} }, options);
  expect(status).toBe('error');
  expect(JSON.parse(body)).toMatchObject({ result: { ok: false, error: { code: 'internal' } } });
});
