import { createHash } from 'node:crypto';
import type { ApprovalRequest } from '@synapse/hands';
import type { DataFrames } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { remoteApprover, type QuestionDesk } from './remote-approver.ts';

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A question about a call, whose hash is made of nothing but the call. */
function question(command: string): ApprovalRequest {
  return {
    callId: 'c',
    sessionId: undefined,
    tool: 'run_command',
    title: 'Run a command',
    arguments: { command },
    fingerprint: hashOf(command),
    reason: 'mode "ask" asks',
    effects: [],
    proposals: [],
  };
}

/** Asks about a command, and answers yes. Returns what the relay sees beside what is sealed. */
async function asked(command: string): Promise<DataFrames['approval_request']> {
  const seen: Array<DataFrames['approval_request']> = [];
  const desk: QuestionDesk = {
    mayAnswer: () => true,
    ask(request, answer) {
      seen.push(request);
      answer('allow_once');
    },
    close() {},
  };
  const { signal } = new AbortController();
  expect(await remoteApprover('c', desk, undefined).ask(question(command), signal)).toEqual({ verdict: 'allow', scope: 'once' });
  const [request] = seen;
  if (request === undefined) throw new Error('It was not asked.');
  return request;
}

it('tells the relay no hash that can be found by trying commands', async () => {
  const { args_hash: hash } = await asked('git push origin main');
  const { args_hash: again } = await asked('git push origin main');
  const tried = ['git status', 'git push', 'git push origin main'].map((command) => question(command).fingerprint);
  // The control: the hash of the question itself is found.
  expect(tried).toContain(question('git push origin main').fingerprint);
  expect(tried).not.toContain(hash);
  expect(again).not.toBe(hash);
  expect(hash).toMatch(/^[0-9a-f]{64}$/u);
});
