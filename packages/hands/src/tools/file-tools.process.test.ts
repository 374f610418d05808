import { existsSync } from 'node:fs';
import { chmod, lstat, mkdir, readFile, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queryAudit } from '../audit/query-audit.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { contentVersion } from '../workspace/open-file.ts';

describe('write_file', () => {
  it('creates parents and tells the version that read_file tells', async () => {
    await using place = await temporaryHands();
    const written = await place.hands.call('write_file', { path: 'a/b/c.txt', content: 'x\ny\n' });
    const version = contentVersion(Buffer.from('x\ny\n'));
    expect(written).toMatchObject({ ok: true, data: { path: 'a/b/c.txt', created: true, size: 4, version, previous_version: null } });
    expect(await place.hands.call('read_file', { path: 'a/b/c.txt' })).toMatchObject({ ok: true, data: { content: 'x\ny\n', version } });
  });

  it('keeps the mode, never sets set-id bits, and leaves no temporary file', async () => {
    await using place = await temporaryHands({ 'run.sh': 'old' });
    await chmod(place.at('run.sh'), 0o4755);
    await place.hands.call('write_file', { path: 'run.sh', content: 'new' });
    expect((await stat(place.at('run.sh'))).mode & 0o7777).toBe(0o755);
    expect(await readdir(place.folder)).toEqual(['run.sh']);
  });

  it('refuses a stale version and writes with the current one', async () => {
    await using place = await temporaryHands({ 'a.txt': 'one' });
    const stale = await place.hands.call('write_file', { path: 'a.txt', content: 'two', version: '0123456789abcdef' });
    expect(stale).toMatchObject({ ok: false, error: { code: 'conflict', details: { version: contentVersion(Buffer.from('one')) } } });
    expect(await readFile(place.at('a.txt'), 'utf8')).toBe('one');
    expect(await place.hands.call('write_file', { path: 'a.txt', content: 'two', version: contentVersion(Buffer.from('one')) })).toMatchObject({
      ok: true,
    });
    expect(await place.hands.call('write_file', { path: 'new.txt', content: 'x', version: 'f' })).toMatchObject({
      ok: false,
      error: { code: 'conflict' },
    });
  });

  it('writes through a link that stays inside, to the file it names', async () => {
    await using place = await temporaryHands({ 'd/real.txt': 'old' });
    await symlink('d/real.txt', place.at('alias'));
    await place.hands.call('write_file', { path: 'alias', content: 'new' });
    expect(await readFile(place.at('d/real.txt'), 'utf8')).toBe('new');
    expect((await lstat(place.at('alias'))).isSymbolicLink()).toBe(true);
  });

  it('refuses a folder as its place, and needs approval to write at all', async () => {
    await using place = await temporaryHands({ 'd/x': '' });
    expect(await place.hands.call('write_file', { path: 'd', content: '' })).toMatchObject({ ok: false, error: { code: 'wrong_type' } });
    await using asking = await temporaryHands({}, { allow: [] });
    expect(await asking.hands.call('write_file', { path: 'x', content: '' })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
    expect(existsSync(asking.at('x'))).toBe(false);
  });

  it('takes protected places only with that grant', async () => {
    await using place = await temporaryHands();
    expect(await place.hands.call('write_file', { path: '.mcp.json', content: '{}' })).toMatchObject({ error: { code: 'approval_required' } });
    await using granted = await temporaryHands({}, { allow: ['write', 'protected'] });
    expect(await granted.hands.call('write_file', { path: '.mcp.json', content: '{}' })).toMatchObject({ ok: true });
  });
});

describe('list_directory', () => {
  it('puts folders first, hides dots, descends and says what it left out', async () => {
    await using place = await temporaryHands({ 'b.txt': '12', 'a.txt': '', 'z/in.txt': '', '.hidden': '', 'y/.git-like': '' });
    const flat = await place.hands.call('list_directory', {});
    expect(flat).toMatchObject({ ok: true, data: { truncated: false } });
    expect(flat.ok && flat.data.entries.map(({ path }) => path)).toEqual(['y', 'z', 'a.txt', 'b.txt']);
    const deep = await place.hands.call('list_directory', { depth: 2, hidden: true });
    expect(deep.ok && deep.data.entries.map(({ path }) => path)).toEqual(['y', 'y/.git-like', 'z', 'z/in.txt', '.hidden', 'a.txt', 'b.txt']);
    const cut = await place.hands.call('list_directory', { limit: 1 });
    expect(cut).toMatchObject({ ok: true, data: { truncated: true, total: 4 }, meta: { truncation: { by: 'entries' } } });
    expect(cut.ok && cut.output).toContain('Truncated');
    // Not "File not found: a.txt": the model would create it.
    expect(await place.hands.call('list_directory', { path: 'a.txt' })).toMatchObject({
      error: { code: 'wrong_type', message: 'a.txt is a file, not a folder.', hint: expect.stringContaining('read_file') as string },
    });
    expect(await place.hands.call('list_directory', { path: 'a.txt/x' })).toMatchObject({ error: { code: 'not_found' } });
  });

  it('tells names that are no UTF-8 from those that only look like it', async () => {
    await using place = await temporaryHands({ 'a\ufffd': '1', ünï: '22' });
    await writeFile(Buffer.concat([Buffer.from(`${place.folder}/a`), Buffer.from([0xff])]), '333');
    const listed = await place.hands.call('list_directory', {});
    expect(listed.ok && listed.data.entries.map(({ path, size }) => [path, size])).toEqual([
      ['a\\xff', 3],
      ['a\ufffd', 1],
      ['ünï', 2],
    ]);
  });

  it('tells when each file was changed, to the minute', async () => {
    await using place = await temporaryHands({ a: '', b: '', c: '', d: '' });
    const times = ['1969-12-31T23:59:59.500Z', '2026-02-03T04:05:00.000Z', '2026-02-03T04:05:59.999Z', '2026-02-03T04:06:00.000Z'];
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) await utimes(place.at(name), new Date(), new Date(times[index] ?? ''));
    const listed = await place.hands.call('list_directory', { details: true });
    const lines = ['a  0B  1969-12-31 23:59', 'b  0B  2026-02-03 04:05', 'c  0B  2026-02-03 04:05', 'd  0B  2026-02-03 04:06'];
    expect(listed.ok && listed.output.split('\n').slice(1)).toEqual(lines);
    // They were not requested.
    expect(await place.hands.call('list_directory', {})).toMatchObject({ output: '[4 entries]\na  0B\nb  0B\nc  0B\nd  0B' });
  });

  it('shows links and does not follow them', async () => {
    await using place = await temporaryHands({ 'd/x': '' });
    await symlink(place.outside, place.at('out'));
    await writeFile(join(place.outside, 'secret'), '');
    const listed = await place.hands.call('list_directory', { depth: 5 });
    expect(listed.ok && listed.output).toContain('out -> ');
    expect(listed.ok && listed.output).not.toContain('secret');
  });
});

describe('move_path', () => {
  it('moves into new folders and never replaces', async () => {
    await using place = await temporaryHands({ 'a.txt': 'a', 'b.txt': 'b', 'd/x': 'x' });
    expect(await place.hands.call('move_path', { from: 'a.txt', to: 'b.txt' })).toMatchObject({ error: { code: 'already_exists' } });
    expect(await place.hands.call('move_path', { from: 'a.txt', to: 'n/m/a.txt' })).toMatchObject({ ok: true });
    expect(await place.hands.call('move_path', { from: 'd', to: 'n/d' })).toMatchObject({ ok: true });
    expect(await place.hands.call('move_path', { from: 'n', to: 'n/inside' })).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await place.hands.call('move_path', { from: 'gone', to: 'x' })).toMatchObject({ error: { code: 'not_found' } });
    expect(await readFile(place.at('n/m/a.txt'), 'utf8')).toBe('a');
    expect(await readFile(place.at('n/d/x'), 'utf8')).toBe('x');
    expect(await readFile(place.at('b.txt'), 'utf8')).toBe('b');
  });
});

it.each<[string, (name: string) => object]>([
  ['write_file', (path) => ({ path, content: '' })],
  ['create_directory', (path) => ({ path })],
  ['move_path', (to) => ({ from: 'a.txt', to })],
])('%s makes no name that deceives', async (tool, input) => {
  await using place = await temporaryHands({ 'a.txt': 'a' });
  expect(await place.hands.call(tool, input('txt.\u202eexe'))).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  expect(await readdir(place.folder)).toEqual(['a.txt']);
  expect(await place.hands.call(tool, input('txt.exe'))).toMatchObject({ ok: true });
});

it.each<[string, object, string[]]>([
  ['write_file', { path: 'link/a.txt', content: 'b' }, ['real/a.txt']],
  ['create_directory', { path: 'link/new' }, ['real/new']],
  ['delete_file', { path: 'link/a.txt' }, ['real/a.txt']],
  ['delete_directory', { path: 'link/d' }, ['real/d']],
  ['move_path', { from: 'link/a.txt', to: 'link/b.txt' }, ['real/a.txt', 'real/b.txt']],
  ['read_file', { path: 'link/a.txt' }, ['real/a.txt']],
  ['list_directory', { path: 'link' }, ['real']],
])('the record of %s says where a link led', async (tool, input, resolved) => {
  await using place = await temporaryHands({ 'real/a.txt': 'a' });
  await mkdir(place.at('real/d'));
  await symlink('real', place.at('link'));
  expect(await place.hands.call(tool, input)).toMatchObject({ ok: true });
  const [call] = [...queryAudit(join(dirname(place.folder), 'state'), place.hands.workspace)];
  expect(call).toMatchObject({ tool, end: { resolved } });
});

describe('deleting', () => {
  it('takes a filled folder only when told to, and never a nested repository by the way', async () => {
    await using place = await temporaryHands({ 'd/x': '', 'r/.git/config': '', 'f.txt': '' });
    expect(await place.hands.call('delete_directory', { path: 'd' })).toMatchObject({ error: { code: 'conflict' } });
    expect(await place.hands.call('delete_directory', { path: 'd', recursive: true })).toMatchObject({ ok: true, data: { deleted: 1 } });
    expect(await place.hands.call('delete_directory', { path: 'r', recursive: true })).toMatchObject({ error: { code: 'approval_required' } });
    expect(await place.hands.call('delete_directory', { path: 'f.txt' })).toMatchObject({ error: { code: 'wrong_type' } });
    expect(await place.hands.call('delete_file', { path: 'r' })).toMatchObject({ error: { code: 'wrong_type' } });
    expect(await place.hands.call('delete_file', { path: 'f.txt' })).toMatchObject({ ok: true });
    expect(await readdir(place.folder)).toEqual(['r']);
  });

  it('deletes links inside a folder, not what they lead to', async () => {
    await using place = await temporaryHands({ 'd/x': '' });
    await writeFile(join(place.outside, 'keep'), '');
    await symlink(place.outside, place.at('d/out'));
    expect(await place.hands.call('delete_directory', { path: 'd', recursive: true })).toMatchObject({ ok: true });
    expect(existsSync(join(place.outside, 'keep'))).toBe(true);
  });
});

describe('create_directory and file_info', () => {
  it('makes parents, is content with what exists, and describes it', async () => {
    await using place = await temporaryHands({ f: 'abc' });
    expect(await place.hands.call('create_directory', { path: 'a/b' })).toMatchObject({ ok: true, data: { created: true } });
    expect(await place.hands.call('create_directory', { path: 'a/b' })).toMatchObject({ ok: true, data: { created: false } });
    expect(await place.hands.call('create_directory', { path: 'f' })).toMatchObject({ error: { code: 'already_exists' } });
    expect(await place.hands.call('create_directory', { path: 'f/x' })).toMatchObject({ ok: false });
    expect(await place.hands.call('file_info', { path: 'f' })).toMatchObject({ ok: true, data: { type: 'file', size: 3, links: 1 } });
    expect(await place.hands.call('file_info', { path: '.' })).toMatchObject({ ok: true, data: { type: 'directory' } });
    expect(await place.hands.call('file_info', { path: 'none' })).toMatchObject({ error: { code: 'not_found' } });
  });
});
