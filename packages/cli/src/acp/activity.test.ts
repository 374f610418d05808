import type { Approver } from '@synapse/hands';
import { askApprover } from '@synapse/hands/internal';
import { expect, it } from 'vitest';
import { ActivityTeller } from './activity.ts';
import type { Activity } from './shown.ts';

function told() {
  const activities: Activity[] = [];
  const activity = new ActivityTeller({ addUpdate: (shown) => void (shown.kind === 'activity' && activities.push(shown.activity)) });
  return { activities, activity };
}

const request = {} as Parameters<Approver['ask']>[0];
const going = new AbortController().signal;
const states = (activities: readonly Activity[]): string[] => activities.map(({ state }) => state);

it('tells that it waits until the last of several questions is answered', async () => {
  const { activities, activity } = told();
  const answers = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let index = 0;
  const approver = activity.watched({
    name: 'test',
    ask: async () => {
      const answer = answers[index];
      index += 1;
      await answer?.promise;
      return { verdict: 'deny' };
    },
  });
  activity.begin(going);
  const { signal } = new AbortController();
  const asked = [approver.ask(request, signal), approver.ask(request, signal)];
  answers[0]?.resolve();
  await asked[0];
  expect(states(activities)).toEqual(['running', 'requires_action']);
  answers[1]?.resolve();
  await asked[1];
  activity.end({ stopReason: 'end_turn' });
  expect(states(activities)).toEqual(['running', 'requires_action', 'running', 'idle']);
});

it('tells that it goes on after a question that failed', async () => {
  const { activities, activity } = told();
  const approver = activity.watched({ name: 'test', ask: () => Promise.reject(new Error('gone')) });
  activity.begin(going);
  await expect(approver.ask(request, going)).rejects.toThrow('gone');
  expect(states(activities)).toEqual(['running', 'requires_action', 'running']);
});

/** Answers when its question is withdrawn. */
const patient: Approver = {
  name: 'test',
  ask: async (_, signal) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve());
    await promise;
    return { verdict: 'deny' };
  },
};

it('tells that it goes on after a question that was not answered in time', async () => {
  const { activities, activity } = told();
  activity.begin(going);
  expect(await askApprover(activity.watched(patient), request, [going], { shown: (asked) => asked, timeoutMs: 1 })).toMatchObject({
    verdict: 'deny',
    unanswered: true,
  });
  await expect.poll(() => states(activities)).toEqual(['running', 'requires_action', 'running']);
});

it('tells only the end after a prompt that was cancelled during a question', async () => {
  const { activities, activity } = told();
  const prompt = new AbortController();
  activity.begin(prompt.signal);
  const asked = askApprover(activity.watched(patient), request, [prompt.signal], { shown: (asked) => asked });
  await expect.poll(() => states(activities)).toEqual(['running', 'requires_action']);
  prompt.abort();
  await expect(asked).rejects.toMatchObject({ code: 'cancelled' });
  activity.end({ stopReason: 'cancelled' });
  expect(states(activities)).toEqual(['running', 'requires_action', 'idle']);
});
