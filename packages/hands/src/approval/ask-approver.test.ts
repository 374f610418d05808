import { afterEach, expect, it, vi } from 'vitest';
import type { ApprovalRequest, Approver } from './approver.ts';
import { askApprover, type ShownQuestion } from './ask-approver.ts';

afterEach(() => {
  vi.useRealTimers();
});

const shown: ShownQuestion = (question) => question;
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
  expect(await askApprover(approver, request, [], { shown, timeoutMs: 10 })).toEqual({
    verdict: 'deny',
    reason: 'No answer in time.',
    unanswered: true,
  });
  expect(approver.stopped).toBe(true);
});

it('waits for nobody once the call is cancelled', async () => {
  const approver = silent();
  const controller = new AbortController();
  const asked = askApprover(approver, request, [controller.signal], { shown });
  controller.abort();
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  expect(approver.stopped).toBe(true);
  await expect(askApprover(silent(), request, [controller.signal], { shown })).rejects.toMatchObject({ code: 'cancelled' });
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
  expect(await askApprover({ name: 'broken', ask }, request, [], { shown })).toEqual({
    verdict: 'deny',
    reason: 'The question could not be shown.',
    unanswered: true,
  });
});

it('gives the time anew after a trial, and ends the trial with the question', async () => {
  vi.useFakeTimers();
  const signals: AbortSignal[] = [];
  const tryOut = async (signal: AbortSignal) => {
    signals.push(signal);
    // Longer than anybody may take to answer.
    vi.advanceTimersByTime(1_000);
    return {} as never;
  };
  const { promise: tried, resolve } = Promise.withResolvers<void>();
  const ask: Approver['ask'] = async (asked) => {
    await asked.tryOut?.(new AbortController().signal);
    resolve();
    return await new Promise<never>(() => {});
  };
  const answer = askApprover({ name: 'trying', ask }, { ...request, tryOut }, [], { shown, timeoutMs: 10 });
  await tried;
  vi.advanceTimersByTime(9);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  vi.advanceTimersByTime(1);
  expect(await answer).toMatchObject({ verdict: 'deny', unanswered: true });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
});

it('ends a trial when the caller that asked for it gives up', async () => {
  const mine = new AbortController();
  const tryOut = async (signal: AbortSignal) => {
    mine.abort();
    return { stopped: signal.aborted } as never;
  };
  const seen: unknown[] = [];
  const ask: Approver['ask'] = async (asked) => (seen.push(await asked.tryOut?.(mine.signal)), { verdict: 'deny' });
  await askApprover({ name: 'trying', ask }, { ...request, tryOut }, [], { shown });
  expect(seen).toEqual([{ stopped: true }]);
});

it('offers no trial where there is none', async () => {
  const ask: Approver['ask'] = async (asked) => ({ verdict: 'deny', reason: 'tryOut' in asked ? 'offered' : 'not offered' });
  expect(await askApprover({ name: 'looking', ask }, request, [], { shown })).toEqual({ verdict: 'deny', reason: 'not offered' });
});

it('tells where a person sees the question, once', async () => {
  const places: string[] = [];
  const approver: Approver = {
    name: 'elsewhere',
    async ask(_, __, onShown) {
      onShown?.('the open console');
      onShown?.('another place');
      return { verdict: 'later' };
    },
  };
  await askApprover(approver, request, [], { shown, onShown: (place) => places.push(place) });
  expect(places).toEqual(['the open console']);
});
