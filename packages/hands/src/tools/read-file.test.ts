import { truncate, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';

const lines = (count: number): string => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

describe('read_file', () => {
  it.each<[string, string, object, object]>([
    ['a whole file', 'a\nb\n', {}, { content: 'a\nb\n', first_line: 1, last_line: 2, total_lines: 2, truncated: false }],
    ['no final newline', 'a\nb', {}, { content: 'a\nb', total_lines: 2 }],
    ['an empty file', '', {}, { content: '', first_line: 0, last_line: 0, total_lines: 0 }],
    ['a window', lines(10), { offset: 3, limit: 2 }, { content: 'line 3\nline 4\n', first_line: 3, last_line: 4, total_lines: 10 }],
    ['the end', lines(10), { offset: -2 }, { content: 'line 9\nline 10\n', first_line: 9, last_line: 10 }],
    ['more than all from the end', lines(3), { offset: -9 }, { content: lines(3), first_line: 1 }],
    ['past the end', lines(3), { offset: 9 }, { content: '', first_line: 0, last_line: 0, total_lines: 3 }],
    ['CRLF', 'a\r\nb\r\n', { offset: 2 }, { content: 'b\r\n', total_lines: 2 }],
  ])('reads %s', async (_name, text, range, data) => {
    await using place = await temporaryHands({ 'f.txt': text });
    expect(await place.hands.call('read_file', { path: 'f.txt', ...range })).toMatchObject({ ok: true, data });
  });

  it('reads one declaration, with what belongs to it', async () => {
    const text =
      'class A {\n  @deco\n  run() {\n    go();\n  }\n  over(a: string): void;\n  over(a: number): void;\n  over() {}\n}\nfunction run() {}\n';
    await using place = await temporaryHands({ 'a.ts': text, 'a.txt': text });
    const read = (symbol: string, path = 'a.ts') => place.hands.call('read_file', { path, symbol });
    expect(await read('A.run')).toMatchObject({
      ok: true,
      output: expect.stringMatching(/^\[A\.run; lines 2-5 of 10; version [0-9a-f]+\.\]/u) as string,
      data: { content: '  @deco\n  run() {\n    go();\n  }\n', first_line: 2, last_line: 5 },
    });
    const part = async (offset: number, limit?: number) => await place.hands.call('read_file', { path: 'a.ts', symbol: 'A.run', offset, limit });
    expect(await part(1, 2)).toMatchObject({
      output: expect.stringMatching(/^\[A\.run has lines 2-5; lines 2-3 of 10; /u) as string,
      data: { content: '  @deco\n  run() {\n' },
    });
    expect(await part(4)).toMatchObject({ data: { content: '    go();\n  }\n' } });
    expect(await part(5, 9)).toMatchObject({ data: { content: '  }\n' } });
    expect(await part(6)).toMatchObject({ ok: false, error: { message: 'offset 6 is behind A.run, which has lines 2-5.' } });
    expect(await read('A::over()')).toMatchObject({ ok: true, data: { first_line: 6, last_line: 8 } });
    expect(await read('run')).toMatchObject({ ok: true, data: { first_line: 10 } });
    expect(await read('over')).toMatchObject({ ok: true, data: { first_line: 6 } });
    expect(await read('A.rum')).toMatchObject({ ok: false, error: { code: 'no_match', hint: expect.stringContaining('A.run') as string } });
    expect(await read('run', 'a.txt')).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  });

  it('lists the declarations that one name means', async () => {
    await using place = await temporaryHands({ 'a.py': 'class A:\n  def run(self): pass\nclass B:\n  def run(self):\n    pass\n' });
    expect(await place.hands.call('read_file', { path: 'a.py', symbol: 'run' })).toMatchObject({
      ok: false,
      error: { code: 'ambiguous_match', message: '2 symbols are named run:\na.py:2 method A.run\na.py:4-5 method B.run' },
    });
  });

  it('leaves out the text of a version that the caller has, unless a range asks for it', async () => {
    await using place = await temporaryHands({ 'f.txt': 'a\nb\n' });
    const first = await place.hands.call('read_file', { path: 'f.txt' });
    const version = (first.ok && first.data.version) || '';
    const again = await place.hands.call('read_file', { path: 'f.txt', version });
    expect(again).toMatchObject({ ok: true, data: { unchanged: true, content: '', version, total_lines: 2 } });
    expect(again.ok && again.output).toBe(`[f.txt is unchanged since version ${version}: 2 lines. Leave version out to read it.]`);
    expect(await place.hands.call('read_file', { path: 'f.txt', version, offset: 2 })).toMatchObject({ data: { content: 'b\n' } });
    expect(await place.hands.call('read_file', { path: 'f.txt', version, limit: 1 })).toMatchObject({ data: { content: 'a\n' } });
    await writeFile(place.at('f.txt'), 'a\nc\n');
    expect(await place.hands.call('read_file', { path: 'f.txt', version })).toMatchObject({ data: { content: 'a\nc\n' } });
    expect(await place.hands.call('read_file', { paths: ['f.txt'], version })).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  });

  it('cuts at the line limit and says how to go on', async () => {
    await using place = await temporaryHands({ 'f.txt': lines(2_500) });
    const result = await place.hands.call('read_file', { path: 'f.txt' });
    expect(result).toMatchObject({
      ok: true,
      data: { last_line: 2_000, total_lines: 2_500, truncated: true },
      meta: { truncation: { by: 'lines' } },
    });
    expect(result.ok && result.output).toContain('lines 1-2000 of 2500');
    expect(result.ok && result.output).toContain('offset 2001');
  });

  it('cuts at the byte limit in whole lines, and cuts long lines only where all does not fit', async () => {
    const long = `${'x'.repeat(10_000)}\n`;
    await using place = await temporaryHands({ 'fits.txt': long.repeat(3), 'wide.txt': long.repeat(40) });
    expect(await place.hands.call('read_file', { path: 'fits.txt' })).toMatchObject({ data: { content: long.repeat(3), truncated: false } });
    const cut = await place.hands.call('read_file', { path: 'wide.txt' });
    expect(cut.ok && cut.data.content.length).toBeLessThanOrEqual(40_000);
    expect(cut.ok && cut.data.content).toContain('[+8000 characters]');
    expect(cut.ok && cut.data.last_line).toBeGreaterThan(15);
    await writeFile(place.at('one.txt'), `${'x'.repeat(60_000)}\n`);
    const one = await place.hands.call('read_file', { path: 'one.txt' });
    expect(one.ok && one.output).toContain('1 long line is cut');
  });

  it.each<[string, Buffer, string]>([
    ['utf-16le', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('grün\nblau\n', 'utf16le')]), 'grün\nblau\n'],
    ['utf-16be', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('grün\n', 'utf16le').swap16()]), 'grün\n'],
    ['utf-8', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('grün\n')]), 'grün\n'],
    ['windows-1252', Buffer.from('gr\xfcn und blau, stra\xdfe\n', 'latin1'), 'grün und blau, straße\n'],
  ])('reads %s as text', async (encoding, bytes, content) => {
    await using place = await temporaryHands({ 'f.txt': bytes });
    const result = await place.hands.call('read_file', { path: 'f.txt' });
    expect(result).toMatchObject({ ok: true, data: { content } });
    expect(result.ok && (result.data.encoding === encoding || encoding === 'windows-1252')).toBe(true);
  });

  it('gives an image as an image, by its bytes and not its name', async () => {
    const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
    await using place = await temporaryHands({ 'picture.txt': png, 'fake.png': 'no image\n', 'format.txt': 'GIF89a is a format\n' });
    expect(await place.hands.call('read_file', { path: 'picture.txt' })).toMatchObject({
      ok: true,
      content: [{ type: 'note' }, { type: 'image', mimeType: 'image/png', data: png.toString('base64') }],
    });
    expect(await place.hands.call('read_file', { path: 'fake.png' })).toMatchObject({ data: { kind: 'text' } });
    expect(await place.hands.call('read_file', { path: 'format.txt' })).toMatchObject({ data: { kind: 'text' } });
  });

  it('keeps an image open until it is read, however many are read at once', async () => {
    const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), Buffer.alloc(800_000, 'pixels')]);
    await using place = await temporaryHands({ 'a.png': png });
    const results = await Promise.all(Array.from({ length: 500 }, async () => place.hands.call('read_file', { path: 'a.png' })));
    const whole = png.toString('base64');
    expect(results.filter((result) => !result.ok || result.data.content !== whole)).toEqual([]);
  });

  it('refuses binary, folders and nothing with words that help', async () => {
    await using place = await temporaryHands({ 'b.bin': Buffer.from([1, 0, 2]), 'd/x': '' });
    expect(await place.hands.call('read_file', { path: 'b.bin' })).toMatchObject({ error: { code: 'binary_file' } });
    expect(await place.hands.call('read_file', { path: 'd' })).toMatchObject({
      error: { code: 'wrong_type', hint: expect.stringContaining('list_directory') },
    });
    expect(await place.hands.call('read_file', { path: 'x' })).toMatchObject({
      error: { code: 'not_found', hint: expect.stringContaining('find_files') },
    });
    expect(await place.hands.call('read_file', { path: 'b.bin', offset: 0 })).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  it('can be ended while it looks for a line', async () => {
    await using place = await temporaryHands();
    await writeFile(place.at('large.txt'), 'row\n'.repeat(100_000));
    await truncate(place.at('large.txt'), 3 * 1024 ** 3);
    const controller = new AbortController();
    setImmediate(() => setImmediate(() => controller.abort()));
    const result = await place.hands.call('read_file', { path: 'large.txt', offset: 1_000_000 }, { signal: controller.signal });
    expect(result).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });

  it('reads both ends of a file too large to be read whole', async () => {
    await using place = await temporaryHands();
    const row = `${'y'.repeat(99)}\n`;
    await writeFile(place.at('large.txt'), row.repeat(150_000) + 'the end\n');
    expect(await place.hands.call('read_file', { path: 'large.txt', offset: -1 })).toMatchObject({
      data: { content: 'the end\n', first_line: -1, last_line: -1, total_lines: null, version: null },
    });
    expect(await place.hands.call('read_file', { path: 'large.txt', offset: 150_000, limit: 2 })).toMatchObject({
      data: { content: `${row}the end\n`, first_line: 150_000, last_line: 150_001 },
    });
    await truncate(place.at('large.txt'), 3 * 1024 ** 3);
    expect(await place.hands.call('read_file', { path: 'large.txt', offset: 1, limit: 1 })).toMatchObject({ data: { content: row } });
    expect(await place.hands.call('read_file', { path: 'large.txt', offset: -1 })).toMatchObject({ error: { code: 'binary_file' } });
  });

  it('goes by the limits of the call', async () => {
    await using place = await temporaryHands({ 'f.txt': lines(100_000) });
    const whole = await place.hands.call('read_file', { path: 'f.txt' }, { limits: { outputBytes: 10_000_000, outputLines: 1_000_000 } });
    expect(whole).toMatchObject({ data: { content: lines(100_000), truncated: false } });
  });
});
