import { CANONICAL_TOOLS, GRANTS, TOOL_FORMATS } from '@synapse/hands';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { COMMANDS } from './command-table.ts';
import { OPTIONS } from './option-table.ts';
import { allCommands } from './all-commands.ts';
import type { Output } from './output.ts';
import { runProgram } from './program.ts';

/** Collects what is written to it. */
function memory(): Output & { text(): string } {
  let text = '';
  return { isTerminal: false, columns: 100, write: (part) => void (text += part), show: () => {}, text: () => text };
}

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const out = memory();
  const err = memory();
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  const code = await runProgram(words, { out, err, stdin, signal: new AbortController().signal, version: '9.9.9' });
  return { code, out: out.text(), err: err.text() };
}

it.each([
  [['cal'], 'Did you mean call?'],
  [['call', 'read_file', '--jsn'], 'Did you mean --json?'],
  [['mcp', '--workspce', 'x'], 'Did you mean --workspace?'],
  [['mcp', 'instal'], "unknown command 'mcp instal'\n(Did you mean install?)"],
  [['projects', 'ad', '/somewhere'], 'Did you mean add?'],
  [['log', 'zzzzzz'], "unknown command 'log zzzzzz'\n(The commands below log are: verify.)"],
  [['help', 'doctr'], "unknown command 'doctr'\n(Did you mean doctor?)"],
  [['call'], "missing required argument 'tool'"],
  [['tools', 'extra'], 'too many arguments'],
  [['mcp', '--allow'], 'argument missing'],
  [['mcp', '--max-output', 'lots'], 'It takes a number of bytes'],
  [['--nonsense'], 'unknown option'],
  [[], 'Usage: synapse'],
])('%j is a usage error that helps', async (words, help) => {
  const { code, out, err } = await run(...words);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(help);
});

it.each([
  [['call', '--json'], "missing required argument 'tool'"],
  [['log', '--json', '--since', 'bogus'], 'It takes a time'],
  [['tols', '--json'], 'unknown command'],
  [['mcp', 'lst', '--json'], "unknown command 'mcp lst'"],
])('%j is a usage error in JSON', async (words, message) => {
  const { code, out, err } = await run(...words);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'invalid_arguments', message: expect.stringContaining(message) } });
  expect(err).toContain(message);
});

it.each(['undo', 'mcp install', 'mcp approve'])('does not say of --yes of %s that it lets commands run', async (command) => {
  const { out } = await run(...command.split(' '), '--help');
  expect(out).toContain('--yes');
  expect(out).not.toContain('running commands, for this run');
});

it('prints the version', async () => {
  expect(await run('--version')).toEqual({ code: 0, out: '9.9.9\n', err: '' });
});

it.each(allCommands())('%j has help with examples', async (words, command) => {
  const { code, out } = await run(...words, '--help');
  expect(code).toBe(0);
  for (const [commandLine] of command.examples) expect(out).toContain(commandLine);
  for (const name of command.options) expect(out).toContain(OPTIONS[name].flags);
  for (const wording of Object.values(command.wording ?? {})) expect(out.replaceAll(/\s+/gu, ' ')).toContain(wording);
  expect(command.examples.length).toBeGreaterThan(0);
});

it('lists every command in its help', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  for (const { name, summary } of COMMANDS) expect(out).toMatch(new RegExp(`^  ${name} .*${RegExp.escape(summary)}`, 'mu'));
});

it('tells every grant in the help of --allow', () => {
  expect(OPTIONS.allow.description).toContain(GRANTS.join(', '));
});

it('tells every format in the help of --format', () => {
  expect(OPTIONS.format.description).toContain(TOOL_FORMATS.join(', '));
});

it.each(TOOL_FORMATS)('prints the tools as %s', async (format) => {
  const { code, out, err } = await run('tools', '--format', format);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  for (const { name } of CANONICAL_TOOLS) expect(out).toContain(name);
  if (format !== 'markdown') expect(JSON.parse(out)).toBeTypeOf('object');
});

it('answers an unknown format with the list', async () => {
  await expect(run('tools', '--format', 'antropic')).rejects.toMatchObject({
    code: 'invalid_arguments',
    hint: `Did you mean anthropic? The formats are: ${TOOL_FORMATS.join(', ')}.`,
  });
});
