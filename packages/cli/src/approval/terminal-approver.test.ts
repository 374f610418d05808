import type { ApprovalRequest } from '@synapse/hands';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
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
  expect(await asked).toEqual({ verdict: 'deny' });
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
