import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import type { ToolData, ToolInput } from '../runtime/typed-call.ts';
import { callUntyped } from '../testing/call-untyped.ts';

async function search(place: TemporaryHands, input: ToolInput<'search_text'>): Promise<{ output: string; data: ToolData<'search_text'> }> {
  const result = await place.hands.call('search_text', input);
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result;
}

/** What was found, as `path:line`. */
async function found(place: TemporaryHands, input: ToolInput<'search_text'>): Promise<string[]> {
  return (await search(place, input)).data.matches.map(({ path, line }) => `${path}:${line}`);
}

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

describe('search_text', () => {
  it('says, if it found nothing, which files it could not find text beyond ASCII in, as they are in an old encoding', async () => {
    await using place = await temporaryHands({
      'utf8.txt': 'Größe in UTF-8, 日本語, 😀, é\n',
      'utf16.txt': utf16('Größe\n'),
      'latin1.txt': Buffer.from('a\r\nGr\xf6\xdfe\r\n', 'latin1'),
      'end.txt': Buffer.from('caf\xe9', 'latin1'),
      'sjis.txt': Buffer.from([0x93, 0xfa, 0x96, 0x7b, 0x0a]),
      'ascii.txt': 'plain\n',
      'binary.bin': Buffer.from([0, 0xff, 0xfe, 0x80]),
    });
    const { output, data } = await search(place, { pattern: 'Größen' });
    expect(data.files).toEqual([]);
    expect(output).toContain('3 files not in UTF-8 or UTF-16, where text beyond ASCII is not found: end.txt, latin1.txt, sjis.txt.');
    const some = await search(place, { pattern: 'größe', case: 'insensitive' });
    expect([some.data.files, some.output]).toEqual([['utf16.txt', 'utf8.txt'], expect.not.stringContaining('not in UTF-8')]);
    expect((await search(place, { pattern: 'Gr.{1,2}e' })).output).not.toContain('not in UTF-8');
    expect((await search(place, { pattern: 'ö', glob: '*.bin' })).output).not.toContain('not in UTF-8');
    expect((await search(place, { pattern: 'ö', glob: 'utf*' })).output).not.toContain('not in UTF-8');
    expect((await search(place, { pattern: 'ö', path: 'latin1.txt' })).output).toContain('1 file not in UTF-8 or UTF-16, ');
  });

  it('shows matches by file and line', async () => {
    await using place = await temporaryHands({ 'b.ts': 'let a = 1\nlet foo = 2\n', 'a/a.ts': 'foo\nbar\nfoo()' });
    const { output, data } = await search(place, { pattern: 'foo', context: 0 });
    expect(output).toBe('[3 matches in 2 files.]\na/a.ts\n1: foo\n3: foo()\n\nb.ts\n2: let foo = 2');
    expect(data).toEqual({
      matches: [
        { path: 'a/a.ts', line: 1, column: 1, text: 'foo' },
        { path: 'a/a.ts', line: 3, column: 1, text: 'foo()' },
        { path: 'b.ts', line: 2, column: 5, text: 'let foo = 2' },
      ],
      files: ['a/a.ts', 'b.ts'],
      timed_out: false,
      changed: 0,
    });
  });

  it.each<[string, ToolInput<'search_text'>, string[]]>([
    ['a regular expression', { pattern: String.raw`\bfo+\(` }, ['a.txt:2']],
    ['text as it is', { pattern: 'foo(', literal: true }, ['a.txt:2']],
    ['an end of line, whatever it is', { pattern: '[zq]$' }, ['a.txt:4', 'a.txt:5']],
    ['sensitive to case by default', { pattern: 'alpha' }, []],
    ['insensitive to case', { pattern: 'alpha', case: 'insensitive' }, ['a.txt:1']],
    ['smart about case', { pattern: 'alpha', case: 'smart' }, ['a.txt:1']],
    ['smart about case with a capital', { pattern: 'aLpha', case: 'smart' }, []],
    ['a kind of letters, smart about case', { pattern: String.raw`^\p{Lu}`, case: 'smart' }, ['a.txt:1']],
    ['verbose mode', { pattern: '(?x) f o+' }, ['a.txt:2', 'a.txt:3']],
    ['an option as a pattern', { pattern: '--pre=sh' }, ['a.txt:6']],
    ['an empty match', { pattern: '^$' }, ['a.txt:7']],
    ['a pattern that hangs backtracking engines', { pattern: '(a+)+$' }, ['a.txt:1', 'a.txt:8']],
  ])('finds %s', async (_name, input, expected) => {
    await using place = await temporaryHands({ 'a.txt': `Alpha\nfoo(\nfoo\nend z\r\nend q\n--pre=sh\n\n${'a'.repeat(5_000)}!a` });
    expect(await found(place, input)).toEqual(expected);
  });

  it.each<[string, object, RegExp]>([
    ['an open group', { pattern: 'a(' }, /unclosed group/u],
    ['groups that close before they open', { pattern: 'a)(b' }, /not opened/u],
    ['a line break', { pattern: 'a\nb' }, /line by line/u],
    ['an escaped line break', { pattern: String.raw`a\nb` }, /line by line/u],
    ['an expression that is too large', { pattern: '(?:a{1000}){1000}' }, /too large/u],
    ['look-around', { pattern: '(?<=x)y' }, /look-around/u],
    ['a glob without its end', { pattern: 'a', glob: '{a' }, /without its \}/u],
  ])('explains %s', async (_name, input, message) => {
    await using place = await temporaryHands({ 'a.txt': 'a' });
    const result = await callUntyped(place.hands, 'search_text', input);
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments', message: expect.stringMatching(message) } });
    if (!result.ok) expect(`${result.error.message}${result.error.hint}`).not.toMatch(/\(\?R|--|synapse-test/u);
  });

  it('withholds files that the policy asks about', async () => {
    await using place = await temporaryHands({ '.env': 'KEY=1', 'a.txt': 'KEY=2', 'keys/server.pem': 'KEY=3' });
    const result = await place.hands.call('search_text', { pattern: 'KEY', hidden: true });
    expect(result).toMatchObject({ ok: true, data: { files: ['a.txt'] } });
    expect(await place.hands.call('search_text', { pattern: 'KEY', path: '.env' })).toMatchObject({
      ok: false,
      error: { code: 'approval_required' },
    });
  });

  it('does not tell whether a withheld file matches', async () => {
    await using place = await temporaryHands({ '.env': 'KEY=zebra\n', 'sub/server.pem': 'KEY=zebra\n', 'a.txt': 'other\n' });
    for (const path of ['.', 'sub']) {
      const [right, wrong] = await Promise.all(
        ['KEY=z', 'KEY=x'].map((pattern) => place.hands.call('search_text', { pattern, path, hidden: true, ignore: false })),
      );
      expect(right).toMatchObject({ ok: true, data: { matches: [], files: [] } });
      expect(right?.ok === true && right.output).toBe(wrong?.ok === true && wrong.output);
    }
    // The control: they match for a caller with read access.
    await using open = await temporaryHands({ '.env': 'KEY=zebra\n' }, { policy: { allow: ['search_text(.env)', 'read(.env)'] } });
    expect(await open.hands.call('search_text', { pattern: 'KEY=z', path: '.env' })).toMatchObject({ ok: true, data: { files: ['.env'] } });
  });

  it('asks about a withheld file also where a link leads to it', async () => {
    await using place = await temporaryHands({ '.env': 'KEY=zebra\n' });
    await symlink('.env', place.at('plain'));
    for (const pattern of ['KEY=z', 'KEY=x']) {
      expect(await place.hands.call('search_text', { pattern, path: 'plain' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
    }
  });

  it('leaves out what is ignored, hidden or binary, and takes it where asked', async () => {
    await using place = await temporaryHands({
      '.gitignore': '*.log\nbuild/\n',
      'a.txt': 'foo',
      'a.log': 'foo',
      'build/b.txt': 'foo',
      '.hidden': 'foo',
      '.git/config': 'foo',
      'binary.dat': 'foo\0foo',
      'sub/.gitignore': 'c.txt',
      'sub/c.txt': 'foo',
    });
    const input = { pattern: '^foo' };
    expect(await found(place, input)).toEqual(['a.txt:1']);
    expect(await found(place, { ...input, hidden: true })).toEqual(['.hidden:1', 'a.txt:1']);
    expect(await found(place, { ...input, ignore: false })).toEqual(['a.log:1', 'a.txt:1', 'build/b.txt:1', 'sub/c.txt:1']);
    // A glob chooses among them and brings nothing back.
    expect(await found(place, { ...input, glob: '*.{log,txt}' })).toEqual(['a.txt:1']);
    expect(await found(place, { ...input, glob: ['*'] })).toEqual(['a.txt:1']);
    // What is named is searched.
    expect(await found(place, { ...input, path: 'a.log' })).toEqual(['a.log:1']);
    expect(await found(place, { ...input, path: 'binary.dat' })).toEqual(['binary.dat:1']);
    expect(await found(place, { ...input, glob: 'build/*.txt' })).toEqual(['build/b.txt:1']);
    expect((await search(place, { pattern: 'absent' })).output).toBe('[No matches; hidden, ignored and withheld files were not searched.]');
  });

  it('goes by globs relative to the path', async () => {
    await using place = await temporaryHands({
      'src/a.ts': 'foo',
      'src/a.js': 'foo',
      'src/sub/b.ts': 'foo',
      'lib/src/c.ts': 'foo',
      'src/a.test.ts': 'foo',
    });
    const input = { pattern: 'foo' };
    expect(await found(place, { ...input, glob: 'src/**/*.ts' })).toEqual(['src/a.test.ts:1', 'src/a.ts:1', 'src/sub/b.ts:1']);
    expect(await found(place, { ...input, glob: ['*.ts', '!*.test.ts', '!lib'] })).toEqual(['src/a.ts:1', 'src/sub/b.ts:1']);
    expect(await found(place, { ...input, glob: 'sub/*', path: 'src' })).toEqual(['src/sub/b.ts:1']);
    expect(await found(place, { ...input, glob: 'absent/*.ts' })).toEqual([]);
    expect(await found(place, { ...input, glob: '--pre=/bin/sh' })).toEqual([]);
  });

  it('gives lines around a match, each once', async () => {
    const lines = Array.from({ length: 12 }, (_, index) => ([2, 4, 11].includes(index) ? 'foo' : `line ${index + 1}`));
    await using place = await temporaryHands({ 'a.txt': `${lines.join('\n')}\n` });
    const { output, data } = await search(place, { pattern: 'foo', context: 1 });
    expect(output).toBe('[3 matches in 1 file.]\na.txt\n2- line 2\n3: foo\n4- line 4\n5: foo\n6- line 6\n--\n11- line 11\n12: foo');
    expect(data.matches[0]).toMatchObject({ before: [{ line: 2, text: 'line 2' }], after: [{ line: 4, text: 'line 4' }] });
    expect(data.matches[2]).toMatchObject({ after: [] });
  });

  it('gives no lines around a match by itself, and does not repeat the file that was named', async () => {
    const lines = (hits: number): string =>
      Array.from({ length: 40 }, (_, index) => (index % 10 === 5 && index / 10 < hits ? 'foo' : `line ${index + 1}`)).join('\n');
    await using place = await temporaryHands({ 'few.txt': lines(1), 'many.txt': lines(4) });
    expect((await search(place, { pattern: 'foo', path: 'few.txt' })).output).toBe('6: foo');
    expect((await search(place, { pattern: 'foo', path: 'few.txt', context: 1 })).output).toBe('5- line 5\n6: foo\n7- line 7');
    expect((await search(place, { pattern: 'foo', path: 'many.txt' })).output).toBe('[4 matches.]\n6: foo\n16: foo\n26: foo\n36: foo');
    expect((await search(place, { pattern: 'foo', path: 'many.txt', limit: 1 })).output).toMatch(/^\[More match: [^\]]+\]\n6: foo$/u);
    // The path of a file that was found in a folder, or under another name than the given one, is shown.
    expect((await search(place, { pattern: 'foo', glob: 'few.txt' })).output).toBe('[1 match in 1 file.]\nfew.txt\n6: foo');
    expect((await search(place, { pattern: 'foo', path: './few.txt' })).output).toBe('[1 match in 1 file.]\nfew.txt\n6: foo');
    expect((await search(place, { pattern: 'foo', counts: true })).output).toBe('[5 matches in 2 files.]\nfew.txt:1\nmany.txt:4');
  });

  it('gives files only', async () => {
    await using place = await temporaryHands({ 'a.txt': 'foo\nfoo', 'b.txt': 'foo' });
    const { output, data } = await search(place, { pattern: 'foo', files_only: true, context: 2 });
    expect(output).toBe('[2 files.]\na.txt\nb.txt');
    expect(data).toMatchObject({ matches: [], files: ['a.txt', 'b.txt'] });
  });

  it('stops at the limit, in all or per file, and says so', async () => {
    const many = Array.from({ length: 5_000 }, (_, index) => `foo ${index}`).join('\n');
    await using place = await temporaryHands({ 'a.txt': many, 'b.txt': many });
    const { data, output } = await search(place, { pattern: 'foo', limit: 7 });
    expect(data).toMatchObject({ truncated: 'limit', timed_out: false });
    expect(data.matches).toHaveLength(7);
    expect(output).toContain('More match');
    expect(await found(place, { pattern: 'foo', per_file: 2 })).toEqual(['a.txt:1', 'a.txt:2', 'b.txt:1', 'b.txt:2']);
    expect((await search(place, { pattern: 'foo 4999', limit: 2 })).data).not.toHaveProperty('truncated');
  });

  it('reads every encoding that it finds text in', async () => {
    await using place = await temporaryHands({
      'mark.txt': '\ufefffoo one\nfoo two\n',
      'utf16.txt': utf16('eins\r\nzwei foo\r\n'),
      'utf16be.txt': utf16('héllo foo\n').swap16(),
      'latin.txt': Buffer.from('caf\xe9 foo\n', 'latin1'),
      'cr.txt': 'foo\rfoo\rfoo\n',
    });
    const { data } = await search(place, { pattern: 'foo', context: 1 });
    expect(data.changed).toBe(0);
    expect(data.matches.map(({ path, line, column, text }) => [path, line, column, text])).toEqual([
      ['cr.txt', 1, 1, 'foo\rfoo\rfoo'],
      ['latin.txt', 1, 6, 'caf\ufffd foo'],
      ['mark.txt', 1, 1, 'foo one'],
      ['mark.txt', 2, 1, 'foo two'],
      ['utf16.txt', 2, 6, 'zwei foo'],
      ['utf16be.txt', 1, 8, 'héllo foo'],
    ]);
    expect(data.matches[4]?.before).toEqual([{ line: 1, text: 'eins' }]);
    expect(await found(place, { pattern: '^foo one', path: 'mark.txt' })).toEqual(['mark.txt:1']);
  });

  it('gives hostile names so that they can be read again', async () => {
    await using place = await temporaryHands({ 'a\n1: b.txt': 'foo', '-rf': 'foo', 'x\u202ey': 'foo', '"quoted\\".txt': 'foo' });
    await writeFile(Buffer.from(place.at('bad-\xff'), 'latin1'), 'foo');
    const { data } = await search(place, { pattern: 'foo' });
    const paths = ['"quoted\\".txt', '-rf', String.raw`a\x0a1: b.txt`, String.raw`bad-\xff`, String.raw`x\xe2\x80\xaey`];
    expect(data.files).toEqual(paths);
    for (const path of paths) {
      expect(await found(place, { pattern: 'foo', path })).toEqual([`${path}:1`]);
      expect(await place.hands.call('read_file', { path })).toMatchObject({ ok: true, data: { content: 'foo' } });
    }
  });

  it('cuts a long line around its match', async () => {
    await using place = await temporaryHands({ 'a.txt': `${'<é>'.repeat(40_000)}needle${'"\\'.repeat(60_000)}\nnext` });
    const { data } = await search(place, { pattern: 'needle', context: 1 });
    expect(data.matches).toHaveLength(1);
    expect(data.matches[0]).toMatchObject({ column: 160_001, after: [] });
    expect(data.matches[0]?.text).toMatch(/^….*<é>needle"\\.*…$/u);
    expect(data.matches[0]?.text.length).toBeLessThan(510);
  });

  it('does not follow links, nor leave the workspace', async () => {
    await using place = await temporaryHands({ 'a.txt': 'inside', 'real/b.txt': 'inside' });
    await writeFile(join(place.outside, 's.txt'), 'SECRET inside');
    await symlink(place.outside, place.at('ldir'));
    await symlink(join(place.outside, 's.txt'), place.at('lfile'));
    await symlink('real', place.at('alias'));
    const { output } = await search(place, { pattern: 'inside', ignore: false, hidden: true });
    expect(output).not.toContain('SECRET');
    expect(await found(place, { pattern: 'inside', path: 'alias' })).toEqual(['real/b.txt:1']);
    expect(await found(place, { pattern: 'inside', glob: 'ldir/*' })).toEqual([]);
    for (const path of ['ldir', 'lfile', '../outside', 'ldir/s.txt']) {
      expect(await place.hands.call('search_text', { pattern: 'inside', path })).toMatchObject({ ok: false, error: { code: 'outside_workspace' } });
    }
    expect(await place.hands.call('search_text', { pattern: 'x', path: 'absent' })).toMatchObject({ error: { code: 'not_found' } });
  });

  it('runs nothing that a repository or a variable asks for', async () => {
    await using place = await temporaryHands({
      'a.txt': 'foo',
      '.ripgreprc': '--files\n--pre=/bin/false\n',
      'a.log': 'foo',
      '.ignore': 'a.txt\n!a.log\n!.git\n',
      '.git/x': 'foo',
      '.gitignore': '*.log',
    });
    process.env['RIPGREP_CONFIG_PATH'] = place.at('.ripgreprc');
    try {
      expect(await found(place, { pattern: 'foo' })).toEqual(['a.txt:1']);
    } finally {
      delete process.env['RIPGREP_CONFIG_PATH'];
    }
  });

  it('searches stored output by its handle', async () => {
    const long = Array.from({ length: 4_000 }, (_, index) => `row ${index} ${'x'.repeat(40)}`).join('\n');
    await using place = await temporaryHands({ 'a.txt': long });
    const read = await place.hands.call('search_text', { pattern: 'row', limit: 2_000 });
    const path = read.ok ? read.meta.truncation?.spill : undefined;
    // Where the tool itself stopped early, that is what its record tells; the handle comes with the text.
    const handle = path ?? /spill:[a-z0-9]{24}/u.exec(read.ok ? read.output : '')?.[0];
    expect(handle).toBeDefined();
    const { data } = await search(place, { pattern: 'row 1234 ', path: handle });
    expect(data.matches).toMatchObject([{ path: handle, text: expect.stringContaining('row 1234 ') }]);
    expect(await place.hands.call('search_text', { pattern: 'x', path: `spill:${'0'.repeat(24)}` })).toMatchObject({ error: { code: 'not_found' } });
  });

  it('searches a folder of very many files within its limit', async () => {
    await using place = await temporaryHands();
    for (let folder = 0; folder < 20; folder += 1) {
      await mkdir(place.at(`d${folder}`));
      await Promise.all(Array.from({ length: 50 }, (_, index) => writeFile(place.at(`d${folder}/f${index}.txt`), `foo\n${'x\n'.repeat(20)}foo`)));
    }
    const { data } = await search(place, { pattern: 'foo', limit: 2_000 });
    expect(data.matches).toHaveLength(2_000);
    expect(data).not.toHaveProperty('truncated');
  });
});
