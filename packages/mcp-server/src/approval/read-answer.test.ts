import type { ApprovalRequest } from '@synapse/hands';
import { expect, it } from 'vitest';
import { readAnswer } from './approval-form.ts';

const REQUEST: ApprovalRequest = {
  callId: 'a',
  sessionId: undefined,
  tool: 'run_command',
  title: 'Run a command',
  arguments: { command: 'id' },
  fingerprint: 'f',
  reason: 'mode ask',
  effects: [],
  proposals: [],
};

it.each([
  ['cancel', 5_000, 'later'],
  ['cancel', 0, 'later'],
  ['decline', 20, 'later'],
  // By then a person may have read it.
  ['decline', 5_000, 'deny'],
  ['accept', 20, 'deny'],
] as const)('%s after %d ms: %s', (action, waited, verdict) => {
  expect(readAnswer({ action }, REQUEST, waited)).toMatchObject({ verdict });
});

it.each([{ decision: 'yes' }, { decision: null }, [], 'allow', null, undefined])('takes %j for no yes', (content) => {
  expect(readAnswer({ action: 'accept', content }, REQUEST, 5_000)).toMatchObject({ verdict: 'deny' });
});

it('takes a form that was accepted with nothing chosen for a yes, as its default says', () => {
  expect(readAnswer({ action: 'accept', content: {} }, REQUEST, 0)).toEqual({ verdict: 'allow', scope: 'once' });
});

it('takes a clear yes for one', () => {
  expect(readAnswer({ action: 'accept', content: { decision: 'allow' } }, REQUEST, 0)).toEqual({ verdict: 'allow', scope: 'once' });
});
