import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openSingleFile } from './single-file.ts';

let folder: string;
let stateFolder: string;
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-single-')));
  stateFolder = mkdtempSync(join(tmpdir(), 'synapse-state-'));
});

describe('openSingleFile', () => {
  it('reads a large file to its end', async () => {
    const bytes = Buffer.alloc(3 * 1024 * 1024, 'x');
    writeFileSync(at('a.json'), bytes);
    using file = await openSingleFile(at('a.json'));
    expect(file.bytes?.equals(bytes)).toBe(true);
  });

  it('makes the folders that are missing, and takes them away again as far as they are empty', async () => {
    mkdirSync(at('x'));
    using file = await openSingleFile(at('x/y/z/a.json'), { folder, stateFolder });
    expect({ bytes: file.bytes, missing: file.missingFolders }).toEqual({ bytes: undefined, missing: 2 });
    file.write(Buffer.from('{}'), 0o600);
    expect(statSync(at('x/y/z/a.json')).mode & 0o777).toBe(0o600);
    writeFileSync(at('x/y/other'), '');
    using again = await openSingleFile(at('x/y/z/a.json'), { folder, stateFolder });
    again.delete(2);
    expect(existsSync(at('x/y/z'))).toBe(false);
    expect(readdirSync(at('x/y'))).toEqual(['other']);
  });

  it('tells that a link led elsewhere, changes what it leads to, and keeps the link', async () => {
    writeFileSync(at('real.json'), 'old');
    symlinkSync(at('real.json'), at('link.json'));
    using file = await openSingleFile(at('link.json'));
    expect({ path: file.path, linked: file.linked }).toEqual({ path: at('real.json'), linked: true });
    file.write(Buffer.from('new'));
    expect(readFileSync(at('real.json'), 'utf8')).toBe('new');
    expect(readdirSync(folder).toSorted()).toEqual(['link.json', 'real.json']);
  });

  it.each([
    ['a file outside', (outside: string) => symlinkSync(join(outside, 'secret.json'), at('a.json')), 'a.json'],
    ['a folder outside', (outside: string) => symlinkSync(outside, at('d')), 'd/secret.json'],
    ['nowhere', () => symlinkSync(at('nothing'), at('a.json')), 'a.json'],
  ])('follows no link out of a project: %s', async (_, link, name) => {
    const outside = mkdtempSync(join(tmpdir(), 'synapse-outside-'));
    writeFileSync(join(outside, 'secret.json'), '{}');
    link(outside);
    await expect(openSingleFile(at(name), { folder, stateFolder })).rejects.toMatchObject({ code: 'outside_workspace' });
    expect(readFileSync(join(outside, 'secret.json'), 'utf8')).toBe('{}');
  });

  it('does not follow a dangling link', async () => {
    symlinkSync(at('nothing'), at('a.json'));
    await expect(openSingleFile(at('a.json'))).rejects.toThrow('or nowhere, through a link');
  });

  it.each([
    ['a folder', () => mkdirSync(at('a.json')), 'wrong_type'],
    ['a file that is too large', () => writeFileSync(at('a.json'), Buffer.alloc(11 * 1024 * 1024)), 'too_large'],
  ])('refuses %s', async (_, make, code) => {
    make();
    await expect(openSingleFile(at('a.json'))).rejects.toMatchObject({ code });
  });

  it('refuses to write over what somebody else wrote meanwhile', async () => {
    writeFileSync(at('a.json'), 'old');
    using file = await openSingleFile(at('a.json'));
    writeFileSync(at('a.json'), 'theirs');
    expect(() => file.write(Buffer.from('new'))).toThrow('changed by something else');
    expect(readFileSync(at('a.json'), 'utf8')).toBe('theirs');
  });

  it('opens nothing in a folder that is no project', async () => {
    await expect(openSingleFile('/etc/x.json', { folder: '/etc', stateFolder })).rejects.toMatchObject({ code: 'denied' });
  });
});
