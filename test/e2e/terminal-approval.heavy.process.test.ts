import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makePlace, runCli, type Place } from './run-cli.ts';
import { onTerminal, ROWS, talk } from './talk.ts';

/** Where there is none, what needs it is not offered; in CI another test tells of that. */
const hasSandbox = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'].some((path) => existsSync(path));

const write = (path: string): string[] => ['write_file', JSON.stringify({ path, content: 'hello\n' })];
/** It runs on a copy, and what it changed is asked about. */
const command = (text: string): string[] => ['run_command', JSON.stringify({ command: text })];
/** It works on the workspace itself, so it is asked about before it runs. */
const live = (text: string): string[] => ['run_command', JSON.stringify({ command: text, live: true })];
const list = async (place: Place): Promise<{ rules: string[] }[]> =>
  (JSON.parse((await runCli(place, ['policy', 'list', '--json'])).out) as { grants: { rules: string[] }[] }).grants;

describe('the question at a terminal', () => {
  it('shows what will happen, and a yes lets it happen, once', async () => {
    const place = await makePlace();
    const { code, screen } = await talk(place, write('a.txt'), [['> ', 'y\r']]);
    expect(code).toBe(0);
    for (const part of ['write_file', 'path: a.txt', '+ hello', 'writes a.txt', 'write(/a.txt)', 'still asks: another.txt', '> y'])
      expect(screen).toContain(part);
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('hello\n');
    expect(await list(place)).toEqual([]);
  });

  it('keeps a rule where the answer is always, until it is revoked', async () => {
    const place = await makePlace();
    expect(await talk(place, write('a.txt'), [['> ', 'a\r']])).toMatchObject({ code: 0 });
    expect(await list(place)).toMatchObject([{ scope: 'project', rules: ['write(/a.txt)'] }]);
    await rm(join(place.folder, 'a.txt'));
    expect((await runCli(place, ['call', ...write('a.txt')])).code).toBe(0);
    expect((await runCli(place, ['policy', 'revoke', 'write(/a.txt)'])).code).toBe(0);
    expect((await runCli(place, ['call', ...write('a.txt')])).code).toBe(4);
  });

  it.skipIf(!hasSandbox)('covers an undo of a commit, with every step that it shows', async () => {
    const place = await makePlace({ 'a.txt': 'one\n' });
    const git = (...words: string[]): string => execFileSync('git', words, { cwd: place.folder, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A');
    git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first');
    const before = git('rev-parse', 'HEAD');
    const commit = 'echo two > a.txt && git -c user.name=A -c user.email=a@example.com commit -qam second';
    expect(await runCli(place, ['call', ...command(commit), '--allow', 'write,exec,protected'])).toMatchObject({ code: 0 });
    expect(git('rev-parse', 'HEAD')).not.toBe(before);
    const { code, screen } = await talk(place, [], [['[y/N]', 'y\r']], 'undo');
    expect({ code, screen }).toMatchObject({ code: 0, screen: expect.stringContaining('1 change undone') as string });
    expect(git('rev-parse', 'HEAD')).toBe(before);
    expect(git('status', '--short')).toBe('');
  });

  it.each<[string, string, string[]]>([
    ['call', 'no line end', ['read_file', 'path=a.txt']],
    ['resurrect', 'Next steps', []],
    ['changes', 'No call changed a file', []],
    ['policy', 'Mode ask', []],
  ])('asks whether to work in a folder that is not tracked: %s', async (command, after, words) => {
    const place = await makePlace({ 'a.txt': 'no line end' });
    expect(await runCli(place, ['projects', 'remove'])).toMatchObject({ code: 0 });
    const refused = await onTerminal(place, [command, ...words], [['Work in it? [y/N]', 'n\r']]);
    expect(refused).toMatchObject({ code: 3, screen: expect.stringContaining('Project not tracked') as string });
    expect((await runCli(place, [command, ...words])).code).toBe(3);
    const agreed = await onTerminal(place, [command, ...words], [['Work in it? [y/N]', 'y\r']]);
    expect(agreed.screen).toContain('is a tracked project now');
    expect(agreed).toMatchObject({ code: 0, screen: expect.stringContaining(after) as string });
    // Asked once.
    expect((await runCli(place, [command, ...words])).code).toBe(0);
  });

  it('tells the model why not', async () => {
    const place = await makePlace();
    const { code, screen } = await talk(
      place,
      [...live('rm -rf build'), '--json'],
      [
        ['> ', 'n\r'],
        ['Why?', 'use make clean\r'],
      ],
    );
    expect(code).toBe(3);
    expect(screen).toContain('They said: use make clean');
  });

  it('ends with 130 at Ctrl+C, and nothing is done', async () => {
    const place = await makePlace();
    const { code } = await talk(place, write('a.txt'), [['> ', '\u0003']]);
    expect(code).toBe(130);
    await expect(readFile(join(place.folder, 'a.txt'))).rejects.toThrow('ENOENT');
  });

  it('takes the end of the input for no answer', async () => {
    expect(await talk(await makePlace(), write('a.txt'), [['> ', '\u0004']])).toMatchObject({ code: 4 });
  });

  it('decides nothing by an empty line, nor by an answer that is none', async () => {
    const place = await makePlace();
    const { code, screen } = await talk(place, write('a.txt'), [
      ['> ', '\r'],
      ['letters above', 'yeah\r'],
      ['letters above', 's9\r'],
      ['letters above', 'n\r'],
      ['Why?', '\r'],
    ]);
    expect(code).toBe(3);
    expect(screen).toContain('They said: no');
  });

  it('shows what 5,000 spaces would push away', async () => {
    const { lines, screen } = await talk(await makePlace(), live(`echo hello${' '.repeat(5_000)}; rm -rf build`), [['> ', '\u0003']]);
    expect(screen).toContain('echo hello⟨5,000 spaces⟩; rm -rf build');
    expect(screen).toContain('runs rm -rf build');
    expect(lines.length).toBeLessThanOrEqual(ROWS + 2);
  });

  it('shows what cannot be seen, and acts on none of it', async () => {
    const { screen } = await talk(await makePlace(), live('echo \u001b[2J\u202eevil\u200b\u2066 \u0430pt'), [['> ', '\u0003']]);
    expect(screen).toContain('echo <U+001B>[2J<U+202E>evil<U+200B><U+2066>');
    expect(screen).toContain('а U+0430');
    for (const hidden of ['\u001b[2J', '\u202e', '\u200b']) expect(screen).not.toContain(hidden);
  });

  it('keeps on the screen, and allows nothing that was not shown to its end', async () => {
    const place = await makePlace();
    const text = `${Array.from({ length: 60 }, (_, index) => `echo line ${index}`).join('\n')}\ntrue`;
    const { code, lines, screen } = await talk(place, live(text), [
      ['> ', 'y\r'],
      ['Look at the rest first', 'v\r'],
      ...Array.from({ length: 8 }, () => ['Enter continues', '\r'] as const),
      ['> ', 'n\r'],
      ['Why?', '\r'],
    ]);
    expect(code).toBe(3);
    const first = lines.findIndex((line) => line.startsWith('> y'));
    const heading = lines.findIndex((line) => line.startsWith('-- Allow this?'));
    expect(first - heading).toBeLessThan(ROWS);
    expect(screen).toMatch(/⟨\d+ lines are not shown: v⟩/u);
    for (const line of [0, 30, 59]) expect(screen).toContain(`echo line ${line}\n`);
  });

  it.skipIf(!hasSandbox)('tries a command on a copy, and a yes changes exactly what was shown', async () => {
    const place = await makePlace({ 'a.txt': 'one\n' });
    const { code, screen } = await talk(place, live('echo said; echo two >> a.txt; cat /proc/sys/kernel/random/uuid > id; exit 3'), [
      ['> ', 't\r'],
      ['change exactly this', 'y\r'],
    ]);
    expect(code).toBe(1);
    for (const part of ['t  try it first', 'It ran without network and failed', 'change a.txt', '+two', 'create id']) expect(screen).toContain(part);
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    // The very one that was shown: the command did not run again.
    expect(screen).toContain(`+${(await readFile(join(place.folder, 'id'), 'utf8')).trim()}`);
    expect((await runCli(place, ['undo', '--yes'])).code).toBe(0);
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it.skipIf(!hasSandbox)('tries a command, and goes back to the question', async () => {
    const place = await makePlace({ 'a.txt': 'one\n' });
    const { code, screen } = await talk(place, live('rm a.txt'), [
      ['> ', 't\r'],
      ['change exactly this', 'b\r'],
      ['try it first', 'n\r'],
      ['Why?', '\r'],
    ]);
    expect(code).toBe(3);
    expect(screen).toContain('delete a.txt');
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it.skipIf(!hasSandbox)('asks about what a command changed: a yes applies exactly that, a no drops it', async () => {
    const place = await makePlace({ 'a.txt': 'one\n' });
    const text = 'echo said; date +%s%N >> a.txt';
    const dropped = await talk(place, command('rm a.txt; echo said'), [
      ['> ', 'n\r'],
      ['Why?', 'keep it\r'],
    ]);
    // The command ran, and the model reads what it said.
    expect(dropped.code).toBe(0);
    for (const part of ['delete a.txt', 'said', 'The workspace is unchanged', 'keep it']) expect(dropped.screen).toContain(part);
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');
    const applied = await talk(place, command(text), [['> ', 'y\r']]);
    expect(applied, applied.screen).toMatchObject({ code: 0 });
    expect(applied.screen).toContain('change a.txt');
    // The very line that was shown: the command did not run again.
    const [, line = 'none'] = (await readFile(join(place.folder, 'a.txt'), 'utf8')).split('\n');
    expect(applied.screen).toContain(`+${line}`);
    expect((await runCli(place, ['undo', '--yes'])).code).toBe(0);
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it.skipIf(!hasSandbox)('asks nothing about a command that changed nothing', async () => {
    const { code, screen } = await talk(await makePlace(), command('sh -c "echo said"'), []);
    expect(code).toBe(0);
    expect(screen).not.toContain('Apply this?');
    expect(screen).not.toContain('Allow this?');
  });

  it.skipIf(!hasSandbox)('changes nothing that was not shown to its end, and acts on nothing that it wrote', async () => {
    const place = await makePlace({});
    const { screen } = await talk(place, command('seq 1 100 > long; printf "\\033[2Jx\\n"; printf "\\033[31m\\n" > c'), [
      ['> ', 'y\r'],
      ['Look at the rest first', 'n\r'],
      ['Why?', '\r'],
    ]);
    expect(screen).toMatch(/⟨\d+ lines are not shown: v⟩/u);
    for (const sequence of ['\u001b[2J', '\u001b[31m']) expect(screen).not.toContain(sequence);
    await expect(readFile(join(place.folder, 'long'))).rejects.toThrow('ENOENT');
  });

  it('asks nobody where there is no terminal', async () => {
    expect(await runCli(await makePlace(), ['call', ...write('a.txt'), '--workspace', '.'])).toMatchObject({ code: 4 });
  });
});
