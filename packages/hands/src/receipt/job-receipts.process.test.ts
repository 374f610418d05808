import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { auditFolder } from '../audit/audit-folder.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { commandEnd, queryAudit, type AuditedCall } from '../audit/query-audit.ts';
import { followAudit } from '../audit/follow-audit.ts';
import { verifyAudit } from '../audit/verify-audit.ts';
import { newJobId } from '../jobs/job-log.ts';
import { jobsFolder, type JobRecord } from '../jobs/job-record.ts';
import { WorkspaceJobs } from '../jobs/workspace-jobs.ts';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { runScript, sourceUrl, type RunningScript } from '../testing/run-script.ts';
import { workspaceId } from '../state/state-folder.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { recordLostJob } from './record-lost-job.ts';
import { Receipts } from './receipts.ts';
import type { ReceiptCheck } from './verify-receipt.ts';

const { signal } = new AbortController();
const stateOf = ({ folder }: TemporaryHands): string => join(folder, '..', 'state');

interface Job {
  readonly call: string;
  readonly id: string;
}

async function start({ hands }: TemporaryHands, command: string, input: object = { background: true }): Promise<Job> {
  const result = await hands.call('run_command', { command, ...input });
  if (!result.ok || result.data.job === null) throw new Error('The command is no job.');
  return { call: result.meta.callId, id: result.data.job.id };
}

const ends = async ({ hands }: TemporaryHands, { id }: Job): Promise<void> =>
  void (await hands.call('job', { action: 'wait', id, timeout_ms: 60_000 }));

function audited(folder: string, state: string, call: string): AuditedCall {
  const [found] = queryAudit(state, folder, { call, limit: 1 });
  if (found === undefined) throw new Error('The call is not in the log.');
  return found;
}

async function verify(folder: string, state: string, call: string): Promise<ReceiptCheck> {
  using receipts = new Receipts(folder, state);
  return await receipts.verify(JSON.stringify(receipts.receipt(audited(folder, state, call))), { key: undefined });
}

describe('the receipt of a job', () => {
  it('is made from the record of its end, which is the second one of its call', async () => {
    await using place = await temporaryHands({ 'a.txt': 'one\n', 'b.txt': 'b\n' });
    const job = await start(place, 'read -r line; echo "got $line"');
    const state = stateOf(place);
    {
      using receipts = new Receipts(place.folder, state);
      const running = audited(place.folder, state, job.call);
      expect(running).toMatchObject({ status: 'ok', end: { ok: true } });
      expect(running.jobEnd).toBeUndefined();
      expect(() => receipts.receipt(running)).toThrow(`No receipt: no command of the call ${job.call} has ended.`);
      expect(await receipts.newest()).toEqual([]);
    }
    await place.hands.call('job', { action: 'input', id: job.id, text: 'word\n' });
    await ends(place, job);
    const call = audited(place.folder, state, job.call);
    expect(call).toMatchObject({
      status: 'ok',
      jobEnd: { job: job.id, start: call.start.seq, command: { exit_code: 0, ran: 'live', output: { bytes: 9 } } },
    });
    expect(call.jobEnd?.summary).toMatch(/^run_command\(read -r line; echo "got \$line"\) → exit code 0, \d+\.\d s, job-[\da-f]{8}$/u);
    expect(await verify(place.folder, state, job.call)).toMatchObject({ state: 'valid', exit_code: 0, notes: [] });
    using receipts = new Receipts(place.folder, state);
    expect(receipts.receipt(call)).toMatchObject({ id: job.call, job: job.id });
    expect(await receipts.newest()).toMatchObject([{ call: job.call, state: 'valid', exit_code: 0 }]);
    writeFileSync(place.at('a.txt'), 'two\n');
    expect(await verify(place.folder, state, job.call)).toMatchObject({ state: 'stale', changed: ['a.txt'] });
    expect(verifyAudit(state, place.folder)).toMatchObject({ ok: true });
  });

  it('is of the same form for a command that became a job', async () => {
    await using place = await temporaryHands({ 'a.txt': 'one\n' });
    const job = await start(place, 'for _ in 1 2 3 4; do echo a >> a.txt; sleep 0.2; done; exit 3', { yield_ms: 300 });
    await ends(place, job);
    const call = audited(place.folder, stateOf(place), job.call);
    expect(call).toMatchObject({ status: 'failed', jobEnd: { job: job.id, command: { exit_code: 3, output: { bytes: 0 } } } });
    expect(await verify(place.folder, stateOf(place), job.call)).toMatchObject({ state: 'valid', exit_code: 3 });
  });

  it.each<readonly [string, (place: TemporaryHands) => Promise<void> | void]>([
    ['a call', async ({ hands }: TemporaryHands) => void (await hands.call('write_file', { path: 'b.txt', content: 'b\n' }))],
    [
      'calls that took it back',
      async ({ hands }: TemporaryHands) => {
        await hands.call('write_file', { path: 'b.txt', content: 'b\n' });
        await hands.call('delete_file', { path: 'b.txt' });
      },
    ],
    ['a person', ({ at }: TemporaryHands) => writeFileSync(at('b.txt'), 'b\n')],
  ])('never counts where %s changed files while it ran', async (_, change) => {
    await using place = await temporaryHands({ 'a.txt': 'one\n' });
    // Before it has begun, a change is nothing of which the command could know.
    const job = await start(place, 'echo up; read -r line', { background: true, wait_pattern: 'up' });
    await change(place);
    await place.hands.call('job', { action: 'input', id: job.id, text: 'word\n' });
    await ends(place, job);
    expect(await verify(place.folder, stateOf(place), job.call)).toMatchObject({
      state: 'stale',
      reason: 'Something else changed files while the command ran.',
    });
  });

  it('says that a job was stopped, and that one timed out', async () => {
    await using place = await temporaryHands();
    // One that is stopped before its command begins has no receipt.
    const stopped = await start(place, 'echo up; sleep 100', { background: true, wait_pattern: 'up' });
    await place.hands.call('job', { action: 'stop', id: stopped.id });
    // Nor has one whose time is over before.
    const late = await start(place, 'echo up; sleep 101', { background: true, wait_pattern: 'up', timeout_ms: 2_500 });
    await ends(place, late);
    const endOf = (job: Job): unknown => audited(place.folder, stateOf(place), job.call).jobEnd;
    expect(endOf(stopped)).toMatchObject({ completion: 'failed', command: { aborted: true } });
    expect(endOf(late)).toMatchObject({ completion: 'timeout', command: { aborted: true } });
    using receipts = new Receipts(place.folder, stateOf(place));
    expect((await receipts.newest()).map(({ exit_code }) => exit_code)).not.toContain(0);
  });

  it('reaches those that follow the log', async () => {
    await using place = await temporaryHands();
    const stopping = new AbortController();
    const followed = (async () => {
      const seen: boolean[] = [];
      for await (const { tool, jobEnd } of followAudit(stateOf(place), place.folder, { tool: 'run_command' }, stopping.signal)) {
        if (tool === 'run_command') seen.push(jobEnd !== undefined);
        if (seen.length === 2) stopping.abort();
      }
      return seen;
    })();
    const job = await start(place, 'read -r line');
    await place.hands.call('job', { action: 'input', id: job.id, text: 'word\n' });
    await ends(place, job);
    expect(await followed).toEqual([false, true]);
  });

  it('is one record, where a job ends in its call', async () => {
    await using place = await temporaryHands();
    const result = await place.hands.call('run_command', { command: 'echo done', background: true, wait_pattern: 'never', yield_ms: 20_000 });
    const call = audited(place.folder, stateOf(place), result.meta.callId);
    expect(commandEnd(call)).toMatchObject({ command: { exit_code: 0 } });
    expect([call.end?.command, call.jobEnd?.command].filter((one) => one !== undefined)).toHaveLength(1);
  });
});

/** Starts a job in a Synapse process of its own. */
async function startElsewhere(base: string, command: string): Promise<RunningScript> {
  const script = runScript(`
    import { existsSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    import { createHands } from ${sourceUrl('runtime/create-hands.ts')};
    {
      await using hands = await createHands({ workspace: ${JSON.stringify(join(base, 'workspace'))}, stateFolder: ${JSON.stringify(join(base, 'state'))},
        configFolder: ${JSON.stringify(join(base, 'config'))}, allow: ['exec'] });
      await hands.call('run_command', { command: ${JSON.stringify(command)}, background: true }, { callId: 'the-call', sessionId: 'the-session' });
      while (!existsSync(${JSON.stringify(join(base, 'leave'))})) await delay(20);
    }
  `);
  const jobs = new WorkspaceJobs(join(base, 'state'), join(base, 'workspace'));
  await expect
    .poll(
      () =>
        jobs
          .list()
          .flatMap(({ id }) => [...jobs.output(id)])
          .join(''),
      { timeout: 20_000 },
    )
    .toContain('up');
  return script;
}

describe.skipIf((await findBubblewrap()) === undefined)('the record of a job whose own process is gone', () => {
  it.each(['is seen by its keeper', 'is seen by nothing'])('says how it ended: %s', async (how) => {
    const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-job-receipt-')));
    const [workspace, state] = [join(base, 'workspace'), join(base, 'state')];
    mkdirSync(workspace);
    writeFileSync(join(workspace, 'a.txt'), 'one\n');
    try {
      const script = await startElsewhere(base, 'echo up; while [ ! -e .git ] && [ ! -e end ]; do sleep 0.05; done; rm -f end; echo over; exit 4');
      const jobs = new WorkspaceJobs(state, workspace);
      const [job] = jobs.list();
      if (how === 'is seen by its keeper') {
        await jobs.request(job?.id ?? '', 'detach', signal);
        const over = once(script.process, 'close');
        script.process.kill('SIGKILL');
        await over;
        writeFileSync(join(workspace, 'end'), '');
        await expect.poll(() => jobs.list()[0]?.status).toBe('ended');
        const call = audited(workspace, state, 'the-call');
        expect(call).toMatchObject({
          status: 'failed',
          jobEnd: { job: job?.id, session: 'the-session', command: { exit_code: 4, output: { bytes: 8 }, tree: { before: expect.any(String) } } },
        });
        expect(await verify(workspace, state, 'the-call')).toMatchObject({ state: 'valid', exit_code: 4 });
      } else {
        const over = once(script.process, 'close');
        script.process.kill('SIGKILL');
        await over;
      }
      // The next process that opens the folder.
      await (await createHands({ workspace, stateFolder: state, configFolder: join(base, 'config') }))[Symbol.asyncDispose]();
      const call = audited(workspace, state, 'the-call');
      const records = [call.jobEnd?.seq, (await createAgain(workspace, state, base)).jobEnd?.seq];
      expect(records[0]).toBe(records[1]);
      if (how === 'is seen by nothing') {
        const unseen = 'its end was not seen, because the Synapse process that ran it was killed';
        expect(call.jobEnd).toMatchObject({
          completion: 'failed',
          command: { exit_code: null, aborted: true, no_tree: unseen, output: { bytes: 3 } },
        });
        expect(call.jobEnd?.summary).toContain(unseen);
        expect(await verify(workspace, state, 'the-call')).toMatchObject({ state: 'not-this', reason: expect.stringContaining(unseen) });
      }
      expect(verifyAudit(state, workspace)).toMatchObject({ ok: true });
      script.process.kill('SIGKILL');
      await delay(0);
    } finally {
      rmSync(base, { recursive: true, force: true });
    }
  });
});

describe('a job whose process was killed', () => {
  const lost = (more: Partial<JobRecord>): JobRecord => ({
    id: newJobId(),
    command: 'echo up',
    cwd: '.',
    session: '',
    call: 'the-call',
    started_at: '2026-01-01T00:00:00.000Z',
    owner: '4194304 1',
    boot: '',
    process: null,
    status: 'ended',
    detached: false,
    outlives: false,
    exit_code: null,
    ending: 'ended with the Synapse process that ran it',
    notes: [],
    ended_at: '2026-01-01T00:00:00.000Z',
    sandbox: null,
    recorded: false,
    ...more,
  });
  const basis = { argv: ['/bin/sh', '-c', 'echo up'], programs: [], started_ms: 0, no_tree: 'it was not looked at' };

  it.each<readonly [how: string, more: Partial<JobRecord>, command: unknown]>([
    ['while its command ran', { basis }, { exit_code: null, aborted: true }],
    ['before its command began', {}, undefined],
  ])('is one record, also for processes that look at once: %s', async (_, more, command) => {
    await using place = await temporaryHands();
    const state = stateOf(place);
    using log = AuditLog.open(state, place.folder);
    // Of a clock that was set back since.
    const later = new Date(Date.now() + 3_600_000);
    vi.useFakeTimers({ now: later, toFake: ['Date'] });
    const about = { call: 'the-call', tool: 'run_command' };
    const started = log.append({ type: 'start', ...about, project: place.folder, process: '4194304 1', arguments: {} });
    log.append({ type: 'end', start: started, ...about, ok: true, completion: 'ok', summary: 'it runs', duration_ms: 1, result_bytes: 0 });
    vi.useRealTimers();
    const job = lost(more);
    const ending = { folder: jobsFolder(state, workspaceId(place.folder)), stateFolder: state, root: place.folder, job };
    await Promise.all(Array.from({ length: 4 }, async () => await recordLostJob(ending)));
    const call = audited(place.folder, state, 'the-call');
    expect(call).toMatchObject({ status: 'failed', jobEnd: { job: job.id, summary: expect.stringContaining('was not seen') as unknown } });
    expect(call.jobEnd?.command).toEqual(command === undefined ? undefined : expect.objectContaining(command));
    expect(call.jobEnd?.duration_ms).toBe(0);
    const folder = auditFolder(state, place.folder);
    const lines = readdirSync(folder).flatMap((name) => (name.endsWith('.jsonl') ? readFileSync(join(folder, name), 'utf8').split('\n') : []));
    expect(lines.filter((line) => line.includes(`"job":"${job.id}"`))).toHaveLength(1);
    expect(verifyAudit(state, place.folder)).toMatchObject({ ok: true });
  });
});

async function createAgain(workspace: string, state: string, base: string): Promise<AuditedCall> {
  await (await createHands({ workspace, stateFolder: state, configFolder: join(base, 'config') }))[Symbol.asyncDispose]();
  return audited(workspace, state, 'the-call');
}
