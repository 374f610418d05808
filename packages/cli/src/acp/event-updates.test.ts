import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { BUILT_IN_PROTOCOLS, type AgentEvent } from '@synapse/brain';
import { expect, it } from 'vitest';
import { eventUpdates } from './event-updates.ts';

/** The updates of some events, in order. */
async function updatesOf(events: readonly AgentEvent[], protocol = BUILT_IN_PROTOCOLS[0]): Promise<SessionUpdate[]> {
  const sent: SessionUpdate[] = [];
  let last = Promise.resolve();
  const add = (make: () => readonly SessionUpdate[] | Promise<readonly SessionUpdate[]>): void => {
    last = last.then(async () => void sent.push(...(await make())));
  };
  const on = eventUpdates({
    queue: {
      add,
      addUpdate: (update) => add(() => [update]),
      addOutput: (toolCallId) => add(() => [{ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress' }]),
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
const said = (updates: readonly SessionUpdate[]): string =>
  updates.map((update) => (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '')).join('');

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
    { sessionUpdate: 'tool_call', toolCallId: '1', kind: 'execute', title: 'Run: ls', status: 'in_progress' },
    { sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'in_progress' },
    { sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'failed' },
  ]);
});

it('shows the steps of a protocol as a plan', async () => {
  const [protocol] = BUILT_IN_PROTOCOLS;
  const total = protocol?.steps.length ?? 0;
  const updates = await updatesOf([
    { type: 'session', sessionId: 's', model: 'm', resumed: false },
    { type: 'step', id: 'x', title: 'X', index: 2, total },
  ]);
  const states = updates.map((update) => (update.sessionUpdate === 'plan' ? update.entries.slice(0, 3).map(({ status }) => status) : []));
  expect(states).toEqual([
    ['pending', 'pending', 'pending'],
    ['completed', 'in_progress', 'pending'],
  ]);
});
