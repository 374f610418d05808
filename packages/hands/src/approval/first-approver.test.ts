import { once } from 'node:events';
import type { FilledForm, PersonForm } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, Approver } from './approver.ts';
import { ANSWERED_ELSEWHERE, firstApprover } from './first-approver.ts';

const REQUEST: ApprovalRequest = {
  callId: '1',
  sessionId: undefined,
  tool: 'write_file',
  title: 'Write a file',
  arguments: {},
  fingerprint: 'f',
  reason: 'mode "ask"',
  effects: [],
  proposals: [],
};
const FORM: PersonForm = { server: 's', tool: 't', message: '', schema: {} };
const LONG = new AbortController().signal;

const saying = (answer: ApprovalAnswer, filled: FilledForm): Approver => ({ name: 'a', ask: async () => answer, fill: async () => filled });

/** Answers once it is withdrawn, as a person who is too late. */
function late(withdrawn: unknown[]): Approver {
  const wait = async (signal: AbortSignal): Promise<void> => {
    if (!signal.aborted) await once(signal, 'abort');
    withdrawn.push(signal.reason);
  };
  return {
    name: 'b',
    ask: async (_, signal) => (await wait(signal), { verdict: 'allow', scope: 'once' }),
    fill: async (_, signal) => (await wait(signal), { action: 'accept', content: {} }),
  };
}

describe('several approvers', () => {
  it('decide as the first of them, and the others learn that it was answered elsewhere', async () => {
    const withdrawn: unknown[] = [];
    const both = firstApprover([late(withdrawn), saying({ verdict: 'deny', reason: 'no' }, { action: 'decline' })]);
    expect(both.name).toBe('b or a');
    expect(await both.ask(REQUEST, LONG)).toEqual({ verdict: 'deny', reason: 'no' });
    expect(await both.fill?.(FORM, LONG)).toEqual({ action: 'decline' });
    expect(withdrawn).toEqual([ANSWERED_ELSEWHERE, ANSWERED_ELSEWHERE]);
  });

  it('wait for the one that decides, and decide nothing where none does', async () => {
    const none = saying({ verdict: 'later' }, { action: 'cancel' });
    const both = firstApprover([none, saying({ verdict: 'allow', scope: 'once' }, { action: 'accept', content: { a: 1 } })]);
    expect(await both.ask(REQUEST, LONG)).toEqual({ verdict: 'allow', scope: 'once' });
    expect(await both.fill?.(FORM, LONG)).toEqual({ action: 'accept', content: { a: 1 } });
    expect(await firstApprover([none, none]).ask(REQUEST, LONG)).toEqual({ verdict: 'later' });
    expect(await firstApprover([none, { name: 'without forms', ask: async () => ({ verdict: 'later' }) }]).fill?.(FORM, LONG)).toEqual({
      action: 'cancel',
    });
  });

  it('allow nothing once the call is cancelled', async () => {
    const controller = new AbortController();
    const asked = firstApprover([late([])]);
    const answer = asked.ask(REQUEST, controller.signal);
    const filled = asked.fill?.(FORM, controller.signal);
    controller.abort();
    expect(await answer).toEqual({ verdict: 'later' });
    expect(await filled).toEqual({ action: 'cancel' });
  });
});
