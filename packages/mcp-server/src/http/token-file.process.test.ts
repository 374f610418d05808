import { chmod, chown, mkdir, mkdtemp, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { ensureTokenFile, readTokenFile } from './token-file.ts';

const TOKEN = '0123456789abcdef0123456789abcdef';
let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'synapse-'))));

async function write(content: string, mode = 0o600): Promise<string> {
  const path = join(folder, 'token');
  await writeFile(path, content);
  await chmod(path, mode);
  return path;
}

it('reads the token, without the end of its line', async () => {
  const path = await write(`${TOKEN}\r\n`);
  expect(readTokenFile(path)).toEqual({ token: TOKEN, path });
});

it('reads through a link: what counts is the file', async () => {
  await symlink(await write(TOKEN), join(folder, 'link'));
  expect(readTokenFile(join(folder, 'link')).token).toBe(TOKEN);
});

it.each([0o640, 0o604, 0o620, 0o602, 0o666, 0o610])('refuses a file of mode %o, and tells the way out', async (mode) => {
  const path = await write(TOKEN, mode);
  expect(() => readTokenFile(path)).toThrow(
    expect.objectContaining({ code: 'denied', hint: expect.stringContaining(`chmod 600 ${path}`) as string }),
  );
});

// Only root can give a file away.
it.runIf(process.getuid?.() === 0)('refuses a file of another user', async () => {
  const path = await write(TOKEN);
  await chown(path, 65_534, 65_534);
  expect(() => readTokenFile(path)).toThrow(expect.objectContaining({ code: 'denied', message: expect.stringContaining('another user') as string }));
});

it.each([
  ['empty', ''],
  ['short', 'secret'],
  ['of more than a token', `${TOKEN} and more`],
  ['of nine kilobytes', 'x'.repeat(9_000)],
  ['of a token and nine kilobytes of nothing', `${TOKEN}${' '.repeat(9_000)}`],
])('refuses a file that is %s, and does not repeat it', async (_, content) => {
  const path = await write(content);
  expect(() => readTokenFile(path)).toThrow(expect.objectContaining({ code: 'invalid_arguments' }));
});

it('refuses what is no file, and does not wait for a writer', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', ['-m', '600', pipe]);
  await mkdir(join(folder, 'folder'), { mode: 0o700 });
  for (const path of [pipe, join(folder, 'folder')]) expect(() => readTokenFile(path)).toThrow(expect.objectContaining({ code: 'wrong_type' }));
  expect(() => readTokenFile(join(folder, 'none'))).toThrow(expect.objectContaining({ code: 'not_found' }));
});

it('makes a token that only its owner can read, keeps it, and has another for another workspace', async () => {
  const first = ensureTokenFile(folder, '/one');
  expect(first.token).toMatch(/^[0-9a-f]{64}$/u);
  expect((await stat(first.path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'mcp-http'))).mode & 0o777).toBe(0o700);
  expect(await readFile(first.path, 'utf8')).toBe(`${first.token}\n`);
  expect(ensureTokenFile(folder, '/one')).toEqual(first);
  expect(ensureTokenFile(folder, '/two').token).not.toBe(first.token);
});

it('refuses a kept token that others can read by now', async () => {
  const { path } = ensureTokenFile(folder, '/one');
  await chmod(path, 0o644);
  expect(() => ensureTokenFile(folder, '/one')).toThrow(expect.objectContaining({ code: 'denied' }));
});
