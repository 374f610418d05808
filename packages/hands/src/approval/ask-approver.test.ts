import { expect, it } from 'vitest';
import type { ApprovalRequest, Approver } from './approver.ts';
import { askApprover } from './ask-approver.ts';

const request: ApprovalRequest = {
  callId: '1',
  sessionId: undefined,
  tool: 'run_command',
  title: 'Run a command',
  arguments: {},
  fingerprint: 'f',
  reason: 'because',
  effects: [],
  proposals: [],
};

/** Never answers, and remembers whether it was told to stop. */
function silent(): Approver & { stopped: boolean } {
  const approver = {
    name: 'silent',
    stopped: false,
    ask: async (_: ApprovalRequest, signal: AbortSignal): Promise<never> => {
      signal.addEventListener('abort', () => (approver.stopped = true));
      return await new Promise<never>(() => {});
    },
  };
  return approver;
}

it('denies what nobody answers in time, and withdraws the question', async () => {
  const approver = silent();
  expect(await askApprover(approver, request, [], 10)).toEqual({ verdict: 'deny', reason: 'Nobody answered in time.', timedOut: true });
  expect(approver.stopped).toBe(true);
});

it('waits for nobody once the call is cancelled', async () => {
  const approver = silent();
  const controller = new AbortController();
  const asked = askApprover(approver, request, [controller.signal]);
  controller.abort();
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  expect(approver.stopped).toBe(true);
  await expect(askApprover(silent(), request, [controller.signal])).rejects.toMatchObject({ code: 'cancelled' });
});

it.each<[string, Approver['ask']]>([
  ['rejects', async () => Promise.reject(new Error('broken'))],
  [
    'throws',
    () => {
      throw new Error('broken');
    },
  ],
])('denies where the approver %s', async (_, ask) => {
  expect(await askApprover({ name: 'broken', ask }, request, [])).toEqual({ verdict: 'deny', reason: 'The question could not be shown to anybody.' });
});
