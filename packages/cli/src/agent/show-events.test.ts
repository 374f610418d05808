import type { AgentEvent } from '@synapse/brain';
import { expect, it } from 'vitest';
import type { Output } from '../output/output.ts';
import { EventScreen } from './show-events.ts';

const text = (said: string): AgentEvent => ({ type: 'text', text: said });
const RETRY: AgentEvent = { type: 'retry', attempt: 1, waitMs: 1_000, reason: 'The stream was cut.' };
const USAGE: AgentEvent = { type: 'usage', total: { calls: 0, turns: 1, inputTokens: 1, outputTokens: 1, cachedTokens: 0, costUsd: undefined } };
const DONE = { type: 'done', result: {} } as unknown as AgentEvent;

/** What a terminal shows, or what a file holds. */
function shown(events: readonly AgentEvent[], isTerminal: boolean): string {
  let all = '';
  const output = (counts: boolean): Output => ({ isTerminal, columns: 80, write: (part) => void (all += counts ? part : ''), show: () => {} });
  const screen = new EventScreen(output(true), output(isTerminal));
  for (const event of [...events, DONE]) screen.show(event);
  return all;
}

it.each([
  ['goes on where it was cut', ['Hello wor', RETRY, 'Hel', 'lo world', '.'], 'Hello wor\nld.\n', 'Hello world.\n'],
  ['is cut twice', ['Hello wor', RETRY, 'He', RETRY, 'Hello wor', 'ld'], 'Hello wor\nld\n', 'Hello world\n'],
  ['is cut before its first word', [RETRY, 'Hello'], 'Hello\n', 'Hello\n'],
  ['ends where it was cut', ['Hello', RETRY, 'Hello'], 'Hello\n', 'Hello\n'],
  ['is another one', ['Hello', RETRY, 'He', 'y there'], 'Hello\nHey there\n', 'Hello\nHey there\n'],
  ['has a turn before', ['Hello', USAGE, ' and', RETRY, ' and', ' on'], 'Hello and\n on\n', 'Hello and on\n'],
] as const)('an answer that %s is shown once', (_, given, terminal, file) => {
  const events = given.map((each) => (typeof each === 'string' ? text(each) : each));
  const notices = /The stream was cut\. Retry 1 in 1\.0 s\.\n/gu;
  expect(shown(events, true).replaceAll(notices, '')).toBe(terminal);
  expect(shown(events, true).match(notices)).toHaveLength(given.filter((each) => each === RETRY).length);
  expect(shown(events, false)).toBe(file);
});

it('begins a notice on a line of its own, where both streams end in one file', () => {
  let all = '';
  const file: Output = { isTerminal: false, columns: 80, write: (part) => void (all += part), show: () => {} };
  const screen = new EventScreen(file, file);
  for (const event of [text('Hello wor'), RETRY, text('Hello world.'), DONE]) screen.show(event);
  expect(all).toBe('Hello wor\nThe stream was cut. Retry 1 in 1.0 s.\nld.\n');
});

it.each([
  [true, 'ok', '✓'],
  [true, 'failed', '✗'],
  [true, 'timeout', '✗'],
  [false, 'failed', '✗'],
] as const)('a call that ran: %s, and ended: %s, is marked %s', (ok, completion, mark) => {
  const event: AgentEvent = { type: 'call-end', callId: '1', tool: 'run_command', ok, completion, summary: 'npm test', durationMs: 1 };
  expect(shown([event], true)).toContain(`${mark} npm test`);
});
