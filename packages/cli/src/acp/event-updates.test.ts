import { BUILT_IN_PROTOCOLS, type AgentEvent } from '@synapse/brain';
import { expect, it } from 'vitest';
import { eventUpdates } from './event-updates.ts';
import type { Shown } from './shown.ts';

/** The updates of some events, in order. */
async function updatesOf(events: readonly AgentEvent[], protocol = BUILT_IN_PROTOCOLS[0]): Promise<Shown[]> {
  const sent: Shown[] = [];
  let last = Promise.resolve();
  const add = (make: () => readonly Shown[] | Promise<readonly Shown[]>): void => {
    last = last.then(async () => void sent.push(...(await make())));
  };
  const on = eventUpdates({
    queue: {
      add,
      addUpdate: (update) => add(() => [update]),
      addOutput: (callId) => add(() => [{ kind: 'call-update', call: { callId, status: 'in_progress' } }]),
      endOutput: () => undefined,
    },
    root: '/ws',
    known: () => ({ title: 'Run', effects: 'exec' }),
    protocol,
    ended: async () => ({ output: 'out', images: [], changes: [] }),
  });
  for (const event of events) on(event);
  await last;
  return sent;
}

const text = (value: string): AgentEvent => ({ type: 'text', text: value });
const retry: AgentEvent = { type: 'retry', attempt: 1, waitMs: 100, reason: 'Busy.' };
const said = (updates: readonly Shown[]): string =>
  updates.map((update) => (update.kind === 'text' && update.from === 'agent' && update.content.type === 'text' ? update.content.text : '')).join('');

it.each<[string, AgentEvent[], string]>([
  ['text', [text('a'), text('b')], 'ab'],
  ['text that a retry repeats', [text('one tw'), retry, text('one '), text('two three')], 'one two three'],
  ['other text after a retry', [text('one'), retry, text('uno')], 'one\n\nuno'],
])('shows %s once', async (_, events, expected) => expect(said(await updatesOf(events))).toBe(expected));

it('shows a call from its start to its end', async () => {
  const updates = await updatesOf([
    { type: 'call-start', callId: '1', tool: 'run_command', input: { command: 'ls' } },
    { type: 'call-progress', callId: '1', output: 'o' },
    { type: 'call-end', callId: '1', tool: 'run_command', ok: true, completion: 'failed', summary: 's', durationMs: 1 },
  ]);
  expect(updates).toMatchObject([
    { kind: 'call-start', call: { callId: '1', kind: 'execute', title: 'Run: ls', status: 'in_progress' } },
    { kind: 'call-update', call: { callId: '1', status: 'in_progress' } },
    { kind: 'call-update', call: { callId: '1', status: 'failed' } },
  ]);
});

it('names the text and the thoughts of a turn by one message, and those of the next turn by another', async () => {
  const usage = { inputTokens: 0, outputTokens: 0, turns: 1, calls: 0, costUsd: 0 };
  const updates = await updatesOf([{ type: 'reasoning', text: 'hm' }, text('a'), text('b'), { type: 'usage', total: usage as never }, text('c')]);
  const ids = updates.map((update) => (update.kind === 'text' ? update.messageId : ''));
  expect(new Set(ids.slice(0, 3)).size).toBe(1);
  expect(ids[3]).not.toBe(ids[0]);
});

it('shows the steps of a protocol as a plan', async () => {
  const [protocol] = BUILT_IN_PROTOCOLS;
  const total = protocol?.steps.length ?? 0;
  const updates = await updatesOf([
    { type: 'session', sessionId: 's', model: 'm', resumed: false },
    { type: 'step', id: 'x', title: 'X', index: 2, total },
  ]);
  const states = updates.map((update) => (update.kind === 'plan' ? update.entries.slice(0, 3).map(({ status }) => status) : []));
  expect(states).toEqual([
    ['pending', 'pending', 'pending'],
    ['completed', 'in_progress', 'pending'],
  ]);
});
