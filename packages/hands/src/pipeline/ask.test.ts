import type { ApprovalRequest } from '../approval/approver.ts';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { runCommand } from '../tools/run-command.ts';
import { newCallState } from '../call/call.ts';
import { askOptions, defaultFields } from './ask.ts';

it('names what was left to its default, also where that was written out', () => {
  const parsed = runCommand.input.parse({ command: 'npm test', cwd: '.', pty: true });
  expect(defaultFields(runCommand, parsed)).toEqual(['cwd', 'live', 'background', 'yield_ms']);
});

it('names no field that has no default, or is not known', () => {
  expect(defaultFields({ input: z.looseObject({}) }, { recursive: false })).toEqual([]);
  expect(defaultFields({ input: z.object({ path: z.string(), force: z.boolean().optional() }) }, { path: '', force: false })).toEqual([]);
});

it('does not say of a question where an earlier one of the call was asked', () => {
  const state = newCallState();
  const asIs = { shown: (request: ApprovalRequest) => request };
  askOptions({ options: {}, state }, asIs).onShown?.('the open Synapse console');
  expect(state.askedIn).toBe('the open Synapse console');
  askOptions({ options: {}, state }, asIs);
  expect(state.askedIn).toBeUndefined();
});
