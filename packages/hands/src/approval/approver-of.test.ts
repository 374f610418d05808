import type { FilledForm, PersonForm } from '@synapse/protocol';
import { expect, it } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest, Approver } from './approver.ts';
import { approverOf } from './approver-of.ts';

const REQUEST = { tool: 'run_command' } as unknown as ApprovalRequest;
const FORM: PersonForm = { server: 's', tool: 't', message: 'm', schema: {} };
const signal = new AbortController().signal;
const yes: ApprovalAnswer = { verdict: 'allow', scope: 'once' };

function approver(name: string, answer: ApprovalAnswer, action: 'decline' | 'cancel', rest: Partial<Approver> = {}): Approver {
  return { name, ask: async () => answer, fill: async (): Promise<FilledForm> => ({ action }), ...rest };
}

it.each([
  ['what it shows in full, it is asked', true, yes, { verdict: 'deny' }, 'own'],
  ['what it shows in part, the other is asked', false, yes, { verdict: 'allow', scope: 'once' }, 'other'],
  ['and it is asked after all if the other has no person', false, { verdict: 'later' }, { verdict: 'deny' }, 'own'],
] as const)('%s', async (_, showsAll, others, expected, name) => {
  const both = approverOf(approver('own', { verdict: 'deny' }, 'decline', { showsAll: () => showsAll }), approver('other', others, 'cancel'));
  expect(await both?.ask(REQUEST, signal)).toEqual(expected);
  expect(both?.name).toBe(name);
});

it('a form goes to the other one only if it cannot be shown', async () => {
  const own = approver('own', yes, 'decline', { canFill: ({ url }) => url === undefined });
  const both = approverOf(own, approver('other', yes, 'cancel'));
  expect(await both?.fill?.(FORM, signal)).toEqual({ action: 'decline' });
  expect(await both?.fill?.({ ...FORM, url: 'https://example.com/' }, signal)).toEqual({ action: 'cancel' });
});

it('one alone is that one', () => {
  const own = approver('own', yes, 'decline', { showsAll: () => false });
  expect([approverOf(own, undefined), approverOf(undefined, own), approverOf(undefined, undefined)]).toEqual([own, own, undefined]);
});
