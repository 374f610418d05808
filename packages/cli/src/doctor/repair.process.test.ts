import { existsSync, mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { repairIt, repairText } from './repair.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'synapse-repair-'))));

it('writes a file and has it loaded, and shows both first', async () => {
  const file = join(folder, 'profile');
  const repair = { file, content: 'one\n\ntwo\n', then: ['grep', '-q', 'two', file] } as const;
  expect(repairText(repair)).toBe(`write ${file}:\n\n  one\n\n  two\n\nand run: grep -q two ${file}`);
  expect(await repairIt(repair)).toBeUndefined();
  expect(readFileSync(file, 'utf8')).toBe('one\n\ntwo\n');
});

it('leaves nothing that cannot be loaded', async () => {
  const file = join(folder, 'profile');
  expect(await repairIt({ file, content: 'x', then: ['false'] })).toBe('false failed, and the file was removed again');
  expect(existsSync(file)).toBe(false);
});

it('replaces no file', async () => {
  const file = join(folder, 'profile');
  writeFileSync(file, 'mine');
  expect(await repairIt({ file, content: 'x', then: ['true'] })).toBe('it is there already');
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(await repairIt({ file: join(folder, 'missing/profile'), content: 'x', then: ['true'] })).toBe('it cannot be written (ENOENT)');
});

it('sets the mode of a folder', async () => {
  const place = join(folder, 'state');
  mkdirSync(place, { mode: 0o777 });
  expect(repairText({ folder: place, mode: 0o700 })).toBe(`chmod 700 ${place}`);
  expect(await repairIt({ folder: place, mode: 0o700 })).toBeUndefined();
  expect(statSync(place).mode & 0o777).toBe(0o700);
});
