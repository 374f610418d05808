import { expect, it } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import { QueuedApprover } from './program-call.ts';

const question = (callId: string): ApprovalRequest => ({
  callId,
  sessionId: undefined,
  tool: 'write_file',
  title: 'Write',
  arguments: {},
  fingerprint: '',
  reason: '',
  effects: [],
  proposals: [],
});

it('asks one question at a time, while the time of the program stands still', async () => {
  const told: string[] = [];
  const answers = new Map<string, (answer: ApprovalAnswer) => void>();
  const person: Approver = {
    name: 'person',
    ask: async ({ callId }) => {
      told.push(`asked ${callId}`);
      const { promise, resolve } = Promise.withResolvers<ApprovalAnswer>();
      answers.set(callId, resolve);
      return await promise;
    },
  };
  const call = { suspend: (): Disposable => (told.push('stopped'), { [Symbol.dispose]: () => void told.push('goes on') }) };
  const queued = new QueuedApprover(call, person);
  const { signal } = new AbortController();
  const both = [queued.ask(question('a'), signal), queued.ask(question('b'), signal)] as const;
  await Promise.resolve();
  expect(told).toEqual(['stopped', 'asked a']);
  answers.get('a')?.({ verdict: 'deny' });
  expect(await both[0]).toEqual({ verdict: 'deny' });
  // The next one begins in turns of its own.
  for (let turn = 0; turn < 10 && !answers.has('b'); turn += 1) await Promise.resolve();
  expect(told).toEqual(['stopped', 'asked a', 'goes on', 'stopped', 'asked b']);
  answers.get('b')?.({ verdict: 'allow', scope: 'once' });
  expect(await both[1]).toEqual({ verdict: 'allow', scope: 'once' });
  expect(told.at(-1)).toBe('goes on');
});
