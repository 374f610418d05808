import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { parseStat } from '../process/process-table.ts';
import { ProcessTags } from '../process/hardening.ts';
import { workspaceId } from '../state/state-folder.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { bootId, endLeftovers } from './end-leftovers.ts';
import { type JobRecord, jobsFolder, makeJobsFolder, readRecord, readRecords, removeOldRecords, writeRecord } from './job-record.ts';
import { WorkspaceJobs } from './workspace-jobs.ts';
import { newJobId } from './job-log.ts';

let base: string;
let workspace: string;
let state: string;
let folder: string;
beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-jobs-')));
  workspace = join(base, 'workspace');
  state = join(base, 'state');
  await mkdir(workspace);
  folder = jobsFolder(state, workspaceId(workspace));
});

function running(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/u.test(pid) || pid === String(process.pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

/** Waits until something is so, which the test's own time-out bounds. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(20);
}

const ENDED = { status: 'ended', ending: 'ended with the Synapse process that ran it' };
const oddSleep = (): string => `9${randomBytes(4).readUInt32BE()}`;

describe.each(['required', 'none'] as const)('a Synapse process that is killed, with sandbox %s', (sandbox) => {
  it('leaves nothing running, and the next one knows', async () => {
    const [one, two] = [oddSleep(), oddSleep()];
    const script = runScript(`
      import { createHands } from ${sourceUrl('runtime/create-hands.ts')};
      const hands = await createHands({ workspace: ${JSON.stringify(workspace)}, stateFolder: ${JSON.stringify(state)}, allow: ['exec'], sandbox: '${sandbox}' });
      await hands.call('run_command', { command: 'setsid sleep ${one} & exec sleep ${two}', background: true });
      process.stdout.write('up');
      setInterval(() => {}, 1000);
    `);
    await until(() => running(`sleep\0${one}`).length > 0 && running(`sleep\0${two}`).length > 0);
    script.process.kill('SIGKILL');
    await once(script.process, 'close');
    await until(() => running(`sleep\0${one}`).length === 0 && running(`sleep\0${two}`).length === 0);
    const [left] = readRecords(folder);
    expect(left).toMatchObject({ status: 'running' });
    // Who looks before the next start sees that it has ended.
    const jobs = new WorkspaceJobs(state, workspace);
    expect([jobs.list()[0], jobs.get(left?.id ?? '')]).toMatchObject([ENDED, ENDED]);
    await using hands = await createHands({ workspace, stateFolder: state, sandbox });
    expect(await hands.call('job', { action: 'list' })).toMatchObject({ ok: true });
    expect(jobs.list()).toMatchObject([ENDED]);
  }, 120_000);
});

describe('what a killed process left', () => {
  const tags = new ProcessTags();

  /** A process that no reaper knows, with the record of a job that it could be. */
  function leftover(change: (record: JobRecord) => Partial<JobRecord>): { record: JobRecord; child: ReturnType<typeof spawn> } {
    const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
    const stat = parseStat(readFileSync(`/proc/${child.pid}/stat`, 'latin1'));
    const record: JobRecord = {
      id: newJobId(),
      command: 'sleep 60',
      cwd: '.',
      session: '',
      call: 'call',
      started_at: new Date().toISOString(),
      // A number that no process has.
      owner: '4194305 1',
      boot: bootId(),
      process: { pid: child.pid ?? 0, start_time: stat?.startTime ?? 0, mark: tags.next() },
      status: 'running',
      detached: false,
      outlives: false,
      notes: [],
      exit_code: null,
      ending: null,
      ended_at: null,
      sandbox: 'none',
    };
    makeJobsFolder(folder);
    const whole = { ...record, ...change(record) };
    writeRecord(folder, whole);
    return { record: whole, child };
  }

  it('is ended by the next one, which says so', async () => {
    const { record, child } = leftover(() => ({}));
    const ended = once(child, 'exit');
    await using hands = await createHands({ workspace, stateFolder: state, sandbox: 'none' });
    expect(await ended).toEqual([null, 'SIGKILL']);
    await until(() => readRecord(folder, record.id)?.status === 'ended');
    // It is known once it is done.
    let told = '';
    while (!told.includes(record.id)) {
      const result = await hands.call('job', { action: 'list' });
      if (result.ok) told = result.output;
    }
    expect(told).toContain(`was killed still ran and was ended: ${record.id} (sleep 60)`);
  });

  it.each<[string, (record: JobRecord) => Partial<JobRecord>]>([
    ['has another start time', ({ process: one }) => ({ process: one === null ? null : { ...one, start_time: one.start_time - 1 } })],
    ['is of another start of the machine', () => ({ boot: 'another' })],
    ['never had a process', () => ({ process: null })],
    ['belongs to a process that runs', () => ({ owner: `${process.pid} ` })],
    ['has ended', () => ({ status: 'ended', ended_at: new Date().toISOString(), ending: 'exit code 0' })],
  ])('is not ended where it %s: its number may be that of a stranger', async (_, change) => {
    const { child } = leftover(change);
    expect(await endLeftovers(folder)).toEqual([]);
    expect(child.exitCode).toBeNull();
    expect(running('sleep\u000060')).toContain(String(child.pid));
    child.kill('SIGKILL');
  });

  it('is forgotten after a day', () => {
    const { record, child } = leftover(() => ({ status: 'ended', ending: 'stopped', ended_at: new Date().toISOString() }));
    child.kill('SIGKILL');
    removeOldRecords(folder);
    expect(readRecord(folder, record.id)).toBeDefined();
    removeOldRecords(folder, Date.now() + 25 * 60 * 60 * 1000);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a person', () => {
  it('sees the jobs of other processes, reads them, detaches and stops them', async () => {
    await using hands = await createHands({ workspace, stateFolder: state, sandbox: 'none', allow: ['exec'] });
    const started = await hands.call('run_command', { command: 'echo up; exec sleep 60', background: true }, { sessionId: 's' });
    const id = started.ok ? (started.data.job?.id ?? '') : '';
    const jobs = new WorkspaceJobs(state, workspace);
    expect(jobs.list()).toMatchObject([{ id, status: 'running', session: 's', detached: false, command: 'echo up; exec sleep 60' }]);
    expect(jobs.list()[0]).not.toHaveProperty('process');
    await hands.call('job', { action: 'wait', id, pattern: 'up' }, { sessionId: 's' });
    expect([...jobs.output(id)].join('')).toBe('up\n');
    const { signal } = new AbortController();
    expect(await jobs.request(id, 'detach', signal)).toMatchObject({ detached: true });
    await hands.endSession('s');
    expect(jobs.get(id).status).toBe('running');
    expect(await jobs.request(id, 'stop', signal)).toMatchObject({ status: 'ended', ending: 'stopped' });
    await expect(jobs.request(id, 'stop', signal)).rejects.toMatchObject({ code: 'conflict' });
    expect(() => jobs.get('job-00000000')).toThrow('Job not found');
    expect(() => jobs.get('../../../etc/passwd')).toThrow('Job not found');
  });

  it('finds no secrets in what is kept', async () => {
    await using hands = await createHands({
      workspace,
      stateFolder: state,
      sandbox: 'none',
      allow: ['exec'],
      environment: { API_TOKEN: 'a-secret-of-length' },
    });
    await hands.call('run_command', { command: 'sleep 60; echo a-secret-of-length', background: true });
    expect(JSON.stringify(new WorkspaceJobs(state, workspace).list())).not.toContain('a-secret-of-length');
  });
});
