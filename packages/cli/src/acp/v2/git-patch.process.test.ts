import { createHands } from '@synapse/hands';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { shownChanges } from '../file-changes.ts';
import { gitPatch } from './git-patch.ts';

let base: string;
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-git-patch-')))));

/** The files below a folder, with their content. */
function filesOf(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    paths.filter((path) => statSync(join(folder, path)).isFile()).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
}

const LINES = Array.from({ length: 12 }, (_, index) => `line ${index}\n`).join('');
type Calls = ReadonlyArray<readonly [tool: string, input: object]>;

it.each<[string, Record<string, string>, Calls]>([
  [
    'files whose names look like a part of a diff',
    { 'a @@ b': 'a\n', '@@ -1 +1 @@': 'a\n', '--- x': 'a\n', '+++ @@ y': 'a\n' },
    [
      ['write_file', { path: 'a @@ b', content: 'b\n' }],
      ['write_file', { path: '@@ -1 +1 @@', content: 'b\n' }],
      ['write_file', { path: '--- x', content: 'b\n' }],
      ['delete_file', { path: '+++ @@ y' }],
      ['write_file', { path: 'new @@ -1 +1 @@', content: 'c' }],
    ],
  ],
  ['a file that is moved', { 'from @@ x': LINES }, [['move_path', { from: 'from @@ x', to: 'inner/to "ü"' }]]],
  ['an empty file that is moved', { from: '' }, [['move_path', { from: 'from', to: 'to' }]]],
  [
    'a file that is changed and moved',
    { from: LINES },
    [
      ['write_file', { path: 'from', content: LINES.replace('line 3', 'new') }],
      ['move_path', { from: 'from', to: 'to' }],
    ],
  ],
  [
    'two files that change their names',
    { a: LINES, b: 'b\n' },
    [
      ['move_path', { from: 'a', to: 'c' }],
      ['move_path', { from: 'b', to: 'a' }],
      ['move_path', { from: 'c', to: 'b' }],
    ],
  ],
  [
    'a file that is changed, moved and deleted',
    { a: 'a\n', keep: '' },
    [
      ['write_file', { path: 'a', content: 'b\n' }],
      ['move_path', { from: 'a', to: 'b' }],
      ['delete_file', { path: 'b' }],
    ],
  ],
  [
    'empty files',
    { gone: '', filled: '', emptied: 'x\n' },
    [
      ['write_file', { path: 'inner/new', content: '' }],
      ['delete_file', { path: 'gone' }],
      ['write_file', { path: 'filled', content: 'x' }],
      ['write_file', { path: 'emptied', content: '' }],
    ],
  ],
])('git applies the patch of %s', async (_, files, calls) => {
  const [workspace, copy] = [join(base, 'workspace'), join(base, 'copy')];
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  cpSync(workspace, copy, { recursive: true });
  await using hands = await createHands({ workspace, stateFolder: join(base, 'state'), allow: ['write'] });
  for (const [tool, input] of calls) expect(await hands.call(tool, input, { sessionId: 's' })).toMatchObject({ ok: true });
  const patch = gitPatch(shownChanges(await hands.changes({ session: 's' }), workspace).files);
  execFileSync('git', ['apply', '--whitespace=nowarn'], {
    cwd: copy,
    input: patch ?? '',
    stdio: 'pipe',
    env: { ...process.env, GIT_CEILING_DIRECTORIES: base },
  });
  expect(filesOf(copy)).toEqual(filesOf(workspace));
});

it.each<[string, Calls]>([
  ['of a folder that is moved', [['move_path', { from: 'folder', to: 'other' }]]],
  [
    'of a file that is changed after it was moved, whose content before is not kept',
    [
      ['move_path', { from: 'folder/file', to: 'moved' }],
      ['write_file', { path: 'moved', content: 'new\n' }],
    ],
  ],
])('says nothing %s', async (_, calls) => {
  const workspace = join(base, 'workspace');
  mkdirSync(join(workspace, 'folder'), { recursive: true });
  writeFileSync(join(workspace, 'folder/file'), LINES);
  await using hands = await createHands({ workspace, stateFolder: join(base, 'state'), allow: ['write'] });
  for (const [tool, input] of calls) expect(await hands.call(tool, input, { sessionId: 's' })).toMatchObject({ ok: true });
  const { files, notes } = shownChanges(await hands.changes({ session: 's' }), workspace);
  expect(gitPatch(files)).toBeUndefined();
  expect(notes).toEqual([expect.stringMatching(/^Moved .* \(.*\)$/u)]);
  expect(existsSync(join(workspace, 'folder/file'))).toBe(false);
});
