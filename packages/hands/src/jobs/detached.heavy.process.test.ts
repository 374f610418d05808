import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHands } from '../runtime/create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { SecretStore } from '../secrets/secret-store.ts';
import { workspaceId } from '../state/state-folder.ts';
import { initRepository } from '../testing/git-repository.ts';
import { runScript, sourceUrl, type RunningScript } from '../testing/run-script.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { jobsFolder, readRecord, readRecords } from './job-record.ts';
import { WorkspaceJobs } from './workspace-jobs.ts';

const { signal } = new AbortController();
let base: string;
let workspace: string;
let state: string;
let script: RunningScript | undefined;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-detached-')));
  [workspace, state] = [join(base, 'workspace'), join(base, 'state')];
  mkdirSync(workspace);
});
afterEach(async () => {
  for (const { id, status } of new WorkspaceJobs(state, workspace).list())
    if (status !== 'ended') await new WorkspaceJobs(state, workspace).request(id, 'stop', signal);
  script?.process.kill('SIGKILL');
  await script?.output;
  script = undefined;
});

/** Waits until something is so, which the test's own time-out bounds. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await delay(20);
}

const running = (text: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/u.test(pid) && pid !== String(process.pid) && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
const oddSleep = (): string => `9${randomBytes(4).readUInt32BE()}`;

/** Starts a job in a Synapse process of its own; which ends when the file `leave` is there. */
async function startJob(command: string, sandbox: 'required' | 'none' = 'required'): Promise<string> {
  script = runScript(`
    import { existsSync } from 'node:fs';
    import { setTimeout as delay } from 'node:timers/promises';
    import { createHands } from ${sourceUrl('runtime/create-hands.ts')};
    {
      await using hands = await createHands({ workspace: ${JSON.stringify(workspace)}, stateFolder: ${JSON.stringify(state)},
        configFolder: ${JSON.stringify(join(base, 'config'))}, allow: ['exec'], sandbox: '${sandbox}' });
      const result = await hands.call('run_command', { command: ${JSON.stringify(command)}, background: true });
      if (!result.ok) console.log(result.error.message);
      while (!existsSync(${JSON.stringify(join(base, 'leave'))})) await delay(20);
    }
    console.log('left');
  `);
  const jobs = new WorkspaceJobs(state, workspace);
  await until(() => jobs.list().some(({ status }) => status === 'running') && [...jobs.output(jobs.list()[0]?.id ?? '')].join('').includes('up'));
  return jobs.list()[0]?.id ?? '';
}

async function leave(how: 'ends' | 'is killed'): Promise<void> {
  if (script === undefined) return;
  const over = once(script.process, 'close');
  if (how === 'ends') writeFileSync(join(base, 'leave'), '');
  else script.process.kill('SIGKILL');
  await over;
}

const output = (id: string): string => [...new WorkspaceJobs(state, workspace).output(id)].join('');

describe.skipIf((await findBubblewrap()) === undefined)('a detached job', () => {
  it.each(['ends', 'is killed'] as const)('outlives a Synapse process that %s, with its log, its input and its exit code', async (how) => {
    const id = await startJob('echo up; while read -r line; do echo "got $line"; done; echo end; exit 7');
    const jobs = new WorkspaceJobs(state, workspace);
    expect(await jobs.request(id, 'detach', signal)).toMatchObject({ detached: true, outlives: true });
    await jobs.input(id, { text: 'one', eof: false }, signal);
    await until(() => output(id).includes('got one'));
    await leave(how);
    // The next Synapse process finds it, and does not end it.
    await using hands = await createHands({ workspace, stateFolder: state, sandbox: 'required', allow: ['exec'] });
    expect(await hands.call('job', { action: 'list' })).toMatchObject({ ok: true });
    await until(() => jobs.list()[0]?.status === 'running');
    await jobs.input(id, { text: 'two', eof: true }, signal);
    await until(() => jobs.get(id).status === 'ended');
    expect(jobs.get(id)).toMatchObject({ exit_code: 7, ending: 'exit code 7', sandbox: 'bubblewrap', notes: [] });
    expect(output(id)).toBe('up\ngot one\ngot two\nend\n');
    // The keeper removes what it has read after the record says that the job ended.
    const left = (): string[] => readdirSync(jobsFolder(state, workspaceId(workspace))).filter((name) => /\.(?:exit|message|refused)$/u.test(name));
    await expect.poll(left).toEqual([]);
  });

  it('has no secret in its log, also after its Synapse process let it go', async () => {
    const value = 'ghp_Zq8e3RtYuIoP0aSdFgHjKlXcVbNm1234567';
    const place = { scheme: 'https', host: 'api.example.com', port: 443, as: { kind: 'bearer' } } as const;
    await new SecretStore(state).add({ name: 'TOKEN', also: [], texts: {}, places: [place], value, added: '2026-01-01' });
    // The command has only a part of it.
    const id = await startJob(`echo up; read -r line; echo "\${line}${value.slice(12)}"; read -r line; echo "\${line}${value.slice(12)}" >&2`);
    const jobs = new WorkspaceJobs(state, workspace);
    await jobs.request(id, 'detach', signal);
    await leave('is killed');
    const masked = `${'*'.repeat(value.length)}\n`;
    await jobs.input(id, { text: value.slice(0, 12), eof: false }, signal);
    await until(() => output(id) === `up\n${masked}`);
    await jobs.input(id, { text: value.slice(0, 12), eof: true }, signal);
    await until(() => jobs.get(id).status === 'ended');
    expect(output(id)).toBe(`up\n${masked}${masked}`);
  });

  it('logs no output where the secrets in it cannot be read', async () => {
    const id = await startJob('echo up; read -r line; echo "$line"; read -r line; echo "$line" > end');
    const jobs = new WorkspaceJobs(state, workspace);
    await jobs.request(id, 'detach', signal);
    writeFileSync(join(state, 'secrets.json'), 'damaged', { mode: 0o600 });
    await leave('is killed');
    await jobs.input(id, { text: 'one\ntwo', eof: true }, signal);
    await until(() => jobs.get(id).status === 'ended');
    expect(output(id)).toBe(
      `up\n[output left out: the secrets in it could not be read: ${join(state, 'secrets.json')} is damaged or cannot be read.]\n`,
    );
    // It runs all the same.
    expect(readFileSync(join(workspace, 'end'), 'utf8')).toBe('two\n');
  });

  it('is stopped by a person later, with all that it started', async () => {
    const [one, two] = [oddSleep(), oddSleep()];
    const id = await startJob(`setsid sleep ${one} & echo up; sleep ${two}`);
    const jobs = new WorkspaceJobs(state, workspace);
    await jobs.request(id, 'detach', signal);
    await leave('is killed');
    expect([running(`sleep\0${one}`), running(`sleep\0${two}`)]).toEqual([[expect.any(String)], [expect.any(String)]]);
    expect(await jobs.request(id, 'stop', signal)).toMatchObject({ status: 'ended', ending: 'stopped' });
    expect([running(`sleep\0${one}`), running(`sleep\0${two}`)]).toEqual([[], []]);
  });

  it('is still confined, and what it leaves is judged when it ends', async () => {
    initRepository(workspace);
    const secret = join(base, 'secret');
    writeFileSync(secret, 'key-of-the-house');
    // As a script: what a command names itself is asked about before it runs.
    const hook = "git init -q sub; echo 'touch /tmp/hooked' > sub/.git/hooks/pre-commit; chmod +x sub/.git/hooks/pre-commit";
    writeFileSync(join(workspace, 'script'), `echo up; read -r _; cat ${secret}; ${hook}; echo x > kept`);
    const id = await startJob('sh ./script');
    const jobs = new WorkspaceJobs(state, workspace);
    await jobs.request(id, 'detach', signal);
    await leave('is killed');
    await jobs.input(id, { text: 'go', eof: true }, signal);
    await until(() => jobs.get(id).status === 'ended');
    expect(output(id)).not.toContain('key-of-the-house');
    expect(existsSync(join(workspace, 'sub/.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(join(workspace, 'kept'))).toBe(true);
    expect(jobs.get(id).notes.join('\n')).toContain('sub/.git/hooks/pre-commit');
  });

  it.each(['ends', 'is killed', 'is killed with the keeper'] as const)('keeps its caches and build output after a process that %s', async (how) => {
    initRepository(workspace);
    writeFileSync(join(workspace, '.gitignore'), 'dist/\n');
    writeFileSync(
      join(workspace, 'script'),
      'mkdir -p ~/.cache/tool; echo cached > ~/.cache/tool/x; echo second > dist/b; echo up; read -r _ && echo more >> dist/b',
    );
    const options = { workspace, stateFolder: state, configFolder: join(base, 'config'), sandbox: 'required', allow: ['exec'] } as const;
    {
      await using hands = await createHands({ ...options, allow: [] });
      expect(await hands.call('run_command', { command: 'mkdir dist && echo first > dist/a' })).toMatchObject({ ok: true });
      expect(existsSync(join(workspace, 'dist/a'))).toBe(false);
    }
    const id = await startJob('sh ./script');
    const jobs = new WorkspaceJobs(state, workspace);
    await jobs.request(id, 'detach', signal);
    const owner = readRecord(jobsFolder(state, workspaceId(workspace)), id)?.owner ?? '';
    await leave(how === 'ends' ? 'ends' : 'is killed');
    if (how === 'is killed with the keeper') process.kill(Number(owner.split(' ')[0]), 'SIGKILL');
    else await jobs.input(id, { text: 'go', eof: true }, signal);
    await until(() => jobs.get(id).status === 'ended');
    await until(() => isRunning(owner) === false);
    await using hands = await createHands(options);
    const seen = await hands.call('run_command', { command: "sh -c 'cat ~/.cache/tool/x dist/a dist/b'" });
    expect(seen).toMatchObject({ data: { stdout: `cached\nfirst\nsecond\n${how === 'is killed with the keeper' ? '' : 'more\n'}` } });
    expect(jobs.get(id).notes).toEqual([]);
    // Nothing of them is left beside.
    expect(readdirSync(join(state, 'cache-layers'))).toEqual([]);
    expect(existsSync(join(workspace, 'dist/b'))).toBe(false);
  });

  it.each(['keeper', 'both'] as const)('belongs to somebody: with %s killed it is not orphaned', async (killed) => {
    const one = oddSleep();
    const id = await startJob(`echo up; sleep ${one}`);
    const jobs = new WorkspaceJobs(state, workspace);
    await jobs.request(id, 'detach', signal);
    const folder = jobsFolder(state, workspaceId(workspace));
    const owner = readRecord(folder, id)?.owner ?? '';
    expect(owner.split(' ')[0]).not.toBe(String(script?.process.pid));
    if (killed === 'both') await leave('is killed');
    process.kill(Number(owner.split(' ')[0]), 'SIGKILL');
    if (killed === 'keeper') {
      await until(() => readRecord(folder, id)?.outlives === false);
      expect(isRunning(readRecord(folder, id)?.owner ?? '')).toBe(true);
      expect(running(`sleep\0${one}`)).toHaveLength(1);
      await leave('is killed');
    }
    await until(() => running(`sleep\0${one}`).length === 0);
    await until(() => jobs.get(id).status === 'ended');
  });

  it('leaves no process behind that ended with its Synapse process', async () => {
    const id = await startJob('echo up; sleep 60');
    const jobs = new WorkspaceJobs(state, workspace);
    await jobs.request(id, 'detach', signal);
    const owner = readRecord(jobsFolder(state, workspaceId(workspace)), id)?.owner ?? '';
    await jobs.request(id, 'stop', signal);
    await until(() => isRunning(owner) === false);
    expect(readRecords(jobsFolder(state, workspaceId(workspace)))).toMatchObject([{ status: 'ended', ending: 'stopped', outlives: false }]);
  });

  it('that is not sandboxed ends with its Synapse process, and says so', async () => {
    const one = oddSleep();
    const id = await startJob(`echo up; sleep ${one}`, 'none');
    const jobs = new WorkspaceJobs(state, workspace);
    expect(await jobs.request(id, 'detach', signal)).toMatchObject({ detached: true, outlives: false });
    await leave('ends');
    await until(() => running(`sleep\0${one}`).length === 0);
  });
});
