import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { RunFolders } from './run-folder.ts';

let runs: string;
beforeEach(() => (runs = join(mkdtempSync(join(tmpdir(), 'synapse-runs-')), 'runs')));

const PARTS = { home: '/home/ada', files: [{ name: '.config/tool/rc', content: 'quiet=yes' }], shown: ['/home/ada/.cache/tool'] };

describe('the folders of a command', () => {
  it('have its files, and links to what it may read', async () => {
    await using folders = new RunFolders(runs);
    await using folder = folders.make(PARTS);
    expect(readFileSync(join(folder.home, '.config', 'tool', 'rc'), 'utf8')).toBe('quiet=yes');
    expect(readdirSync(join(folder.home, '.cache'))).toEqual(['tool']);
  });

  it('have nothing in them when it has ended, and are gone when the sandbox has', async () => {
    const folders = new RunFolders(runs);
    const folder = folders.make(PARTS);
    mkdirSync(join(folder.temporary, 'work'));
    writeFileSync(join(folder.temporary, 'work', 'left.txt'), 'x');
    await folder[Symbol.asyncDispose]();
    expect(existsSync(join(folder.temporary, 'work', 'left.txt'))).toBe(false);
    await folders[Symbol.asyncDispose]();
    expect(readdirSync(runs)).toEqual([]);
  });
});
