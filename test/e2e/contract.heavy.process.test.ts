import { existsSync } from 'node:fs';
import { mkdtemp, writeFile, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../../packages/hands/src/sandbox/find-bubblewrap.ts';
import { DOORS, openBranch, openBranchHands, openMcpRemote, type Answer, type Door } from '../security/doors.ts';
import { runCli, runCliProcess } from './run-cli.ts';

/** A call, and what it comes to whichever way it is made. */
interface Row {
  readonly tool: string;
  readonly input: unknown;
  readonly ok: boolean;
  readonly says: string | RegExp;
}

const ROWS: readonly Row[] = [
  { tool: 'read_file', input: { path: 'a.txt' }, ok: true, says: 'hello' },
  { tool: 'read_file', input: { path: 'none.txt' }, ok: false, says: 'none.txt' },
  { tool: 'read_file', input: { path: '../x' }, ok: false, says: 'leaves the workspace' },
  { tool: 'read_file', input: { path: 1 }, ok: false, says: 'path' },
  { tool: 'write_file', input: { path: 'b.txt', content: 'one\n' }, ok: true, says: 'b.txt' },
  {
    tool: 'edit_file',
    input: { path: 'b.txt', edits: [{ old_text: 'one', new_text: 'two' }] },
    ok: true,
    says: /line 1 changed|"path":\s*"b\.txt"/u,
  },
  { tool: 'write_file', input: { path: '.vscode/tasks.json', content: '{}' }, ok: false, says: /protected|approv/u },
  { tool: 'run_command', input: { command: 'cat b.txt' }, ok: true, says: 'two' },
  { tool: 'run_command', input: { command: 'echo made > c.txt' }, ok: true, says: /exit code 0|exit_code/u },
  { tool: 'run_program', input: { code: 'return (await hands.read_file({ path: "b.txt" })).content.toUpperCase()' }, ok: true, says: 'TWO' },
  { tool: 'run_program', input: { code: 'await hands.write_file({ path: "d.txt", content: "d" })' }, ok: true, says: 'd.txt' },
  { tool: 'run_program', input: { code: '' }, ok: false, says: 'code' },
  { tool: 'diagnostics', input: { path: 'a.txt' }, ok: true, says: 'a.txt' },
  { tool: 'code', input: { action: 'outline', path: 'a.txt' }, ok: false, says: 'No grammar is known' },
  { tool: 'search_text', input: { pattern: 'hel+o' }, ok: true, says: 'a.txt' },
  { tool: 'git_status', input: {}, ok: false, says: /git repository/u },
  { tool: 'nope', input: {}, ok: false, says: 'nope' },
];

/** A job is started with one call, and waited for with another: for ways in behind which a process stays. */
async function jobThrough(call: Door['call']): Promise<Answer> {
  const started = await call('run_command', { command: 'read line; echo "got $line"', background: true });
  const id = /job-[0-9a-f]{8}/u.exec(started.text)?.[0] ?? started.text;
  await call('job', { action: 'input', id, text: 'word', eof: true });
  await call('job', { action: 'wait', id, timeout_ms: 10_000 });
  return await call('job', { action: 'output', id, tail: 5 });
}

const works = (await findBubblewrap()) !== undefined;
const doors = { ...DOORS, 'mcp-remote': openMcpRemote, ...(works ? { branch: openBranch, 'hands of a branch': openBranchHands } : {}) };

it.each(Object.entries(doors))('the contract holds through %s', { timeout: 120_000 }, async (_, open) => {
  const base = await mkdtemp(join(tmpdir(), 'synapse-contract-'));
  const [root, state] = [join(base, 'workspace'), join(base, 'state')];
  await Promise.all([mkdir(root), mkdir(state)]);
  await writeFile(join(root, 'a.txt'), 'hello\n');
  const door = await open({ root, state });
  onTestFinished(() => door[Symbol.asyncDispose]());
  for (const { tool, input, ok, says } of ROWS) {
    const answer = await door.call(tool, input);
    expect({ tool, input, ok: answer.ok, text: answer.text }).toEqual({ tool, input, ok, text: expect.stringMatching(says) as string });
  }
  if (door.lasting) expect((await jobThrough((tool, input) => door.call(tool, input))).text).toContain('got word');
  // What was done is shown and taken back by the person at the machine, whichever way it came.
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const place = { folder: root, environment: { PATH, HOME, NODE_COMPILE_CACHE, XDG_STATE_HOME: state } };
  const [run, where] = door.branch === undefined ? [runCli, []] : [runCliProcess, ['--branch', door.branch]];
  const changes = await run(place, ['changes', '--workspace', root, ...where]);
  expect(changes.out).toMatch(/b\.txt[^]*c\.txt|c\.txt[^]*b\.txt/u);
  if (door.branch !== undefined) expect(existsSync(join(root, 'b.txt'))).toBe(false);
  const undone = await run(place, ['undo', '--last', '4', '--yes', '--workspace', root, ...where]);
  const left = await door.call('find_files', { pattern: '{b,c,d}.txt' });
  expect({ code: undone.code, left: /[bcd]\.txt/u.exec(left.text.replaceAll('{b,c,d}.txt', ''))?.[0] }).toEqual({ code: 0, left: undefined });
  expect(['b.txt', 'c.txt', 'd.txt'].filter((name) => existsSync(join(root, name)))).toEqual([]);
});
