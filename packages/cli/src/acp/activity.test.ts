import type { Approver } from '@synapse/hands';
import { expect, it } from 'vitest';
import { ActivityTeller } from './activity.ts';
import type { Activity } from './shown.ts';

function told() {
  const activities: Activity[] = [];
  const activity = new ActivityTeller({ addUpdate: (shown) => void (shown.kind === 'activity' && activities.push(shown.activity)) });
  return { activities, activity };
}

const request = {} as Parameters<Approver['ask']>[0];
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
  activity.begin();
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

it('tells that it goes on after a question that failed, and nothing after one that was cancelled', async () => {
  const { activities, activity } = told();
  const approver = activity.watched({ name: 'test', ask: () => Promise.reject(new Error('gone')) });
  activity.begin();
  await expect(approver.ask(request, new AbortController().signal)).rejects.toThrow('gone');
  await expect(approver.ask(request, AbortSignal.abort())).rejects.toThrow('gone');
  activity.end({ stopReason: 'cancelled' });
  expect(states(activities)).toEqual(['running', 'requires_action', 'running', 'requires_action', 'idle']);
});
