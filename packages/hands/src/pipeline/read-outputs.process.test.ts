import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { createHands } from '../runtime/create-hands.ts';
import { openRepository, person } from '../testing/asked-repository.ts';

type At = Awaited<ReturnType<typeof openRepository>>;

/** Writes files as a person would. */
function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** What a file tool answers, or the code of its error. */
async function said(
  { hands }: At,
  tool: 'read_file' | 'list_directory' | 'find_files' | 'search_text' | 'file_info',
  input: object,
): Promise<string> {
  const result = await hands.call(tool, input);
  return result.ok ? result.output : result.error.code;
}

const read = async (at: At, path: string): Promise<string> =>
  (await said(at, 'read_file', { path })).split('\n')[1] ?? (await said(at, 'read_file', { path }));

describe.skipIf((await findBubblewrap()) === undefined)('build output that is kept apart, for file tools', () => {
  it('is read, listed, found and searched', async () => {
    await using at = await openRepository({ approver: person() });
    await at.run('mkdir -p dist/sub && echo built > dist/a.js && echo needle > dist/sub/b.js && ln -s a.js dist/link');
    expect([await read(at, 'dist/a.js'), await read(at, 'dist/sub/b.js'), await read(at, 'dist/link')]).toEqual(['built', 'needle', 'built']);
    expect(await said(at, 'list_directory', { path: 'dist' })).toMatch(/sub\/[^]*a\.js/u);
    expect(await said(at, 'find_files', { glob: '**/*.js', path: 'dist' })).toMatch(/dist\/(?:a|sub\/b)\.js/u);
    expect(await said(at, 'search_text', { pattern: 'needle', path: 'dist' })).toContain('dist/sub/b.js');
    expect(await said(at, 'search_text', { pattern: 'built', path: 'dist/a.js' })).toContain('built');
    expect(await said(at, 'file_info', { path: 'dist/a.js' })).toContain('dist/a.js');
    // What later commands change is seen at once.
    await at.run('echo again > dist/a.js; echo c > dist/c.js; rm dist/sub/b.js');
    expect([await read(at, 'dist/a.js'), await read(at, 'dist/sub/b.js')]).toEqual(['again', 'not_found']);
    expect(await said(at, 'find_files', { glob: '**/*.js', path: 'dist' })).toMatch(/dist\/c\.js/u);
  });

  it.each(['dropPending', 'applyPending'] as const)('is the folder of the person again after %s', async (decide) => {
    await using at = await openRepository({ approver: person() });
    await at.run('mkdir dist; echo built > dist/a.js');
    expect(await read(at, 'dist/a.js')).toBe('built');
    await at.hands[decide](at.hands.pendingChanges()[0]?.handle ?? '');
    expect([await read(at, 'dist/a.js'), await read(at, 'a.txt')]).toEqual([decide === 'dropPending' ? 'not_found' : 'built', 'A']);
  });

  it('does not lead out of the folder', async () => {
    await using at = await openRepository({ approver: person() });
    await at.run('mkdir dist; ln -s /etc/passwd dist/passwd; ln -s ../../../../../etc dist/etc; echo x > dist/x');
    expect([await read(at, 'dist/passwd'), await read(at, 'dist/etc/passwd')]).toEqual(['outside_workspace', 'outside_workspace']);
    expect(await said(at, 'search_text', { pattern: 'root', path: 'dist' })).not.toContain('root:');
  });

  it('obeys rules about paths', async () => {
    await using at = await openRepository({ approver: person() });
    await at.run('mkdir -p dist/secret; echo hidden > dist/secret/a; echo x > dist/x');
    const options = { workspace: at.folder, stateFolder: at.at('../state') };
    await using hands = await createHands({ ...options, policy: { deny: ['read(dist/secret/**)'] } });
    const ruled = { ...at, hands };
    expect([await read(ruled, 'dist/secret/a'), await read(ruled, 'dist/x')]).toEqual(['denied', 'x']);
    expect(await said(ruled, 'search_text', { pattern: 'hidden', path: 'dist' })).not.toContain('secret/a');
  });

  it('above what a person built: the version of commands counts file by file, and a listing says what it is', async () => {
    await using at = await openRepository({ approver: person() });
    write(at.folder, { 'dist/a.js': 'person\n', 'dist/b.js': 'person\n', 'dist/deep/c.js': 'person\n', 'dist/new/d.js': 'person\n' });
    await at.run('echo built > dist/a.js; rm -r dist/deep; rm -r dist/new; mkdir dist/new; echo built > dist/new/e.js');
    const paths = ['dist/a.js', 'dist/b.js', 'dist/deep/c.js', 'dist/new/d.js', 'dist/new/e.js'];
    expect(await Promise.all(paths.map(async (path) => await read(at, path)))).toEqual(['built', 'person', 'not_found', 'not_found', 'built']);
    expect(await said(at, 'list_directory', { path: 'dist' })).toContain('is listed and searched as a person built it');
    expect(await said(at, 'list_directory', { path: 'dist/new' })).toMatch(/e\.js/u);
    write(at.folder, { 'dist/a.js': 'person again\n' });
    expect([await read(at, 'dist/a.js'), await read(at, 'dist/deep/c.js')]).toEqual(['person again', 'person']);
  });

  it('above what a person built: a search finds what it searched, and a named file is the version of commands', async () => {
    await using at = await openRepository({ approver: person() });
    write(at.folder, { 'dist/a.js': 'person needle\n', 'dist/b.js': 'person\n' });
    await at.run('echo built needle > dist/a.js; rm dist/b.js; echo new needle > dist/c.js');
    const search = async (path: string): Promise<string> => await said(at, 'search_text', { pattern: 'needle', path });
    expect(await search('dist')).toContain('person needle');
    expect([await search('dist/a.js'), await search('dist/c.js'), await search('dist/b.js')]).toEqual([
      expect.stringContaining('built needle'),
      expect.stringContaining('new needle'),
      'not_found',
    ]);
    expect(await said(at, 'find_files', { glob: '*.js', path: 'dist' })).toMatch(/dist\/a\.js[^]*dist\/b\.js|dist\/b\.js[^]*dist\/a\.js/u);
    expect([await said(at, 'file_info', { path: 'dist/c.js' }), await said(at, 'file_info', { path: 'dist/a.js' })]).toEqual([
      expect.stringContaining('(11 bytes)'),
      expect.stringContaining('(13 bytes)'),
    ]);
    expect(await said(at, 'file_info', { path: 'dist/b.js' })).toBe('not_found');
  });

  it('is gone for file tools where a command deleted the folder', async () => {
    await using at = await openRepository({ approver: person() });
    write(at.folder, { 'dist/a.js': 'needle\n', 'dist/sub/b.js': 'needle\n' });
    await at.run('rm -r dist/sub; echo x > dist/x');
    expect([await said(at, 'list_directory', { path: 'dist/sub' }), await said(at, 'file_info', { path: 'dist/sub' })]).toEqual([
      'not_found',
      'not_found',
    ]);
    await at.run('rm -r dist');
    expect([
      await said(at, 'list_directory', { path: 'dist' }),
      await said(at, 'file_info', { path: 'dist' }),
      await said(at, 'search_text', { pattern: 'needle', path: 'dist' }),
    ]).toEqual(['not_found', 'not_found', 'not_found']);
  });

  it('is not what edits change', async () => {
    await using at = await openRepository({ approver: person() });
    await at.run('mkdir dist; echo built > dist/a.js');
    expect(await at.hands.call('edit_file', { path: 'dist/a.js', edits: [{ old_text: 'built', new_text: 'x' }] })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
    expect(await read(at, 'dist/a.js')).toBe('built');
  });

  it('is not followed through a link of the workspace', async () => {
    await using at = await openRepository({ approver: person() });
    await at.run('mkdir dist; echo built > dist/a.js');
    symlinkSync('dist', at.at('alias'));
    expect(await read(at, 'alias/a.js')).not.toBe('built');
  });
});
