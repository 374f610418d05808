import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const LINK = new URL('../../scripts/link.mjs', import.meta.url).href;
const PROGRAM = fileURLToPath(new URL('../../packages/cli/bin/synapse.js', import.meta.url));

/** Runs `npm start -- link` on a folder of its own. */
function link(folder: string, path: string, ...words: string[]): { code: number | null; said: string; printed: string } {
  const script = `import(${JSON.stringify(LINK)}).then(({ link }) => process.exit(link(${JSON.stringify(words)}, ${JSON.stringify({ folder, path })})))`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--eval', script], { encoding: 'utf8' });
  return { code: status, said: stderr, printed: stdout };
}

const newFolder = (): string => join(mkdtempSync(join(tmpdir(), 'synapse-link-')), 'bin');

it('puts the command there, again without harm, and takes it away', () => {
  const folder = newFolder();
  for (let times = 0; times < 2; times += 1) {
    expect(link(folder, folder)).toMatchObject({ code: 0, said: expect.stringContaining('link --undo') as string });
    expect(realpathSync(join(folder, 'synapse'))).toBe(realpathSync(PROGRAM));
  }
  expect(link(folder, folder, '--undo').code).toBe(0);
  expect(existsSync(join(folder, 'synapse'))).toBe(false);
  expect(link(folder, folder, '--undo')).toMatchObject({ code: 0, said: expect.stringContaining('Nothing to remove') as string });
});

it('says where the folder is not on the PATH', () => {
  expect(link(newFolder(), '/usr/bin').said).toContain('is not on your PATH');
});

it('leaves what is not its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-link-'));
  writeFileSync(join(folder, 'synapse'), 'mine');
  for (const words of [[], ['--undo']])
    expect(link(folder, folder, ...words)).toMatchObject({ code: 1, said: expect.stringContaining('Not changed') as string });
  expect(readFileSync(join(folder, 'synapse'), 'utf8')).toBe('mine');
  expect(lstatSync(join(folder, 'synapse')).isFile()).toBe(true);
});

it.each(['--help', '-h'])('prints its help for %s, and changes nothing', (word) => {
  const folder = newFolder();
  expect(link(folder, folder, word)).toMatchObject({ code: 0, said: '', printed: expect.stringMatching(/^Usage: .*link.*--undo/su) as string });
  expect(existsSync(folder)).toBe(false);
});

it('refuses other words', () => {
  expect(link(newFolder(), '', '--unod')).toMatchObject({ code: 2, said: expect.stringContaining('Unknown option: --unod') as string });
});
