import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { jobNumber, jobOfNumber } from './job-steps.ts';

/** A server that says its port, and answers with it; the port is free, as the system chooses it. */
const SERVER = `node -e 'const s = require("http").createServer((_, answer) => answer.end("served")).listen(0, "127.0.0.1", () => console.log("port " + s.address().port))'`;
const ask = (port: string): string => `node -e 'fetch("http://127.0.0.1:${port}").then((a) => a.text()).then(console.log)'`;

const tongue = (at: TemporaryHands, dialect: string) => {
  const hands = at.hands.dialect(dialect);
  return async (tool: string, input: object): Promise<string> => {
    const { output, isError } = await hands.call(tool, input);
    return isError ? `error: ${output}` : output;
  };
};
const found = (pattern: RegExp, said: string): string => pattern.exec(said)?.[1] ?? expect.fail(said);

it('a job and its number stand for each other', () => {
  for (const id of ['job-00000000', 'job-0000001f', 'job-ffffffff']) expect(jobOfNumber(jobNumber(id))).toBe(id);
});

describe.skipIf((await findBubblewrap()) === undefined)('commands that go on in the background', () => {
  it('claude-code: a server is started, reached, read and ended', async () => {
    await using at = await temporaryHands({}, { sandbox: 'required' });
    const call = tongue(at, 'claude-code');
    const id = found(/^Command running in background with ID: (job-\w+)\./u, await call('Bash', { command: SERVER, run_in_background: true }));
    await at.hands.call('job', { action: 'wait', id, pattern: 'port' });
    const first = await call('TaskOutput', { task_id: id, block: true, timeout: 1_000 });
    expect(first).toContain(`<task_id>${id}</task_id>\n\n<task_type>local_bash</task_type>\n\n<status>running</status>`);
    const all = await at.hands.call('job', { action: 'output', id, cursor: 0 });
    expect(await call('Bash', { command: ask(found(/port (\d+)/u, all.ok ? all.output : '')) })).toBe('served\n');
    expect(await call('TaskOutput', { task_id: id, block: false })).toMatch(/^<retrieval_status>not_ready</u);
    expect(JSON.parse(await call('TaskStop', { task_id: id }))).toMatchObject({ task_id: id, message: expect.stringContaining(id) as string });
    expect(await call('TaskOutput', { task_id: id })).toContain('<status>killed</status>');
    expect(await call('TaskOutput', {})).toMatch(/^error: Error: task_id: missing/u);
    expect(await call('TaskStop', { task_id: 'job-00000000' })).toMatch(/^error: Error: Job not found/u);
  });

  it('claude-code: older names, and how a command ended', async () => {
    await using at = await temporaryHands({}, { sandbox: 'required' });
    const call = tongue(at, 'claude-code');
    const id = found(/ID: (job-\w+)/u, await call('Bash', { command: 'read x; echo one; echo two; exit 3', run_in_background: true }));
    await at.hands.call('job', { action: 'input', id, text: 'go\n' });
    expect(await call('TaskOutput', { task_id: id })).toMatch(/<retrieval_status>success<.*<status>failed<.*<exit_code>3</su);
    const other = found(/ID: (job-\w+)/u, await call('Bash', { command: 'echo one; echo two; read x', run_in_background: true }));
    expect(await call('BashOutput', { bash_id: other, filter: '^t' })).not.toContain('one');
    expect(await call('KillShell', { shell_id: other })).toContain('Successfully stopped');
  });

  it('codex: a command yields, and a terminal is written to', async () => {
    await using at = await temporaryHands({}, { sandbox: 'required' });
    const call = tongue(at, 'codex');
    const wait = 'echo first; until ls | grep -q go; do sleep 0.02; done; echo last';
    let said = await call('exec_command', { cmd: wait, tty: true, yield_time_ms: 250 });
    const session = Number(found(/Process running with session ID (\d+)\nOutput:\n/u, said));
    /** What was said until a word came: on a busy machine, a program may begin after its first yield. */
    const until = async (word: string, id: number): Promise<void> => {
      const more = async (): Promise<string> => {
        if (!said.includes(word)) said += await call('write_stdin', { session_id: id, yield_time_ms: 250 });
        return said;
      };
      await expect.poll(more).toContain(word);
    };
    await until('first', session);
    await at.hands.call('write_file', { path: 'go', content: '' });
    expect(await call('write_stdin', { session_id: session, yield_time_ms: 20_000 })).toMatch(/Process exited with code 0\nOutput:\n.*last/su);
    const cat = Number(found(/session ID (\d+)/u, await call('exec_command', { cmd: 'cat', tty: true, yield_time_ms: 250 })));
    said = await call('write_stdin', { session_id: cat, chars: 'typed\n', yield_time_ms: 250 });
    await until('typed', cat);
    expect(await call('write_stdin', { session_id: cat, chars: '\u0003' })).toMatch(/Process exited with code/u);
    const slow = await call('exec_command', { cmd: 'sleep 1; echo x > made; echo done', yield_time_ms: 250 });
    const later = Number(found(/session ID (\d+)/u, slow));
    expect(await call('write_stdin', { session_id: later })).toMatch(/Process exited with code 0\nOutput:\ndone/u);
    // It stays a transaction, applied when it ends.
    expect(await at.hands.call('read_file', { path: 'made' })).toMatchObject({ ok: true });
  });

  it('gemini-cli: what runs is listed and read', async () => {
    await using at = await temporaryHands({}, { sandbox: 'required' });
    const call = tongue(at, 'gemini-cli');
    expect(await call('list_background_processes', {})).toBe('No background processes found.');
    const pid = Number(found(/PID: (\d+)/u, await call('run_shell_command', { command: 'echo up; read x', is_background: true })));
    expect(await call('list_background_processes', {})).toContain(`- [PID ${pid}] RUNNING: \`echo up; read x\``);
    await expect.poll(() => call('read_background_output', { pid, lines: 1 })).toBe('up\n');
  });

  it('nothing goes on where the model could not come back for it', async () => {
    await using at = await temporaryHands({}, { sandbox: 'required' });
    const once = await at.hands.dialect('claude-code').call('Bash', { command: 'sleep 60', run_in_background: true }, { foreground: true });
    expect(once).toMatchObject({ isError: true, output: expect.stringContaining('nothing was started') as string });
    // A tongue without tools for jobs waits for each command.
    const opencode = await at.hands.dialect('opencode').call('bash', { command: 'echo waited' });
    expect(opencode).toMatchObject({ isError: false, output: 'waited\n' });
  });
});
