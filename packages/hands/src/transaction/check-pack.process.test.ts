import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { LocalProcesses } from '../process/local-processes.ts';
import { isPackIndexTrue } from './check-pack.ts';

const PACKS = '.git/objects/pack';
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Makes the layer of a command that packed a repository. */
function packed(...options: readonly string[]): {
  readonly upper: string;
  readonly name: string;
  readonly check: (name: string) => Promise<boolean>;
} {
  const [from, upper] = [mkdtempSync(join(tmpdir(), 'pack-')), mkdtempSync(join(tmpdir(), 'pack-'))];
  folders.push(from, upper);
  const git = (...given: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...given], { cwd: from, stdio: 'ignore' });
  git('init', '-q', ...options);
  for (let count = 0; count < 5; count += 1) {
    writeFileSync(join(from, 'a.txt'), 'the same line\n'.repeat(100 + count));
    git('add', '-A');
    git('commit', '-qm', 'x');
  }
  git('repack', '-adq');
  mkdirSync(join(upper, PACKS), { recursive: true });
  cpSync(join(from, PACKS), join(upper, PACKS), { recursive: true });
  // What git would obey, if it took the layer for a repository.
  writeFileSync(join(upper, '.git/HEAD'), 'ref: refs/heads/main\n');
  mkdirSync(join(upper, '.git/refs'));
  writeFileSync(join(upper, '.git/config'), 'no configuration');
  const name = readdirSync(join(upper, PACKS)).find((one) => one.endsWith('.idx')) ?? '';
  const processes = new LocalProcesses();
  return { upper, name, check: async (one) => await isPackIndexTrue(upper, processes, AbortSignal.timeout(60_000), [...PACKS.split('/'), one]) };
}

/** Changes an index of a pack, with a sum at its end that fits. */
function forge(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path).subarray(0, -20);
  change(bytes);
  rmSync(path);
  writeFileSync(path, Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]));
}

it.each([[[]], [['--object-format=sha256']]])('an index that git made fits its pack: %j', async (options) => {
  const { name, check } = packed(...options);
  expect(await check(name)).toBe(true);
});

it('an index that names another object than is at a place does not', async () => {
  const { upper, name, check } = packed();
  const first = 8 + 256 * 4;
  forge(join(upper, PACKS, name), (bytes) => void (bytes[first + 19] = (bytes[first + 19] ?? 0) ^ 1));
  expect(await check(name)).toBe(false);
});

it('an index without a pack, or with a name that git does not write, does not', async () => {
  const { upper, name, check } = packed();
  cpSync(join(upper, PACKS, name), join(upper, PACKS, 'other.idx'));
  cpSync(join(upper, PACKS, name), join(upper, PACKS, 'o ther.idx'));
  expect([await check('other.idx'), await check('o ther.idx')]).toEqual([false, false]);
  cpSync(join(upper, PACKS, name.replace('.idx', '.pack')), join(upper, PACKS, 'other.pack'));
  expect(await check('other.idx')).toBe(true);
});
