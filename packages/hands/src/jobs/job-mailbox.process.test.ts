import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { newJobId } from './job-log.ts';
import { messageState, receiveMessages, sendMessage } from './job-mailbox.ts';
import { WorkspaceJobs } from './workspace-jobs.ts';

it('a person types to a job, and reads what it says, from any process', async () => {
  await using place = await temporaryHands();
  const result = await place.hands.call('run_command', { command: 'read line; echo "got $line"; read line', background: true });
  expect(result.ok).toBe(true);
  const jobs = new WorkspaceJobs(join(dirname(place.folder), 'state'), place.folder);
  const [job] = jobs.list();
  const { signal } = new AbortController();
  await jobs.input(job!.id, { text: 'hello', eof: false }, signal);
  await expect.poll(() => jobs.read(job!.id, 0, 1_000).text).toBe('got hello\n');
  expect(jobs.read(job!.id, 10, 1_000)).toEqual({ text: '', next: 10, end: 10 });
  await expect(jobs.input(job!.id, { text: 'a\u0003', eof: false }, signal)).rejects.toThrow('control characters');
  await jobs.input(job!.id, { text: '', eof: true }, signal);
  await expect.poll(() => jobs.get(job!.id).status).toBe('ended');
  await expect(jobs.input(job!.id, { text: 'late', eof: false }, signal)).rejects.toThrow('has ended');
});

it('a message that was sent before a process takes the job over is received', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-mailbox-'));
  const [id, other] = [newJobId(), newJobId()];
  const [path, others] = [sendMessage(folder, id, { type: 'input', text: 'go', eof: true }), sendMessage(folder, other, { type: 'stop' })];
  const received: unknown[] = [];
  using _mailbox = receiveMessages(folder, (to, message) => (to === id ? Promise.resolve(void received.push(message)) : undefined));
  await expect.poll(() => messageState(path)).toBe('taken');
  expect(received).toEqual([{ type: 'input', text: 'go', eof: true }]);
  expect(messageState(others)).toBe('waits');
});
