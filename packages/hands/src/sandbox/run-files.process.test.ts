import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Mount } from './bubblewrap-arguments.ts';
import { openCopiedFiles, openHomeFiles } from './run-files.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'synapse-copied-'))));

const shown = (name: string): Mount => ({ kind: 'read-only', path: join(folder, name), optional: true });

describe('openCopiedFiles', () => {
  it('opens a small file, with its mode without writing', () => {
    writeFileSync(join(folder, 'hosts'), '127.0.0.1 localhost\n');
    chmodSync(join(folder, 'hosts'), 0o644);
    using copied = openCopiedFiles([shown('hosts')], folder);
    expect(copied).toMatchObject({ mounts: [], files: [{ path: join(folder, 'hosts'), mode: 0o444 }], replaced: [shown('hosts')] });
    expect(readFileSync(copied.files[0]?.descriptor ?? -1, 'utf8')).toBe('127.0.0.1 localhost\n');
  });

  const kept: Array<[what: string, prepare: (path: string) => void]> = [
    ['a folder', (path) => mkdirSync(path)],
    ['a large file', (path) => writeFileSync(path, Buffer.alloc(200_000))],
    ['a missing file', () => {}],
    ['a link', (path) => symlinkSync('/etc/hosts', path)],
    ['a pipe, without waiting for it', (path) => execFileSync('mkfifo', [path])],
  ];
  it.each(kept)('leaves a mount of %s', (_, prepare) => {
    prepare(join(folder, 'place'));
    using copied = openCopiedFiles([shown('place')], folder);
    expect(copied).toMatchObject({ mounts: [shown('place')], files: [], replaced: [] });
  });

  it('leaves what is in another mount, what has another source, what is hidden, and other folders', () => {
    mkdirSync(join(folder, 'ssl'));
    writeFileSync(join(folder, 'ssl', 'openssl.cnf'), 'x');
    writeFileSync(join(folder, 'hosts'), 'x');
    const mounts: Mount[] = [
      { kind: 'masked-folder', path: join(folder, 'ssl') },
      shown('ssl/openssl.cnf'),
      { kind: 'read-only', path: join(folder, 'hosts'), source: '/elsewhere' },
      { kind: 'masked-file', path: join(folder, 'hosts') },
      { kind: 'read-only', path: '/etc/hosts', optional: true },
    ];
    using copied = openCopiedFiles(mounts, folder);
    expect(copied).toMatchObject({ mounts, files: [] });
  });
});

const FILES = [
  { name: '.gitconfig', content: '[user]\n' },
  { name: '.config/pnpm/rc', content: 'x=1\n' },
];

it('opens files for a private home folder', () => {
  using files = openHomeFiles('/home/ada', FILES, ['/usr', '/home', '/home/ada', '/home/ada/.cargo', '/work']);
  expect(files.map(({ path, descriptor }) => [path, readFileSync(descriptor, 'utf8')])).toEqual([
    ['/home/ada/.gitconfig', '[user]\n'],
    ['/home/ada/.config/pnpm/rc', 'x=1\n'],
  ]);
});

it.each(['/home/ada/.config', '/home/ada/.config/pnpm', '/home/ada/.config/pnpm/rc'])('creates no file in another mount: %s', (place) => {
  using files = openHomeFiles('/home/ada', FILES, ['/home/ada', place]);
  expect(files.map(({ path }) => path)).toEqual(['/home/ada/.gitconfig']);
});

it('opens none without a private home folder', () => {
  using files = openHomeFiles(undefined, FILES, []);
  expect([...files]).toEqual([]);
});
