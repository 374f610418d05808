import { CAPABILITIES } from '@synapse/hands/policy';
import { ERROR_CODES } from '@synapse/protocol';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { longFlag, optionForm } from './command/option.ts';
import { WITH_REMOTE } from './command/parse-words.ts';
import { allow, json, workspace, yes } from './command/shared-options.ts';
import { COMMANDS } from './commands/list.ts';
import type { Output } from './output/output.ts';
import { runProgram } from './program.ts';
import { asksForJson, reportThrown } from './output/report-error.ts';

/** Collects what is written to it. */
function memory(): Output & { text(): string } {
  let text = '';
  return { isTerminal: false, columns: 100, write: (part) => void (text += part), show: () => {}, text: () => text };
}

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const out = memory();
  const err = memory();
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  let code: number;
  try {
    code = await runProgram(COMMANDS, words, { out, err, stdin, signal: new AbortController().signal, version: '9.9.9' });
  } catch (error) {
    code = reportThrown({ out, err, json: asksForJson(words) }, error);
  }
  return { code, out: out.text(), err: err.text() };
}

it.each([
  [['cal'], 'Unknown command: cal', 'Did you mean call'],
  [['call', 'read_file', '--jsn'], 'Unknown option: --jsn', 'Did you mean --json?'],
  [['mcp', '--workspce', 'x'], 'Unknown option: --workspce', 'Did you mean --workspace?'],
  [['mcp', 'instal'], 'Unknown command: mcp instal', 'Did you mean mcp install?'],
  [['mcp', 'instal', '--help'], 'Unknown command: mcp instal', 'Did you mean mcp install?'],
  [['projects', 'ad', '/somewhere'], 'Unknown command: projects ad', 'Did you mean projects add?'],
  [['log', 'zzzzzz'], 'Unknown command: log zzzzzz', 'The commands are: log verify.'],
  [['help', 'doctr'], 'Unknown command: doctr', 'Did you mean doctor?'],
  [['call'], 'Missing argument: <tool>', '--help'],
  [['tools', 'extra'], 'Too many arguments: extra', 'It takes none.'],
  [['undo', 'a', 'b'], 'Too many arguments: b', 'It takes [call].'],
  [['mcp', '--allow'], '--allow needs a value: <list>', '--allow=<list>'],
  [['mcp', '--max-output', 'lots'], 'Invalid value for --max-output: lots', 'a number of characters'],
  [['log', '-n0'], 'Invalid value for -n: 0', 'a number, such as 20'],
  [['log', '--json=yes'], '--json takes no value: yes', 'Write --json alone.'],
  [['jobs', 'list', '--remote', 'ws://h#s'], 'This command has no --remote.', 'Run it on that machine. From here, these work: synapse call,'],
  [['log', '-fz'], 'Unknown option: -z', '--help'],
  [['--nonsense'], 'Unknown option: --nonsense', 'Options follow the command'],
  [[], 'Usage: synapse <command>', '--help'],
])('%j is a usage error that helps', async (words, message, help) => {
  const { code, out, err } = await run(...words);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(message);
  expect(err).toContain(help);
});

it('the commands that work on another machine are those that have --remote', async () => {
  const loaded = await Promise.all(COMMANDS.map(async ({ name, load }) => ({ name, options: (await load()).command.options })));
  const remote = loaded.flatMap(({ name, options }) => (Object.hasOwn(options, 'remote') ? [name] : []));
  expect(remote.toSorted()).toEqual([...WITH_REMOTE].toSorted());
});

it.each([
  [['call', '--json'], 'Missing argument: <tool>'],
  [['log', '--json', '--since', 'bogus'], 'Invalid value for --since: bogus'],
  [['tols', '--json'], 'Unknown command: tols'],
  [['mcp', 'lst', '--json'], 'Unknown command: mcp lst'],
])('%j is a usage error in JSON', async (words, message) => {
  const { code, out, err } = await run(...words);
  expect(code).toBe(2);
  expect(JSON.parse(out)).toMatchObject({ ok: false, error: { code: 'invalid_arguments', message: expect.stringContaining(message) } });
  expect(err).toContain(message);
});

it.each([['--version'], ['-V']])('prints the version for %s', async (word) => {
  expect(await run(word)).toEqual({ code: 0, out: '9.9.9\n', err: '' });
});

describe.each(COMMANDS)('$name', ({ name, summary, load }) => {
  it('has help that fits a terminal, and full help with all options and examples', async () => {
    const { command } = await load();
    const short = await run(...name.split(' '), '--help');
    const full = await run('help', ...name.split(' '));
    expect(short.code + full.code).toBe(0);
    expect(short.out.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
    for (const line of short.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    for (const [key, option] of Object.entries(command.options)) {
      expect(short.out).toContain(longFlag(key));
      expect(full.out).toContain(optionForm(key, option));
    }
    for (const [commandLine] of command.examples) expect(full.out).toContain(commandLine);
    expect(command.examples.length).toBeGreaterThan(0);
    expect(short.out).toContain('Examples:');
    // One example at least is in view.
    expect(short.out).toContain(command.examples[0]?.[0]);
    expect(short.out.replaceAll(/\s+/gu, ' ')).toContain(summary.slice(1));
  });

  it('takes the words that are the same everywhere as everywhere', async () => {
    const { command } = await load();
    for (const [key, shared] of Object.entries({ workspace, json, yes, allow })) {
      const option = command.options[key];
      if (option !== undefined) expect({ ...option, description: '', rare: false }).toEqual({ ...shared, description: '', rare: false });
    }
    const shorts = Object.values(command.options).flatMap(({ short }) => (short === undefined ? [] : [short]));
    expect(new Set(shorts).size).toBe(shorts.length);
    // Parsing looks for help before anything else.
    expect(shorts).not.toContain('h');
  });
});

it('lists every command in its help, in one screen, the most used first', async () => {
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(24);
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  const names = COMMANDS.map(({ name }) => name).filter((name) => !name.includes(' '));
  // The rare ones follow "Also:", on as many lines as they take.
  for (const name of names) expect(out).toMatch(new RegExp(`^  (?:Also: .*|(?:[a-z]+, )+)?${name}\\b`, 'mu'));
  expect(names.slice(0, 3)).toEqual(['resurrect', 'mcp', 'run']);
});

it.each(COMMANDS.filter(({ lists }) => lists))('$name also takes the word list, as other programs do', async ({ name }) => {
  const [short, long] = [await run(name, '--help'), await run(name, 'list', '--help')];
  expect(long).toEqual(short);
  expect(long.code).toBe(0);
});

it('suggests the word list for a word that is nearly it', async () => {
  expect((await run('quarantine', 'lst')).err).toContain('quarantine list');
});

it('every command with a parent is below one that is listed', () => {
  const names = new Set(COMMANDS.map(({ name }) => name));
  expect(names.size).toBe(COMMANDS.length);
  for (const name of names) expect(names.has(name.split(' ')[0] ?? '')).toBe(true);
});

it('every exit code that help names is one that errors have', async () => {
  const { out } = await run('help', 'call');
  const codes = new Set<number>(Object.values(ERROR_CODES).map(({ exitCode }) => exitCode));
  for (const code of [1, 2, 3, 4, 5, 70, 124]) {
    expect(codes.has(code)).toBe(true);
    expect(out).toMatch(new RegExp(`\\b${code}\\b`, 'u'));
  }
});

it('names every grant in the help of --allow', () => {
  expect(allow.description).toContain(CAPABILITIES.join(', '));
});
