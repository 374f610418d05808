import type { ApprovalRequest } from '@synapse/hands';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { ANSWERED_ELSEWHERE } from '@synapse/hands/internal';
import { terminalApprover } from './terminal-approver.ts';

const request: ApprovalRequest = {
  callId: '1',
  sessionId: undefined,
  tool: 'run_command',
  title: 'Run a command',
  arguments: { command: 'id' },
  fingerprint: 'f',
  reason: 'runs id: ask by mode ask',
  effects: ['runs id'],
  proposals: [],
};

function terminal() {
  const stdin = new PassThrough();
  let text = '';
  const err = { isTerminal: true, columns: 80, write: (part: string) => void (text += part), show: () => {} };
  const approver = terminalApprover({ stdin: stdin as unknown as NodeJS.ReadStream, err, size: () => ({ columns: 80, rows: 24 }) });
  return { stdin, approver, text: () => text };
}

it('takes nothing for an answer that was typed before the question', async () => {
  const { stdin, approver, text } = terminal();
  stdin.write('y\ny\ny\n');
  const asked = approver.ask(request, new AbortController().signal);
  stdin.end();
  expect(await asked).toEqual({ verdict: 'later' });
  expect(text().match(/That came before the question/gu)).toHaveLength(3);
});

it('ends with the call', async () => {
  const { approver } = terminal();
  const controller = new AbortController();
  const asked = approver.ask(request, controller.signal);
  const next = approver.ask(request, controller.signal);
  controller.abort();
  expect(await Promise.all([asked, next])).toEqual([{ verdict: 'deny' }, { verdict: 'deny' }]);
});

it('says that a question was answered elsewhere, and goes on with the next', async () => {
  const { stdin, approver, text } = terminal();
  const first = new AbortController();
  const second = new AbortController();
  const asked = approver.ask(request, first.signal);
  const waits = approver.ask(request, second.signal);
  // The one that waits for its turn does not wait for the one that is shown.
  second.abort(ANSWERED_ELSEWHERE);
  expect(await waits).toEqual({ verdict: 'deny' });
  first.abort(ANSWERED_ELSEWHERE);
  await asked;
  expect(text().match(/Answered elsewhere\./gu)).toHaveLength(1);
  const third = approver.ask(request, new AbortController().signal);
  stdin.end();
  expect(await third).toEqual({ verdict: 'later' });
  expect(text().match(/-- Allow this\?/gu)).toHaveLength(2);
});
