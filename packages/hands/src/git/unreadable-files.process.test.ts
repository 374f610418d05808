import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { settlesWithin } from '../events/timing.ts';
import { initRepository, write } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** Size of a file that is too large to read whole, in bytes. It is sparse, so it takes no space. */
const HUGE = 30 * 1024 ** 3;
/** Milliseconds in which the file must be named. Without the check, the tools wait for 20 s to 30 s. */
const SOON_MS = 8_000;

function objectOf(folder: string): string {
  const id = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' }).trim();
  return `.git/objects/${id.slice(0, 2)}/${id.slice(2)}`;
}

const ROWS: ReadonlyArray<
  readonly [name: string, path: string | typeof objectOf, kind: 'pipe' | 'link to a pipe' | 'huge', tool: string, says: string]
> = [
  ['ignore rules at the top', '.gitignore', 'pipe', 'git_status', 'git cannot read .gitignore: '],
  ['ignore rules of a folder', 'src/.gitignore', 'pipe', 'git_status', 'git cannot read src/.gitignore: it is a named pipe.'],
  ['attributes of a folder', 'src/.gitattributes', 'pipe', 'git_blame', 'git cannot read src/.gitattributes: it is a named pipe.'],
  ['a reference', '.git/refs/heads/x', 'pipe', 'git_log', 'git cannot read .git/refs/heads/x: it is a named pipe.'],
  ['an object', objectOf, 'pipe', 'git_log', 'git cannot read .git/objects/'],
  ['ignore rules of the repository behind a link', '.git/info/exclude', 'link to a pipe', 'git_status', 'it is a named pipe.'],
  ['references behind a link', '.git/packed-refs', 'link to a pipe', 'git_log', 'is neither a file nor a folder'],
  ['an included setting', 'included', 'pipe', 'git_status', 'it is a named pipe.'],
  ['huge references', '.git/packed-refs', 'huge', 'git_log', 'git reads .git/packed-refs whole, and it has 32.2GB.'],
  ['a huge reference', '.git/refs/heads/x', 'huge', 'git_log', 'git reads .git/refs/heads/x whole, and it has 32.2GB.'],
  ['huge ignore rules of a folder', 'src/.gitignore', 'huge', 'git_status', 'is too large'],
];

it.each(ROWS)('git tools name a file that git cannot read, at once: %s', { timeout: 60_000 }, async (_name, place, kind, tool, says) => {
  await using temporary = await temporaryHands();
  const { folder, hands } = temporary;
  initRepository(folder);
  write(folder, { 'src/a.txt': 'a\n' });
  execFileSync('git', ['add', '-A'], { cwd: folder });
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-qm', 'a'], { cwd: folder });
  const input = tool === 'git_blame' ? { path: 'src/a.txt' } : {};
  // The control: the same call works before.
  expect(await hands.call(tool, input)).toMatchObject({ ok: true });
  const path = join(folder, typeof place === 'string' ? place : place(folder));
  if (place === 'included') execFileSync('git', ['config', 'include.path', '../included'], { cwd: folder });
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  if (kind === 'link to a pipe') symlinkSync(join(folder, 'elsewhere'), path);
  if (kind !== 'huge') execFileSync('mkfifo', [kind === 'pipe' ? path : join(folder, 'elsewhere')]);
  else {
    writeFileSync(path, '');
    truncateSync(path, HUGE);
  }
  const called = hands.call(tool, input);
  const isSoon = await settlesWithin(called, SOON_MS);
  const result = await called;
  expect(result, JSON.stringify(result).slice(0, 500)).toMatchObject({ ok: false });
  expect(result.ok ? '' : result.error.message).toContain(says);
  expect(isSoon).toBe(true);
});
