import { symlink, utimes, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import type { ToolData, ToolInput } from '../runtime/typed-call.ts';
import { callUntyped } from '../testing/call-untyped.ts';

type Input = ToolInput<'find_files'>;

async function find(place: TemporaryHands, input: Input): Promise<{ output: string; data: ToolData<'find_files'> }> {
  const result = await place.hands.call('find_files', input);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result;
}

async function paths(place: TemporaryHands, input: Input): Promise<string[]> {
  return (await find(place, input)).data.files.map(({ path }) => path).toSorted();
}

describe('find_files', () => {
  it('gives the newest first, with what is known of them', async () => {
    await using place = await temporaryHands({ 'a.ts': '1', 'b/b.ts': '22', 'c.ts': '333', 'd.js': '' });
    for (const [index, path] of ['b/b.ts', 'a.ts', 'c.ts'].entries()) await utimes(place.at(path), 2_000 - index, 2_000 - index);
    const { output, data } = await find(place, { glob: '*.ts' });
    expect(output).toBe('[3 files.]\nb/b.ts\na.ts\nc.ts');
    expect(data).toEqual({
      files: [
        { path: 'b/b.ts', size: 2, modified: 2_000_000 },
        { path: 'a.ts', size: 1, modified: 1_999_000 },
        { path: 'c.ts', size: 3, modified: 1_998_000 },
      ],
      total: 3,
      timed_out: false,
      changed: 0,
    });
    const cut = await find(place, { glob: '*.ts', limit: 2 });
    expect(cut.output).toMatch(/^\[2 of 3 files\. Only the newest[^\n]*\]\nb\/b\.ts\na\.ts$/u);
    expect(cut.data).toMatchObject({ total: 3, truncated: 'limit' });
  });

  it('takes a glob with the workspace before it, as it takes such a path', async () => {
    await using place = await temporaryHands({ 'a/b.ts': '', 'a/c/d.ts': '' });
    expect(await paths(place, { glob: place.at('a/**/*.ts') })).toEqual(['a/b.ts', 'a/c/d.ts']);
    expect(await paths(place, { glob: place.at('a/c/*'), path: 'a' })).toEqual(['a/c/d.ts']);
    const text = await place.hands.call('search_text', { pattern: '^', glob: place.at('none/*') });
    expect(text.ok).toBe(true);
    const missing = await callUntyped(place.hands, 'find_files', { patern: '*' });
    expect(missing).toMatchObject({ error: { message: expect.stringContaining('glob is missing; unknown field patern') as string } });
  });

  it('leaves out a folder alone where its glob ends with a slash', async () => {
    await using place = await temporaryHands({ 'a.ts': 'needle', 'b/c.ts': 'needle', 'b/dist/d.ts': 'needle', 'e/dist': 'needle' });
    expect(await paths(place, { glob: ['*', '!dist/'] })).toEqual(['a.ts', 'b/c.ts', 'e/dist']);
    const found = await place.hands.call('search_text', { pattern: 'needle', glob: '!dist/', files_only: true });
    expect(found).toMatchObject({ data: { files: ['a.ts', 'b/c.ts', 'e/dist'] } });
  });

  it('takes a character for a question mark, not a byte', async () => {
    await using place = await temporaryHands({ 'a.ts': '', 'é.ts': '', '😀.ts': '', 'ab.ts': '' });
    expect(await paths(place, { glob: '?.ts' })).toEqual(['a.ts', 'é.ts', '😀.ts']);
    expect(await paths(place, { glob: ['*', '!?.ts'] })).toEqual(['ab.ts']);
  });

  it('leaves out what is ignored or hidden, and takes it where asked', async () => {
    await using place = await temporaryHands({
      '.gitignore': '*.log\nbuild/\n',
      'a.txt': '',
      'a.log': '',
      'build/b.txt': '',
      '.hidden/c.txt': '',
      '.env': '',
      '.git/config': '',
      'x/.GIT/config': '',
    });
    expect(await paths(place, { glob: '**' })).toEqual(['a.txt']);
    expect(await paths(place, { glob: '**/*' })).toEqual(['a.txt']);
    expect(await paths(place, { glob: '*.log' })).toEqual([]);
    expect(await paths(place, { glob: '.env' })).toEqual([]);
    expect(await paths(place, { glob: '*', ignore: false })).toEqual(['a.log', 'a.txt', 'build/b.txt']);
    expect(await paths(place, { glob: '*', hidden: true })).toEqual(['.env', '.gitignore', '.hidden/c.txt', 'a.txt']);
    expect(await paths(place, { glob: '.hidden/*.txt' })).toEqual(['.hidden/c.txt']);
    expect((await find(place, { glob: 'absent' })).output).toBe(
      '[No files match; hidden and ignored files were not considered. No file has exactly this name; try *absent*. Upper and lower case count.]',
    );
  });

  it('goes by globs relative to the path', async () => {
    await using place = await temporaryHands({ 'src/a.ts': '', 'src/b/c.ts': '', 'src/b/d.tsx': '', 'a.ts': '', 'src/a.test.ts': '' });
    expect(await paths(place, { glob: 'b/*.{ts,tsx}', path: 'src' })).toEqual(['src/b/c.ts', 'src/b/d.tsx']);
    expect(await paths(place, { glob: '/*.ts' })).toEqual(['a.ts']);
    expect(await paths(place, { glob: ['**/*.ts', '!*.test.ts', '!b'] })).toEqual(['a.ts', 'src/a.ts']);
    expect(await paths(place, { glob: 'a.ts', path: 'a.ts' })).toEqual(['a.ts']);
    expect(await paths(place, { glob: '--files' })).toEqual([]);
    expect(await paths(place, { glob: '!*' })).toEqual([]);
  });

  it.each<[string, string]>([
    ['../**', 'outside_workspace'],
    ['{a,b}'.repeat(18), 'invalid_arguments'],
    [`${'{'.repeat(200)}a${'}'.repeat(200)}`, 'invalid_arguments'],
  ])('refuses %.30s', async (glob, code) => {
    await using place = await temporaryHands({ 'a.txt': '' });
    expect(await place.hands.call('find_files', { glob })).toMatchObject({ ok: false, error: { code } });
  });

  it('gives hostile names so that they can be read again, and no links', async () => {
    await using place = await temporaryHands({ 'a\nb.txt': 'x', '-0': 'x', 'e\u001b[2J': 'x' });
    await writeFile(Buffer.from(place.at('bad-\xff.txt'), 'latin1'), 'x');
    await symlink('/etc', place.at('link'));
    await symlink('/etc/passwd', place.at('link.txt'));
    const { data } = await find(place, { glob: '*' });
    const found = data.files.map(({ path }) => path);
    expect(found.toSorted()).toEqual(['-0', String.raw`a\x0ab.txt`, String.raw`bad-\xff.txt`, String.raw`e\x1b[2J`]);
    for (const path of found) expect(await place.hands.call('read_file', { path })).toMatchObject({ ok: true, data: { content: 'x' } });
    expect(await paths(place, { glob: '*.txt' })).toEqual([String.raw`a\x0ab.txt`, String.raw`bad-\xff.txt`]);
  });
});
