import { once } from 'node:events';
import type { PersonForm } from '@synapse/protocol';
import { expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import type { ShownQuestion } from '../approval/ask-approver.ts';
import { fillForm } from './fill-form.ts';

const FORM: PersonForm = { server: 's', tool: 't', message: 'Which?', schema: { type: 'object', properties: { color: { type: 'string' } } } };

const asIs: ShownQuestion = (question) => question;

it('cancels a form that is not answered in time, and withdraws it', async () => {
  const withdrawn: boolean[] = [];
  const slow: Approver = {
    name: 'slow',
    ask: async () => ({ verdict: 'deny' }),
    fill: async (_, signal) => {
      await once(signal, 'abort');
      withdrawn.push(signal.aborted);
      return { action: 'cancel' };
    },
  };
  expect(await fillForm(slow, FORM, new AbortController().signal, asIs, 1)).toEqual({ action: 'cancel' });
  expect(withdrawn).toEqual([true]);
});

it('waits for no approver that ignores its signal, and shows nothing once the call has ended', async () => {
  let shown = 0;
  const deaf: Approver = { name: 'deaf', ask: async () => ({ verdict: 'deny' }), fill: () => ((shown += 1), new Promise(() => {})) };
  expect(await fillForm(deaf, FORM, new AbortController().signal, asIs, 1)).toEqual({ action: 'cancel' });
  const call = new AbortController();
  const filled = fillForm(deaf, FORM, call.signal, asIs);
  await expect.poll(() => shown).toBe(2);
  call.abort();
  expect(await filled).toEqual({ action: 'cancel' });
  expect(shown).toBe(2);
  expect(await fillForm(deaf, FORM, call.signal, asIs)).toEqual({ action: 'cancel' });
  expect(shown).toBe(2);
});
