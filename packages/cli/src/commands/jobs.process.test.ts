import { createHands } from '@synapse/hands';
import { Projects } from '@synapse/hands/internal';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Command } from '../command/command.ts';
import type { Output } from '../output/output.ts';
import { command as detach } from './jobs-detach.ts';
import { command as list } from './jobs-list.ts';
import { command as output } from './jobs-output.ts';
import { command as stop } from './jobs-stop.ts';

let base: string;
let workspace: string;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-cli-jobs-')));
  workspace = join(base, 'workspace');
  mkdirSync(workspace);
  vi.stubEnv('XDG_STATE_HOME', join(base, 'state'));
  using projects = Projects.open(join(base, 'state', 'synapse'));
  projects.add(workspace);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

async function run(command: Command, ...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' };
  const to = (name: keyof typeof said): Output => ({ isTerminal: false, columns: 100, write: (text) => void (said[name] += text), show: () => {} });
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  const io = { out: to('out'), err: to('err'), stdin, signal: new AbortController().signal, version: '0' };
  const code = await command.start([...words, '--workspace', workspace], io);
  return { code, ...said };
}

it('lists, prints, detaches and stops the jobs of a project, whichever process has them', async () => {
  expect(await run(list)).toEqual({ code: 0, out: '', err: 'No job ran here.\n' });
  await using hands = await createHands({ workspace, stateFolder: join(base, 'state', 'synapse'), sandbox: 'none', allow: ['exec'] });
  const started = await hands.call('run_command', { command: 'echo up; exec sleep 60', background: true });
  const id = started.ok ? (started.data.job?.id ?? '') : '';
  await hands.call('job', { action: 'wait', id, pattern: 'up' });
  expect((await run(list)).out).toMatch(new RegExp(`^${id} .* running +echo up; exec sleep 60\n$`, 'u'));
  expect(JSON.parse((await run(list, '--json')).out)).toMatchObject({ jobs: [{ id, status: 'running' }] });
  expect((await run(output, id)).out).toBe('up\n');
  expect((await run(output, id.slice(0, 8))).out).toBe('up\n');
  expect((await run(output, id.slice('job-'.length))).out).toBe('up\n');
  expect(JSON.parse((await run(output, id, '--json')).out)).toMatchObject({ output: 'up\n' });
  expect(await run(detach, id)).toMatchObject({ code: 0, err: 'It is detached from its session. It still ends with its Synapse process.\n' });
  expect((await run(list)).out).toContain('running, detached');
  expect(JSON.parse((await run(stop, id.slice(0, 9), '--json')).out)).toMatchObject({ job: { status: 'ended' } });
  expect((await run(list)).out).toContain('stopped');
  await expect(run(stop, id)).rejects.toMatchObject({ code: 'conflict' });
  await expect(run(output, 'job-00000000')).rejects.toMatchObject({ code: 'not_found' });
});
