import { spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CANONICAL_TOOLS } from '@synapse/hands/tools';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CLI, makePlace, outcome, runCli, startCli, type Place } from './run-cli.ts';

/** Takes over a terminal's title, clears it, and reorders what is read. */
const HOSTILE = 'a\u001b]0;owned\u0007\u001b[2Jb\u202ec';

let place: Place;

beforeAll(async () => {
  place = await makePlace({ 'a.txt': 'no line end', 'hostile.txt': HOSTILE, 'big.txt': 'x'.repeat(2_000_000) });
});

describe('synapse call', () => {
  it('prints the body exactly on stdout, and the note on stderr', async () => {
    const { code, out, err } = await runCli(place, ['call', 'read_file', '{"path":"a.txt"}']);
    expect({ code, out }).toEqual({ code: 0, out: 'no line end' });
    expect(err).toMatch(/^\[.*\]\n$/u);
  });

  it.each([
    ['list_directory', '{}'],
    ['find_files', '{"glob":"a*"}'],
    ['write_file', '{"path":"new.txt","content":"x"}', '--yes'],
  ])('ends the last line of %s in a pipe', async (...words) => {
    const { code, out } = await runCli(place, ['call', ...words]);
    expect(code).toBe(0);
    expect(out).toMatch(/[^\n]\n$/u);
  });

  it('passes bytes through a pipe as they are', async () => {
    expect((await runCli(place, ['call', 'read_file', '{"path":"hostile.txt"}'])).out).toBe(HOSTILE);
  });

  it('reads the input from stdin', async () => {
    expect((await runCli(place, ['call', 'read_file', '-'], '{"path":"a.txt"}')).out).toBe('no line end');
  });

  it.each<[string[], string]>([
    [['read_file', 'path=a.txt'], 'no line end'],
    [['read_file', 'path=a.txt', 'limit=1', 'offset=-1'], 'no line end'],
    [['read_file', 'path:="a.txt"'], 'no line end'],
    [['find_files', 'glob=a.*'], 'a.txt\n'],
    [['Read', 'file_path=a.txt', 'limit=1', '--dialect', 'claude-code'], '1\tno line end'],
  ])('takes fields: %j', async (words, text) => {
    expect(await runCli(place, ['call', ...words])).toMatchObject({ code: 0, out: expect.stringContaining(text) as string });
  });

  it('takes the text of a file as a field', async () => {
    const draft = join(place.folder, 'draft.txt');
    await writeFile(draft, 'as it is\r\n');
    expect(await runCli(place, ['call', 'write_file', 'path=copy.txt', `content=@${draft}`, '--yes'])).toMatchObject({ code: 0 });
    expect(await readFile(join(place.folder, 'copy.txt'), 'utf8')).toBe('as it is\r\n');
  });

  it('prints the whole result as one JSON object', async () => {
    const { code, out, err } = await runCli(place, ['call', 'read_file', '{"path":"a.txt"}', '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({ ok: true, meta: { tool: 'read_file', completion: 'ok' } });
  });

  it.each<[string, string[], number, string]>([
    ['a missing file', ['call', 'read_file', '{"path":"none"}'], 5, 'Error: '],
    ['a path outside', ['call', 'read_file', '{"path":"../../etc/passwd"}'], 3, 'Error: '],
    ['an unknown tool', ['call', 'read_fiel', '{}'], 2, 'Did you mean read_file'],
    ['a missing field', ['call', 'read_file'], 2, 'path is missing'],
    ['no JSON', ['call', 'read_file', '{path:1}'], 2, 'line 1, column 2'],
    ['a list', ['call', 'read_file', '[]'], 2, 'Error: '],
    ['a misspelled field', ['call', 'read_file', 'paht=a.txt'], 2, 'did you mean path or paths?'],
    ['a field that is no number', ['call', 'read_file', 'path=a.txt', 'limit=few'], 2, 'limit: '],
    ['fields and JSON', ['call', 'read_file', 'path=a.txt', '{"limit":1}'], 2, 'Both key=value and a JSON object were given.'],
    ['a word between fields', ['call', 'read_file', 'path=a.txt', 'limit'], 2, 'Not a field: limit'],
    ['a change without a yes', ['call', 'write_file', '{"path":"n.txt","content":""}'], 4, '--yes'],
    ['a protected file with only a yes', ['call', 'write_file', '{"path":".mcp.json","content":"{}"}', '--yes'], 4, 'protected'],
    ['a command that reads a secret', ['call', 'run_command', '{"command":"npm test && cat .env"}'], 4, 'reads .env: it usually holds secrets'],
    ['a command nobody understands', ['call', 'run_command', '{"command":"eval \\"$X\\"","live":true}'], 4, 'or --yes (CLI)'],
    ['a hook that a command writes', ['call', 'run_command', '{"command":"touch .git/hooks/x"}'], 4, '--allow write,protected'],
    ['an unknown grant', ['call', 'read_file', '{"path":"a.txt"}', '--allow', 'wirte'], 2, 'Did you mean write?'],
    ['a workspace that is not there', ['call', 'read_file', '{"path":"a.txt"}', '-w', 'none'], 5, 'does not exist'],
    ['a workspace that is a file', ['call', 'read_file', '{"path":"a.txt"}', '-w', 'a.txt'], 1, 'is not a folder.'],
    ['a report on a file', ['resurrect', 'a.txt'], 1, 'Name the folder it is in: /'],
    ['a server of a file', ['mcp', '--workspace', 'a.txt'], 1, 'Name the folder it is in: /'],
    ['a home folder', ['call', 'read_file', '{"path":"a.txt"}', '-w', process.env['HOME'] ?? '/'], 3, 'cannot be a workspace'],
  ])('refuses %s, and says so on stderr only', async (_, words, code, help) => {
    const result = await runCli(place, words);
    expect(result).toMatchObject({ code, out: '' });
    expect(result.err).toContain(help);
    expect(result.err).not.toMatch(/^\s+at /mu);
    expect(existsSync(join(place.folder, 'n.txt'))).toBe(false);
  });

  it('changes files with a yes, or what was allowed', async () => {
    const write = (content: string, ...grant: string[]) =>
      runCli(place, ['call', 'write_file', JSON.stringify({ path: 'new.txt', content }), ...grant]);
    expect(await write('one', '--yes')).toMatchObject({ code: 0 });
    expect(await write('two', '--allow', 'write')).toMatchObject({ code: 0 });
    expect(await readFile(join(place.folder, 'new.txt'), 'utf8')).toBe('two');
  });

  it.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('ends on %s with %i', async (signal, code) => {
    const child = startCli(place, ['call', 'read_file', '-']);
    const result = outcome(child);
    await waitForMain(child.pid ?? 0);
    child.kill(signal);
    expect(await result).toMatchObject({ code, out: '' });
  });

  it('is quiet when nobody reads on', () => {
    const script = `"$0" "$1" call read_file '{"path":"big.txt"}' --max-output 4000000 2>&1 | head -c 10; echo " \${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, CLI], { cwd: place.folder, env: place.environment });
    expect(stdout.toString()).toBe('xxxxxxxxxx 0\n');
    expect(stderr.toString()).toBe('');
  });

  it.runIf(existsSync('/dev/full'))('says so when the results cannot be written', () => {
    const script = `"$0" "$1" call read_file '{"path":"big.txt"}' > /dev/full`;
    const { status, stderr } = spawnSync('bash', ['-c', script, process.execPath, CLI], { cwd: place.folder, env: place.environment });
    expect(status).toBe(74);
    expect(stderr.toString()).toContain('could not be written');
  });
});

describe.runIf(CANONICAL_TOOLS.some(({ name }) => name === 'run_command'))('a command that', () => {
  const run = (command: string, timeout_ms = 60_000): string[] => ['call', 'run_command', JSON.stringify({ command, timeout_ms }), '--yes'];

  it.each<[string, string[], number]>([
    ['succeeds exits with 0', run('echo out'), 0],
    ['fails exits with 1', run('echo out; exit 3'), 1],
    ['takes too long exits with 124', run('echo out; sleep 60', 500), 124],
  ])('%s, and its output is on stdout', async (_, words, code) => {
    const result = await runCli(place, words);
    expect(result).toMatchObject({ code });
    expect(result.out).toContain('out\n');
  });

  it('streams shows its output while it runs, and what it printed stays when it is interrupted', async () => {
    const marker = `601.${randomInt(1_000_000, 9_999_999)}`;
    const running = (): boolean => spawnSync('pgrep', ['-x', '-f', `sleep ${marker}`]).status === 0;
    const child = startCli(place, ['call', 'run_command', `command=echo first; touch left.txt; sleep ${marker}; echo last`, '--yes']);
    const result = outcome(child);
    const [seen] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    expect(seen.toString()).toBe('first\n');
    await vi.waitFor(() => expect(running()).toBe(true), { timeout: 60_000 });
    child.kill('SIGINT');
    expect(await result).toMatchObject({ code: 130, out: 'first\n', err: expect.stringContaining('Error: ') as string });
    expect(running()).toBe(false);
  });

  it('prints for a reader that ends is ended as well', () => {
    const script = `"$0" "$1" call run_command command=yes timeout_ms=60000 --yes | head -c 4; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync('bash', ['-c', script, process.execPath, CLI], { cwd: place.folder, env: place.environment });
    expect(stdout.toString()).toBe('y\ny\n141\n');
    expect(stderr.toString()).toContain('the call was ended as well');
  });

  it('prints much is shown as a whole, and with --max-output as far as it allows', async () => {
    const command = 'command=seq 1 9000; echo problem >&2; exit 3';
    const whole = await runCli(place, ['call', 'run_command', command, '--yes']);
    expect(whole).toMatchObject({ code: 1, err: expect.stringContaining('exit code 3') as string });
    expect(new Set(whole.out.trimEnd().split('\n')).size).toBe(9_001);
    const cut = await runCli(place, ['call', 'run_command', command, '--yes', '--max-output', '1000']);
    expect(cut.code).toBe(1);
    expect(cut.out.length).toBeLessThan(2_000);
    const json = await runCli(place, ['call', 'run_command', command, '--yes', '--json']);
    expect(JSON.parse(json.out)).toMatchObject({ ok: true, data: { exit_code: 3 } });
  });

  it('is interrupted ends with all it started', async () => {
    // Known by what it is called with: it runs in a sandbox, on a copy, where it has another process id.
    const marker = `601.${randomInt(1_000_000, 9_999_999)}`;
    const running = (): boolean => spawnSync('pgrep', ['-x', '-f', `sleep ${marker}`]).status === 0;
    const child = startCli(place, run(`sleep ${marker} & wait`));
    const result = outcome(child);
    await vi.waitFor(() => expect(running()).toBe(true), { timeout: 60_000 });
    child.kill('SIGINT');
    expect(await result).toMatchObject({ code: 130 });
    expect(running()).toBe(false);
  });
});

/** Waits until a process has installed its signal handlers: the last is that of SIGHUP, bit 0 of SigCgt. */
async function waitForMain(pid: number): Promise<void> {
  for (;;) {
    const caught = /SigCgt:\s+([0-9a-f]+)/u.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
    if ((BigInt(`0x${caught}`) & 1n) !== 0n) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.runIf(spawnSync('script', ['--version']).status === 0)('on a terminal', () => {
  const onTerminal = (commandLine: string, environment: NodeJS.ProcessEnv = {}): string =>
    spawnSync('script', ['-qec', commandLine, '/dev/null'], {
      cwd: place.folder,
      env: { ...place.environment, TERM: 'xterm', CLI, NODE: process.execPath, ...environment },
      input: '',
    }).stdout.toString();

  it('shows the escape sequences of a file, and does not act on them', () => {
    const shown = onTerminal(`"$NODE" "$CLI" call read_file '{"path":"hostile.txt"}'`);
    expect(shown).toContain('a␛]0;owned␇␛[2Jb<U+202E>c\r\n');
    expect(shown).not.toContain('\u001b]0;');
  });

  it('has colors, and none with NO_COLOR', () => {
    const commandLine = `"$NODE" "$CLI" call read_file '{"path":"none"}'`;
    expect(onTerminal(commandLine)).toContain('\u001b[31mError: ');
    expect(onTerminal(commandLine, { NO_COLOR: '1' })).not.toContain('\u001b[3');
  });
});

it('tells all that goes wrong to a developer who asks', async () => {
  const debugged = { ...place, environment: { ...place.environment, SYNAPSE_DEBUG: '1' } };
  expect((await runCli(debugged, ['call', 'read_file', '{'])).err).toMatch(/^\s+at /mu);
});

it('lists the tools for people and for programs', async () => {
  const table = await runCli(place, ['tools']);
  const json = await runCli(place, ['tools', '--json']);
  const { tools } = JSON.parse(json.out) as { tools: { name: string; inputSchema: object }[] };
  expect(table.out.trimEnd().split('\n')).toHaveLength(tools.length);
  for (const { name, inputSchema } of tools) {
    expect(table.out).toMatch(new RegExp(`^${name} +(read|write|exec|net) +\\S`, 'mu'));
    expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
  }
});

it('checks the machine', async () => {
  const { code, out } = await runCli(place, ['doctor', '--json']);
  const { ok, checks } = JSON.parse(out) as { ok: boolean; checks: { name: string; ok: boolean; detail: string }[] };
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  const sandbox =
    spawnSync('bwrap', ['--version']).status === 0 ? ['sandbox', 'landlock', 'view', 'dry runs', 'limits', 'launcher'] : ['sandbox', 'landlock'];
  expect(checks.map(({ name }) => name)).toEqual([
    'node',
    'state folder',
    'confinement',
    'git',
    'ripgrep',
    ...sandbox,
    'branches',
    'watches',
    'terminal',
  ]);
  expect(checks.every(({ detail }) => detail.length > 0)).toBe(true);
});

it('fails the check of a machine where nothing can be kept', async () => {
  const environment = { ...place.environment, XDG_STATE_HOME: join(place.folder, 'a.txt') };
  const { code, out } = await runCli({ ...place, environment }, ['doctor']);
  expect(code).toBe(1);
  expect(out).toMatch(/^FAIL +state folder .* is not writable$/mu);
  expect(out).toContain('XDG_STATE_HOME');
});

it('fails the check of a machine where others may change what is kept', async () => {
  const state = join(place.environment.XDG_STATE_HOME ?? '', 'open');
  await mkdir(join(state, 'synapse'), { recursive: true });
  await chmod(join(state, 'synapse'), 0o775);
  const { code, out } = await runCli({ ...place, environment: { ...place.environment, XDG_STATE_HOME: state } }, ['doctor']);
  expect(code).toBe(1);
  expect(out).toMatch(/^FAIL +state folder +others may write in .*\n +chmod 700 /mu);
});

describe('the command on an old Node', () => {
  /** A copy of the command whose Node says that it is old, and that may have a pinned one. */
  async function oldNode(pinned: boolean): Promise<string[]> {
    const root = await mkdtemp(join(tmpdir(), 'synapse-old-'));
    const bin = join(root, 'packages', 'cli', 'bin');
    await mkdir(bin, { recursive: true });
    await copyFile(CLI, join(bin, 'synapse.js'));
    await cp(join(dirname(CLI), '..', 'package.json'), join(bin, '..', 'package.json'));
    const pretend = join(root, 'pretend.cjs');
    await writeFile(pretend, `Object.defineProperty(process.versions, 'node', { value: '20.1.0' });`);
    if (pinned) {
      const runtime = join(root, 'node_modules', '.bin', 'node');
      await mkdir(dirname(runtime), { recursive: true });
      await writeFile(runtime, `#!/bin/sh\nexec '${process.execPath}' "$@"\n`);
      await chmod(runtime, 0o755);
    }
    return ['--require', pretend, join(bin, 'synapse.js'), '--version'];
  }

  it('starts again with the pinned one', async () => {
    const { code, out } = await outcome(spawn(process.execPath, await oldNode(true), { stdio: 'pipe' }));
    expect({ code, out }).toEqual({ code: 0, out: '0.1.0\n' });
  });

  it('says what is needed where there is none', async () => {
    const child = spawn(process.execPath, await oldNode(false), { stdio: 'pipe' });
    const { code, out, err } = await outcome(child);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain('needs Node 22.13');
  });
});

it('ends on a signal, also where nobody reads what it says', async () => {
  const child = startCli(place, ['call', 'read_file', '{"path":"big.txt"}', '--max-output', '4000000']);
  child.stdin?.end();
  // Something was said, so that the rest waits for a reader.
  await once(child.stdout ?? child, 'readable');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([143, null]);
});

it('ends the MCP server with its input, and on a signal', async () => {
  const left = startCli(place, ['mcp']);
  left.stdin?.end();
  expect(await outcome(left)).toEqual({ code: 0, out: '', err: '' });
  const asked = startCli(place, ['mcp']);
  await waitForMain(asked.pid ?? 0);
  asked.kill('SIGTERM');
  expect(await once(asked, 'exit')).toEqual([143, null]);
});

it('says at the start of a server that commands are not sandboxed', async () => {
  expect((await runCli(place, ['mcp', '--sandbox', 'none', '--allow', 'exec'])).err).toContain('Commands are not sandboxed: --sandbox none.');
  expect((await runCli(place, ['mcp'])).err).not.toContain('not sandboxed');
});

it.runIf(spawnSync('bwrap', ['--version']).status === 0)('keeps what a command changed until a person decides', async () => {
  const held = await makePlace({ 'a.txt': 'one\n' });
  const pending = async (): Promise<{ handle: string }[]> =>
    (JSON.parse((await runCli(held, ['changes', 'pending', '--json'])).out) as { pending: { handle: string }[] }).pending;
  const change = async (text: string): Promise<string> => {
    const { code, err } = await runCli(held, ['call', 'run_command', JSON.stringify({ command: `echo ${text} >> a.txt` })]);
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('synapse changes apply') as string });
    return (await pending())[0]?.handle ?? 'none';
  };
  const content = (): Promise<string> => readFile(join(held.folder, 'a.txt'), 'utf8');
  const dropped = await change('two');
  expect(await content()).toBe('one\n');
  // As the results of commands say.
  expect(await runCli(held, ['changes', 'pending', dropped])).toMatchObject({ code: 0, out: expect.stringContaining('+two\n') as string });
  expect(await runCli(held, ['changes', 'pending', dropped.slice(0, 4)])).toMatchObject({ code: 0, err: expect.stringContaining(dropped) as string });
  expect(await runCli(held, ['changes', 'pending', 'c-none'])).toMatchObject({ code: 5, out: '' });
  expect((await runCli(held, ['changes', 'apply', dropped])).code).toBe(4);
  expect((await runCli(held, ['changes', 'drop', dropped, '--yes'])).code).toBe(0);
  expect(await pending()).toEqual([]);
  const applied = await change('three');
  expect(applied).not.toBe(dropped);
  expect((await runCli(held, ['changes', 'apply', applied, '--yes'])).code).toBe(0);
  expect(await content()).toBe('one\nthree\n');
  expect(await pending()).toEqual([]);
  // No success for a script: the change goes on waiting.
  const late = await change('four');
  await writeFile(join(held.folder, 'a.txt'), 'person\n');
  expect(await runCli(held, ['changes', 'apply', late, '--yes'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('Not applied: a.txt') as string,
  });
  expect([await content(), (await pending()).length]).toEqual(['person\n', 1]);
});
