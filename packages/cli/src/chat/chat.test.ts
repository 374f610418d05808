import type { ApprovalRequest } from '@synapse/hands';
import type { CallResult } from '@synapse/protocol';
import { expect, it } from 'vitest';
import type { AgentRun } from '../agent/agent-run.ts';
import type { Output } from '../output/output.ts';
import { COMMAND_NAMES, isCommand, runCommand } from './chat-commands.ts';
import { completeLine, listingOf } from './complete-line.ts';
import { Interrupts } from './interrupts.ts';
import { TypedAhead, type Prepare } from './typed-ahead.ts';

const ENTRIES = [
  { name: 'src', type: 'directory' },
  { name: 'shot one.png', type: 'file' },
  { name: 'readme.md', type: 'file' },
  { name: 're\u001B[2Jset', type: 'file' },
];
const meta = { callId: '1', tool: 'list_directory', durationMs: 0, summary: '', completion: 'ok' as const };
const listed: CallResult = { ok: true, output: '', content: [], data: { entries: ENTRIES }, meta };

it.each<[line: string, words: string[], replaced: string]>([
  ['/mo', ['/model'], '/mo'],
  ['/zz', [], '/zz'],
  ['see @re', ['@readme.md'], '@re'],
  ['see @s', ['@src/', '@"shot one.png"'], '@s'],
  ['see @"shot o', ['@"shot one.png"'], '@"shot o'],
  ['see @sub/re', ['@sub/readme.md'], '@sub/re'],
  ['mail a@re', [], 'mail a@re'],
  ['plain re', [], 'plain re'],
])('completes %s', async (line, words, replaced) => {
  expect(await completeLine(line, async () => listed)).toEqual([words, replaced]);
});

it('lists the folder of the path, with hidden names on request, and offers nothing that it may not see', async () => {
  const asked: unknown[] = [];
  const refused: CallResult = { ok: false, error: { code: 'denied', message: '', retryable: false }, meta };
  const list = async (input: unknown): Promise<CallResult> => {
    asked.push(input);
    return refused;
  };
  expect(await completeLine('@a/b/.e', list)).toEqual([[], '@a/b/.e']);
  expect(asked).toEqual([{ path: 'a/b/', hidden: true }]);
});

it('asks no question while it completes', async () => {
  const verdicts: unknown[] = [];
  const call: AgentRun['call'] = async (_name, _input, signal, asked) => {
    verdicts.push((await asked?.ask({} as ApprovalRequest, signal))?.verdict);
    return listed;
  };
  await completeLine('see @re', listingOf({ call }, new AbortController().signal));
  expect(verdicts).toEqual(['deny']);
});

it.each([
  ['/help', true],
  ['/model openai/gpt-5.2', true],
  ['/etc/hosts says what?', false],
  ['/', false],
  ['//', false],
])('%s is a command: %s', (line, is) => expect(isCommand(line)).toBe(is));

it.each([
  ['/modle', 'Did you mean /model?'],
  ['/undoo', 'Did you mean /undo?'],
  ['/constructor', '/help lists the commands.'],
])('%s: %s', async (line, hint) => {
  let said = '';
  const err: Output = { isTerminal: false, columns: 80, write: (text) => void (said += text), show: () => {} };
  await runCommand({} as AgentRun, { out: err, err, signal: new AbortController().signal }, line);
  expect(said).toContain(`Unknown command: ${line}`);
  expect(said).toContain(hint);
  expect(COMMAND_NAMES).not.toContain(line);
});

it('gives messages that are ready to the model in order, up to the first command', async () => {
  const ahead = new TypedAhead();
  const { promise, resolve } = Promise.withResolvers<string>();
  const slow = ahead.add('one', () => promise);
  await ahead.add('two', async (text) => text);
  expect(ahead.takeMessages()).toEqual([]);
  resolve('ONE');
  await slow;
  await ahead.add('/undo', () => Promise.reject(new Error('not prepared')));
  await ahead.add(' three ', async (text) => text);
  await ahead.add('', async (text) => text);
  await ahead.add('refused', async () => undefined);
  expect(ahead.waiting).toEqual(['one', 'two', '/undo', 'three']);
  expect(ahead.takeMessages().map(({ content }) => content)).toEqual(['ONE', 'two']);
  expect([ahead.next()?.text, ahead.next()?.text, ahead.next()?.text]).toEqual(['/undo', 'three', undefined]);
});

it('prepares a message once, also if the turn ends before that is done', async () => {
  const ahead = new TypedAhead();
  const { promise, resolve } = Promise.withResolvers<string>();
  let count = 0;
  const added = ahead.add('see @a', () => {
    count += 1;
    return promise;
  });
  const next = ahead.next();
  resolve('SEEN');
  await added;
  expect([next?.text, await next?.content, count, ahead.waiting]).toEqual(['see @a', 'SEEN', 1, []]);
});

it('drops what waits, and stops its preparation, but not that of later lines', async () => {
  const ahead = new TypedAhead();
  const signals: AbortSignal[] = [];
  const prepare: Prepare = async (text, signal) => {
    signals.push(signal);
    return text;
  };
  await ahead.add('one', prepare);
  await ahead.add('/undo', prepare);
  expect(ahead.clear()).toEqual(['one', '/undo']);
  await ahead.add('two', prepare);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect([ahead.waiting, ahead.clear(), ahead.clear()]).toEqual([['two'], ['two'], []]);
});

it('stops the step on the first interrupt, and ends on the second without a line between', () => {
  const interrupts = new Interrupts(new AbortController().signal);
  const step = interrupts.begin();
  expect([interrupts.next(), step.aborted, interrupts.ending.aborted]).toEqual(['stopped', true, false]);
  interrupts.end();
  interrupts.reset();
  expect([interrupts.next(), interrupts.ending.aborted]).toEqual(['told', false]);
  interrupts.reset();
  expect([interrupts.next(), interrupts.next(), interrupts.ending.aborted]).toEqual(['told', 'ended', true]);
});
