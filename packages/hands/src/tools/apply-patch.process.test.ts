import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallFailure, CallResult } from '@synapse/protocol';
import { createTwoFilesPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { contentVersion } from '../workspace/open-file.ts';
import { applyPatch } from './apply-patch.ts';

const envelope = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n');

const apply = (at: TemporaryHands, patch: string): Promise<CallResult> => at.hands.call('apply_patch', { patch });

function failed(result: CallResult): CallFailure['error'] {
  if (result.ok) throw new Error('the call did not fail');
  return result.error;
}

/** Every file below a folder with its text, links with where they lead. */
async function tree(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (path.includes('/.git/') || entry.isDirectory()) continue;
    found[path.slice(folder.length + 1)] = entry.isSymbolicLink() ? 'a link' : await readFile(path, 'latin1');
  }
  return found;
}

describe('apply_patch', () => {
  it('adds, changes, moves and deletes, and reports each', async () => {
    await using at = await temporaryHands({ 'src/a.ts': 'one\ntwo\n', 'old.txt': 'x\n', 'from.txt': 'a\nb\n' });
    const result = await apply(
      at,
      envelope(
        '*** Add File: new/deep/file.txt',
        '+hello',
        '*** Update File: src/a.ts',
        '@@ one',
        '-two',
        '+2',
        '*** Delete File: old.txt',
        '*** Update File: from.txt',
        '*** Move to: to/there.txt',
        '@@',
        '-b',
        '+B',
      ),
    );
    expect(await tree(at.folder)).toEqual({ 'new/deep/file.txt': 'hello\n', 'src/a.ts': 'one\n2\n', 'to/there.txt': 'a\nB\n' });
    const version = (text: string): string => contentVersion(Buffer.from(text));
    expect(result).toMatchObject({
      ok: true,
      output: 'A new/deep/file.txt\nM src/a.ts\nD old.txt\nR from.txt → to/there.txt',
      data: {
        files: [
          { path: 'new/deep/file.txt', action: 'added', version: version('hello\n'), added_lines: 1, removed_lines: 0 },
          { path: 'src/a.ts', action: 'updated', version: version('one\n2\n'), added_lines: 1, removed_lines: 1 },
          { path: 'old.txt', action: 'deleted', added_lines: 0, removed_lines: 0 },
          { path: 'to/there.txt', action: 'moved', from: 'from.txt', version: version('a\nB\n'), added_lines: 1, removed_lines: 1 },
        ],
      },
    });
  });

  it.each([
    ['UTF-16 LE', Buffer.from('\ufeffé\r\nold\r\n', 'utf16le'), Buffer.from('\ufeffé\r\nné\r\n', 'utf16le')],
    ['Latin-1', Buffer.from('\xe9t\xe9 \xe0 No\xebl\nold\n', 'latin1'), Buffer.from('\xe9t\xe9 \xe0 No\xebl\nn\xe9\n', 'latin1')],
  ])('writes in the encoding of the file: %s', async (_, before, after) => {
    await using at = await temporaryHands({ a: before });
    expect(await apply(at, envelope('*** Update File: a', '-old', '+né'))).toMatchObject({ ok: true });
    expect(await readFile(at.at('a'))).toEqual(after);
  });

  it('keeps the mode, also of a file that moves, and sets the one that the patch names', async () => {
    await using at = await temporaryHands({ a: 'x\n', b: 'x\n', c: 'x\n' });
    await Promise.all(['a', 'b', 'c'].map((name) => chmod(at.at(name), 0o754)));
    await apply(at, envelope('*** Update File: a', '-x', '+y', '*** Update File: b', '*** Move to: moved', '-x', '+y'));
    await apply(
      at,
      'diff --git a/c b/c\nold mode 100755\nnew mode 100644\ndiff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n',
    );
    const mode = async (name: string): Promise<number> => (await stat(at.at(name))).mode & 0o777;
    expect([await mode('a'), await mode('moved'), await mode('c'), await mode('new')]).toEqual([0o754, 0o754, 0o644, 0o755]);
  });

  it('moves a binary file without looking into it', async () => {
    const bytes = Buffer.from([0, 1, 2, 255]);
    await using at = await temporaryHands({ a: bytes });
    expect(await apply(at, 'diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n')).toMatchObject({ ok: true, output: 'R a → b' });
    expect(await readFile(at.at('b'))).toEqual(bytes);
    expect(await readdir(at.folder)).toEqual(['b']);
  });

  it('deletes a link and not the file it leads to', async () => {
    await using at = await temporaryHands({ real: 'x\n' });
    await symlink('real', at.at('link'));
    expect(await apply(at, envelope('*** Delete File: link'))).toMatchObject({ ok: true });
    expect(await readdir(at.folder)).toEqual(['real']);
  });

  it.each([
    ['leaves the workspace', ['*** Add File: ../outside/x', '+x'], 'outside_workspace'],
    ['leads out by a link', ['*** Update File: leaving/secret', '-secret', '+x'], 'outside_workspace'],
    ['is a link to a file outside', ['*** Update File: leaving-file', '-secret', '+x'], 'outside_workspace'],
    ['moves a file out', ['*** Update File: b', '*** Move to: leaving/b'], 'outside_workspace'],
    ['moves a link', ['*** Update File: inside', '*** Move to: moved'], 'wrong_type'],
    ['is protected', ['*** Add File: .git/hooks/post-commit', '+x'], 'approval_required'],
    ['is protected where it moves to', ['*** Update File: b', '*** Move to: .vscode/tasks.json'], 'approval_required'],
    ['is missing', ['*** Update File: none', '-a', '+b'], 'not_found'],
    ['is missing and to be deleted', ['*** Delete File: none'], 'not_found'],
    ['exists', ['*** Add File: b', '+x'], 'already_exists'],
    ['is a folder', ['*** Update File: folder', '-a', '+b'], 'wrong_type'],
    ['is a folder and to be deleted', ['*** Delete File: folder'], 'wrong_type'],
    ['is binary', ['*** Update File: binary', '-a', '+b'], 'binary_file'],
    ['has other lines', ['*** Update File: b', '-z', '+y'], 'no_match'],
    ['cannot hold the new text', ['*** Update File: latin', '-old', '+日'], 'encoding'],
    ['is the same by another name', ['*** Update File: b', '-b', '+c', '*** Update File: same', '-b', '+d'], 'invalid_arguments'],
  ])('changes nothing at all where one file %s', async (_, lines, code) => {
    await using at = await temporaryHands({
      a: 'a\n',
      b: 'b\n',
      binary: Buffer.from('a\0b'),
      latin: Buffer.from('\xe9t\xe9 \xe0 No\xebl\nold\n', 'latin1'),
    });
    await mkdir(at.at('folder'));
    await writeFile(join(at.outside, 'secret'), 'secret\n');
    await symlink(at.outside, at.at('leaving'));
    await symlink(join(at.outside, 'secret'), at.at('leaving-file'));
    await symlink('a', at.at('inside'));
    await symlink('b', at.at('same'));
    const before = [await tree(at.folder), await tree(at.outside)];
    const error = failed(await apply(at, envelope('*** Update File: a', '-a', '+changed', '*** Add File: new', '+x', ...lines)));
    expect(error.code).toBe(code);
    expect(JSON.stringify(error)).not.toContain('secret\\n');
    expect([await tree(at.folder), await tree(at.outside)]).toEqual(before);
  });

  it('leaves everything as it was where a file cannot be put in its place', async () => {
    await using at = await temporaryHands({ 'a.txt': 'a\n', 'gone.txt': 'g\n', 'from.txt': 'f\n' });
    await chmod(at.at('a.txt'), 0o640);
    const before = await tree(at.folder);
    // A file and a folder of the same name: that shows only when all files are written beside their places.
    const clash = ['*** Add File: p/q', '+x', '*** Add File: p', '+x'];
    const result = await apply(
      at,
      envelope('*** Update File: a.txt', '-a', '+x', '*** Delete File: gone.txt', '*** Update File: from.txt', '*** Move to: to.txt', ...clash),
    );
    expect(failed(result)).toMatchObject({ code: 'conflict' });
    expect(await tree(at.folder)).toEqual(before);
    expect((await stat(at.at('a.txt'))).mode & 0o777).toBe(0o640);
  });

  it('refuses what is no patch before anybody is asked for permission', async () => {
    await using at = await temporaryHands({}, { allow: [] });
    expect(failed(await apply(at, 'make it better'))).toMatchObject({ code: 'invalid_arguments', hint: expect.stringContaining('*** Begin Patch') });
    expect(failed(await apply(at, envelope('*** Add File: x', '+x')))).toMatchObject({ code: 'approval_required' });
    expect(await readdir(at.folder)).toEqual([]);
  });

  it('asks for permission to write each path that the patch names, and to read what it goes by', () => {
    const patch = envelope('*** Add File: a', '+x', '*** Update File: b', '*** Move to: c', '*** Delete File: ../d');
    expect(applyPatch.permission({ patch }).map(({ action, resource }) => `${action} ${resource}`)).toEqual([
      'write a',
      'read b',
      'write b',
      'write c',
      'write ../d',
    ]);
  });

  it('refuses more files than it can hold at once', async () => {
    await using at = await temporaryHands();
    const files = Array.from({ length: 501 }, (_, index) => [`*** Add File: ${index}`, '+x']).flat();
    expect(failed(await apply(at, envelope(...files)))).toMatchObject({ code: 'too_large' });
    expect(await apply(at, envelope(...files.slice(2)))).toMatchObject({ ok: true });
    expect(await readdir(at.folder)).toHaveLength(500);
  });

  it('loses nothing where several patches change one file at once', async () => {
    const regions = Array.from({ length: 20 }, (_, index) => `region ${index} old\n`).join('');
    await using at = await temporaryHands({ a: regions });
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        apply(at, envelope('*** Update File: a', `-region ${index} old`, `+region ${index} new`, `*** Add File: f${index}`, '+x')),
      ),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    expect(await readFile(at.at('a'), 'utf8')).toBe(regions.replaceAll('old', 'new'));
  });
});

/** Programs that apply the same diff, each in its own folder. */
const APPLIERS = [
  { command: ['git', 'apply', '--whitespace=nowarn', '-'], folder: 'by-git' },
  { command: ['patch', '-p1', '--binary', '--silent'], folder: 'by-patch' },
] as const;

describe('a unified diff', () => {
  const numbered = Array.from({ length: 40 }, (_, index) => `line ${index}`);
  const text = (lines: readonly string[], end = '\n'): string => lines.map((line) => line + end).join('');
  const cases: ReadonlyArray<readonly [string, string, string]> = [
    ['one change', text(numbered), text(numbered.with(20, 'changed'))],
    ['several changes', text(numbered), text(numbered.with(3, 'a').with(20, 'b').toSpliced(30, 3))],
    ['lines at both ends', text(numbered), text(['first', ...numbered, 'last'])],
    ['CRLF', text(numbered, '\r\n'), text(numbered.with(20, 'changed'), '\r\n')],
    ['no line end any more', text(numbered), text(numbered).trimEnd()],
    ['a line end now', text(numbered).trimEnd(), text(numbered.with(39, 'x'))],
    ['lines that begin with marks', text(['-- a', '++ b', '@@ c', ' d']), text(['-- a', '++ x', '@@ c', '- d'])],
    ['everything', text(numbered), 'other\n'],
  ];

  it.each(cases)('gives what git apply and patch(1) give: %s', async (_, before, after) => {
    await using at = await temporaryHands({ 'by-git/x': before, 'by-patch/x': before, x: before });
    const diff = createTwoFilesPatch('a/x', 'b/x', before, after);
    const env = { ...process.env, GIT_CEILING_DIRECTORIES: at.folder };
    const others = APPLIERS.map(({ command, folder }) => spawnSync(command[0], command.slice(1), { cwd: at.at(folder), input: diff, env }));
    expect(await apply(at, diff)).toMatchObject({ ok: true, output: 'M x' });
    expect(await readFile(at.at('x'), 'utf8')).toBe(after);
    for (const [index, { folder }] of APPLIERS.entries()) {
      // Not every machine has patch(1).
      const made = others[index]?.error === undefined ? await readFile(at.at(`${folder}/x`), 'utf8') : after;
      expect(made).toBe(after);
    }
    expect(others[0]?.status).toBe(0);
  });

  it('of git, with everything that git writes, makes the same tree', async () => {
    const files = {
      'a b.txt': text(numbered),
      'é/ü.txt': text(numbered),
      'gone.txt': 'x\n',
      'moved.txt': text(numbered),
      'empty.txt': '',
      'run.sh': 'x\n',
    };
    await using at = await temporaryHands(files);
    await using other = await temporaryHands(files);
    const git = (...command: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...command], { cwd: other.folder, encoding: 'utf8' });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'x');
    await writeFile(other.at('a b.txt'), text(numbered.with(5, 'changed')).trimEnd());
    await writeFile(other.at('é/ü.txt'), text(numbered.toSpliced(7, 9)));
    await writeFile(other.at('new "quoted".txt'), 'new\n');
    await writeFile(other.at('new-empty.txt'), '');
    await chmod(other.at('run.sh'), 0o755);
    git('rm', '-q', 'gone.txt', 'empty.txt');
    git('mv', 'moved.txt', 'é/moved to.txt');
    await writeFile(other.at('é/moved to.txt'), text(numbered.with(0, 'changed')));
    git('add', '-A');
    const diff = git('diff', '--cached', '-M');
    expect(diff).toContain('rename from');
    expect(await apply(at, diff)).toMatchObject({ ok: true });
    expect(await tree(at.folder)).toEqual(await tree(other.folder));
    expect((await lstat(at.at('run.sh'))).mode & 0o777).toBe(0o755);
  });
});

describe('a file that may not be read', () => {
  const files = { 'secrets/key': 'TOKEN=zebra\n', 'a.txt': 'one\n' };
  const policy = { deny: ['read(secrets/**)'] };

  it.each([
    ['a hunk that does not fit', envelope('*** Update File: secrets/key', '@@', '-TOKEN=x', '+y')],
    ['a hunk that fits', envelope('*** Update File: secrets/key', '@@', '-TOKEN=zebra', '+y')],
    ['a move', envelope('*** Update File: secrets/key', '*** Move to: plain.txt')],
    ['a deletion by its text', '--- a/secrets/key\n+++ /dev/null\n@@ -1 +0,0 @@\n-TOKEN=x\n'],
    ['a hunk behind a link', envelope('*** Update File: link/key', '@@', '-TOKEN=x', '+y')],
  ])('is not told by %s', async (_name, patch) => {
    await using at = await temporaryHands(files, { policy });
    await symlink('secrets', at.at('link'));
    const result = await apply(at, patch);
    expect(failed(result).code).toBe('denied');
    expect(JSON.stringify(result)).not.toContain('zebra');
    expect(await readFile(at.at('secrets/key'), 'utf8')).toBe('TOKEN=zebra\n');
  });

  it('can be deleted and replaced', async () => {
    await using at = await temporaryHands(files, { policy });
    expect(await apply(at, envelope('*** Delete File: secrets/key'))).toMatchObject({ ok: true });
    expect(await apply(at, envelope('*** Add File: secrets/key', '+new'))).toMatchObject({ ok: true });
  });
});
