import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import type { CallEvent } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import type { ApprovalAnswer, ApprovalRequest } from '../approval/approver.ts';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { ask, Bench, SERVER, success } from './fixtures/job-bench.ts';

/** A shell that asks and answers, line by line. */
const REPL = `while printf 'name? ' && read -r name; do echo "hello $name"; done; echo bye`;

const oddSleep = (): string => `9${randomBytes(4).readUInt32BE()}`;
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

/** Milliseconds for which a busy machine may keep a job from beginning in time. */
const BUSY_MS = 60_000;

describe.each(['required', 'none'] as const)('jobs with sandbox %s', (sandbox) => {
  const open = (options: Omit<HandsOptions, 'workspace'> = {}) => Bench.open({ sandbox, ...options });

  it('a server is reached by a later command of the session, as long as it runs', async () => {
    await using bench = await open();
    const id = await bench.start(SERVER);
    await bench.job({ action: 'wait', id, pattern: String.raw`^port \d+$` });
    const { data } = await bench.job({ action: 'output', id, cursor: 0 });
    const port = /port (\d+)/u.exec(data.output)?.[1] ?? '';
    expect((await bench.job({ action: 'wait', id, port: Number(port) })).data.met).toBe('port');
    expect((await bench.run(ask(port))).data.output).toBe('answer\n');
    expect((await bench.job({ action: 'output', id })).data.output).toBe('asked\n');
    const stopped = await bench.job({ action: 'stop', id });
    expect(stopped.data.jobs).toMatchObject([{ id, status: 'ended', ending: 'stopped' }]);
    expect((await bench.run(`${ask(port)} 2>&1`)).data).toMatchObject({ exit_code: 111, output: 'refused\n' });
  });

  it('a program that asks is reported with its question, and gets the answer', async () => {
    await using bench = await open();
    const id = await bench.start(REPL);
    const waited = await bench.job({ action: 'wait', id });
    expect(waited.data).toMatchObject({ met: 'input', jobs: [{ waits_for_input: true, last_line: 'name?' }] });
    expect(waited.output).toContain('waits for input: name?');
    expect((await bench.job({ action: 'input', id, text: 'Ada' })).data.output).toBe('hello Ada\nname? ');
    expect((await bench.job({ action: 'input', id, text: 'Bob\nCleo' })).data.output).toBe('hello Bob\nname? hello Cleo\nname? ');
    await bench.job({ action: 'input', id, eof: true });
    const ended = await bench.job({ action: 'wait', id });
    expect(ended.data).toMatchObject({ met: 'exit', jobs: [{ exit_code: 0, ending: 'exit code 0', waits_for_input: false }] });
    expect((await bench.job({ action: 'output', id, tail: 1 })).data.output).toBe('name? bye\n');
    expect(await bench.tryJob({ action: 'input', id, text: 'late' })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  });

  it('ends with everything that it started', async () => {
    await using bench = await open();
    const [one, two] = [oddSleep(), oddSleep()];
    const id = await bench.start(`sleep ${one} & setsid sleep ${two} & echo up; wait`);
    await bench.job({ action: 'wait', id, pattern: 'up' });
    expect([running(one).length, running(two).length].every((count) => count > 0)).toBe(true);
    await bench.job({ action: 'stop', id });
    expect([running(`sleep\0${one}`), running(`sleep\0${two}`)]).toEqual([[], []]);
  });

  it('ends with its session, unless it was started in another one', async () => {
    await using bench = await open();
    const sleeps = [oddSleep(), oddSleep()];
    await bench.start(`exec sleep ${sleeps[0]}`, {}, 'one');
    const other = await bench.start(`exec sleep ${sleeps[1]}`, {}, 'two');
    await bench.hands.endSession('one');
    expect(running(`sleep\0${sleeps[0]}`)).toEqual([]);
    expect((await bench.job({ action: 'list' }, 'two')).data.jobs).toMatchObject([{ id: other, status: 'running' }]);
    await bench.hands[Symbol.asyncDispose]();
    expect(running(`sleep\0${sleeps[1]}`)).toEqual([]);
  });

  it('a signal is for the command', async () => {
    await using bench = await open();
    const id = await bench.start(`trap 'echo caught; exit 7' USR1; echo ready; while :; do sleep 0.02; done`);
    await bench.job({ action: 'wait', id, pattern: 'ready' });
    await bench.job({ action: 'signal', id, signal: 'USR1' });
    const ended = await bench.job({ action: 'wait', id });
    expect(ended.data).toMatchObject({ jobs: [{ exit_code: 7 }] });
    // The shell may say how its `sleep` ended, before or after.
    const said = (await bench.job({ action: 'output', id, cursor: 0 })).data.output;
    expect(said.replace(/^User defined signal 1\n/mu, '')).toBe('ready\ncaught\n');
    // Where the program reloads on it, the shell that waits for it must not end.
    const other = await bench.start(`perl -e '$| = 1; $SIG{HUP} = sub { print "reloaded\\n" }; print "ready\\n"; sleep 1 while 1'; echo after`);
    await bench.job({ action: 'wait', id: other, pattern: 'ready' });
    await bench.job({ action: 'signal', id: other, signal: 'HUP' });
    expect((await bench.job({ action: 'wait', id: other, pattern: 'reloaded' })).data).toMatchObject({
      met: 'pattern',
      jobs: [{ status: 'running' }],
    });
    await bench.job({ action: 'signal', id: other, signal: 'INT' });
    expect((await bench.job({ action: 'wait', id: other })).data.met).toBe('exit');
  });

  it('a command that takes long goes on as a job, which the end of its call does not end', async () => {
    await using bench = await open();
    const caller = new AbortController();
    // No file tells it to go on: a command on a copy of the workspace would not see it.
    const command = 'echo first; sleep 2; echo second; echo made > made.txt; exit 4';
    const result = success(await bench.hands.call('run_command', { command, yield_ms: 200 }, { sessionId: 'one', signal: caller.signal }));
    expect(result.data).toMatchObject({ exit_code: null, timed_out: false, job: { cursor: Buffer.byteLength(result.data.output) } });
    expect(result.meta.completion).toBe('ok');
    expect(result.output).toContain('start servers with "background"');
    caller.abort();
    const id = result.data.job?.id ?? '';
    const listed = (await bench.job({ action: 'list' })).data.jobs;
    expect(listed).toMatchObject([{ id, status: 'running' }]);
    // Its time counts from its start, not from the moment when it became a job.
    expect(listed[0]?.running_ms).toBeGreaterThanOrEqual(199);
    const { data } = await bench.job({ action: 'wait', id });
    expect(data).toMatchObject({ met: 'exit', jobs: [{ exit_code: 4 }] });
    expect(readFileSync(bench.place.at('made.txt'), 'utf8')).toBe('made\n');
    // Nothing twice and nothing lost, wherever the first answer ended.
    expect(result.data.output + data.output).toBe('first\nsecond\n');
    expect((await bench.job({ action: 'output', id, cursor: 0 })).data.output).toBe('first\nsecond\n');
    expect(await bench.tryJob({ action: 'input', id, text: 'x' })).toMatchObject({ ok: false });
  });

  it('what has become a job still ends when its time is over, and its call when it was cancelled before', async () => {
    await using bench = await open();
    const { data } = await bench.run('echo up; exec sleep 60', { yield_ms: 100, timeout_ms: 800 });
    const ended = await bench.job({ action: 'wait', id: data.job?.id });
    expect(ended.data.jobs).toMatchObject([{ ending: 'timed out' }]);
    const caller = new AbortController();
    const call = bench.hands.call('run_command', { command: 'sleep 60', yield_ms: 30_000 }, { signal: caller.signal, sessionId: 'one' });
    caller.abort();
    expect(await call).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });

  it('the output of a job is kept whole, however much came before it was one', async () => {
    await using bench = await open();
    const { data } = await bench.run('seq 1 100000; sleep 3; echo end', { yield_ms: 1_500 });
    const id = data.job?.id ?? '';
    await bench.job({ action: 'wait', id });
    expect((await bench.job({ action: 'output', id, grep: '^(?:1|50000|100000|end)$' })).data.output).toBe('1\n50000\n100000\nend\n');
  });

  it('a terminal is one, of 80 by 24, without its control characters for the model', async () => {
    await using bench = await open();
    const id = await bench.start(String.raw`test -t 0 && test -t 1 && stty size; printf '\033[31mred\033[0m\n'; read -r line; echo "got $line"`, {
      pty: true,
    });
    expect((await bench.job({ action: 'wait', id, pattern: 'red' })).data).toMatchObject({ met: 'pattern' });
    expect((await bench.job({ action: 'output', id, cursor: 0 })).data.output).toBe('24 80\nred\n');
    await bench.job({ action: 'input', id, text: 'yes' });
    expect((await bench.job({ action: 'wait', id })).data.met).toBe('exit');
    expect((await bench.job({ action: 'output', id, tail: 1 })).data.output).toBe('got yes\n');
  });

  it('a terminal stays when its program is interrupted', async () => {
    await using bench = await open();
    const command = `trap 'echo caught' INT; echo ready; read -r one; read -r two; echo "got $one$two"`;
    const id = await bench.start(command, { pty: true });
    await bench.job({ action: 'wait', id, pattern: 'ready' });
    await bench.job({ action: 'signal', id, signal: 'INT' });
    expect((await bench.job({ action: 'wait', id, pattern: 'caught' })).data).toMatchObject({ met: 'pattern', jobs: [{ status: 'running' }] });
    await bench.job({ action: 'input', id, text: 'yes' });
    await bench.job({ action: 'input', id, text: 'no' });
    expect((await bench.job({ action: 'wait', id })).data).toMatchObject({ met: 'exit', jobs: [{ exit_code: 0 }] });
    expect((await bench.job({ action: 'output', id, cursor: 0 })).data.output).not.toContain('terminated');
  });

  it('what fails at once is answered at once', async () => {
    await using bench = await open();
    // On a busy machine it may not have begun when the answer is due.
    let { data, output } = await bench.run('echo no >&2; exit 5', { background: true });
    const end = performance.now() + BUSY_MS;
    while (data.job !== null && performance.now() < end) {
      // So many may run.
      await bench.job({ action: 'wait', id: data.job.id });
      ({ data, output } = await bench.run('echo no >&2; exit 5', { background: true }));
    }
    expect(data).toMatchObject({ exit_code: 5, output: 'no\n', job: null });
    expect(output).toContain('exit code 5');
  });

  it('tells of processes that ended with the command, and how to keep one', async () => {
    await using bench = await open();
    const { data, output } = await bench.run('sleep 300 & sleep 300 & echo started');
    expect(data).toMatchObject({ exit_code: 0, left_running: 2, output: 'started\n' });
    expect(output).toContain('2 processes left in the background ended with it; run_command with "background" keeps a command running');
    expect((await bench.run('sleep 0.01 & wait; echo done')).data.left_running).toBe(0);
  });
});

describe('jobs', () => {
  it('of another session are not there', async () => {
    await using bench = await Bench.open({ sandbox: 'none' });
    const id = await bench.start('cat', {}, 'one');
    for (const input of [
      { action: 'output' },
      { action: 'stop' },
      { action: 'input', text: 'x' },
      { action: 'wait' },
      { action: 'signal', signal: 'INT' },
    ]) {
      expect(await bench.tryJob({ ...input, id }, 'two')).toMatchObject({ ok: false, error: { code: 'not_found' } });
    }
    expect((await bench.job({ action: 'list' }, 'two')).data.jobs).toEqual([]);
    expect((await bench.job({ action: 'list' }, 'one')).data.jobs).toMatchObject([{ id, status: 'running' }]);
  });

  it('are reached through the network by their session alone', async () => {
    await using bench = await Bench.open({ sandbox: 'required' });
    const id = await bench.start(SERVER);
    await bench.job({ action: 'wait', id, pattern: 'port' });
    const port = /port (\d+)/u.exec((await bench.job({ action: 'output', id, cursor: 0 })).data.output)?.[1] ?? '';
    const other = await bench.start(`${ask(port)}; sleep 60`, {}, 'two');
    await bench.job({ action: 'wait', id: other, pattern: '.' }, 'two');
    expect((await bench.job({ action: 'output', id: other, cursor: 0 }, 'two')).data.output).toContain('refused');
    expect((await bench.run(ask(port))).data.output).toBe('answer\n');
  });

  it('what one leaves for other programs to execute is taken away when it is asked about, and when it ends', async () => {
    await using bench = await Bench.open({ sandbox: 'required' });
    const leave = (folder: string): string => `mkdir -p ${folder}/.git/hooks; echo evil > ${folder}/.git/hooks/pre-commit; echo made`;
    writeFileSync(bench.place.at('leave.sh'), `${leave('one')}\nread -r _\n${leave('two')}\n`);
    const id = await bench.start('sh leave.sh');
    let told = (await bench.job({ action: 'wait', id, pattern: 'made' })).output;
    while (existsSync(bench.place.at('one/.git/hooks/pre-commit'))) told += (await bench.job({ action: 'output', id })).output;
    told += (await bench.job({ action: 'list' })).output;
    await bench.job({ action: 'input', id, text: '', eof: true });
    told += (await bench.job({ action: 'wait', id })).output;
    expect(existsSync(bench.place.at('two/.git/hooks/pre-commit'))).toBe(false);
    expect(told).toContain('moved to quarantine: one/.git');
    expect(told).toContain('moved to quarantine: two/.git');
  });

  it('writing to one is judged like a command', async () => {
    await using bench = await Bench.open({ sandbox: 'none', allow: [], policy: { allow: ['exec(= sh)'], deny: ['exec(rm *)'] } });
    const id = await bench.start('sh');
    expect(await bench.tryJob({ action: 'input', id, text: 'rm -rf a.txt' })).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(await bench.tryJob({ action: 'input', id, text: 'echo x; rm a.txt' })).toMatchObject({ ok: false, error: { code: 'denied' } });
    expect(await bench.tryJob({ action: 'input', id, text: 'touch b.txt' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
    // What only looks or ends needs no yes.
    expect(await bench.tryJob({ action: 'output', id })).toMatchObject({ ok: true });
    expect(await bench.tryJob({ action: 'stop', id })).toMatchObject({ ok: true });
    expect(readdirSync(bench.place.folder)).toEqual(['a.txt']);
  });

  it('are too many at some point, and their calls then wait', async () => {
    await using bench = await Bench.open({ sandbox: 'none' });
    for (let count = 0; count < 8; count += 1) await bench.start('exec sleep 60');
    expect(await bench.hands.call('run_command', { command: 'sleep 60', background: true }, { sessionId: 'two' })).toMatchObject({
      ok: false,
      error: { code: 'busy' },
    });
    expect((await bench.run('sleep 0.3; echo here', { yield_ms: 50 })).data).toMatchObject({ output: 'here\n', job: null });
  });

  it('are reported as events, and not started by a dialect, a dry run, or a caller that does not come back', async () => {
    await using bench = await Bench.open({ sandbox: 'none' });
    const events: CallEvent[] = [];
    bench.hands.subscribe((event) => events.push(event));
    const id = await bench.start('echo up; read -r line');
    await bench.job({ action: 'input', id, text: 'go' });
    await bench.job({ action: 'wait', id });
    const told = events.filter(({ type }) => type.startsWith('job-'));
    expect(told).toMatchObject([
      { type: 'job-start', jobId: id, sessionId: 'one', tool: 'run_command', command: 'echo up; read -r line' },
      { type: 'job-output', jobId: id, output: 'up\n' },
      { type: 'job-end', jobId: id, exitCode: 0, ending: 'exit code 0' },
    ]);
    const background = { command: 'true', background: true };
    expect(await bench.hands.call('run_command', background, { foreground: true })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(await bench.hands.call('run_command', background, { dryRun: true })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    const spoken = await bench.hands.dialect('claude-code').call('Bash', { command: 'sleep 0.2; echo whole' });
    expect(spoken.output).toBe('whole\n');
  });

  it('nobody is asked about one where no job is possible', async () => {
    const asked: string[] = [];
    const ask = ({ reason }: ApprovalRequest): Promise<ApprovalAnswer> => {
      asked.push(reason);
      return Promise.resolve({ verdict: 'allow', scope: 'once' });
    };
    await using at = await temporaryHands({}, { sandbox: 'required', allow: [], approver: { name: 'test', ask } });
    const background = { command: 'sleep 60', background: true };
    for (const options of [{ foreground: true }, { dryRun: true, dryRunFor: 'agent' }] as const)
      expect(await at.hands.call('run_command', background, options)).toMatchObject({ ok: false, error: { code: 'unavailable' } });
    expect(asked).toEqual([]);
    // Where one is possible, it is asked about.
    expect(await at.hands.call('run_command', background)).toMatchObject({ ok: true });
    expect(asked).toHaveLength(1);
  });

  it.each([
    [{ action: 'output' }, 'id is missing'],
    [{ action: 'output', id: 'job-00000000' }, 'Job not found'],
    [{ action: 'list', cursor: -1 }, 'cursor'],
    [{ action: 'fly' }, 'action'],
  ])('%j is refused', async (input, why) => {
    await using bench = await Bench.open({ sandbox: 'none' });
    const result = await bench.tryJob(input);
    expect(result.ok ? '' : result.error.message).toContain(why);
  });
});
