import { expect, it } from 'vitest';
import { explainPrograms, programMasks } from './denied-programs.ts';
import type { Tree, TreeEntry } from './tree.ts';

/** A machine, by path: a target for a link, else a file; those with the same number are one file. Folders are there by themselves. */
function machine(files: Readonly<Record<string, string>>): Tree {
  const folders = new Set(Object.keys(files).flatMap((path) => path.split('/').map((_, count, names) => names.slice(0, count).join('/') || '/')));
  return {
    look: (path): TreeEntry | undefined => {
      const target = files[path];
      if (target !== undefined && /^\d+$/u.test(target)) return { kind: 'file', shared: target };
      if (target !== undefined) return target === '' ? { kind: 'file' } : { kind: 'link', target };
      return folders.has(path) ? { kind: 'folder' } : undefined;
    },
    names: (folder) =>
      Object.keys(files).flatMap((path) =>
        path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes('/') ? [path.slice(folder.length + 1)] : [],
      ),
    canRead: () => true,
  };
}

const DEBIAN = {
  '/bin': 'usr/bin',
  '/usr/bin/sh': 'dash',
  '/usr/bin/dash': '',
  '/usr/bin/curl': '',
  '/usr/bin/python': 'python3',
  '/usr/bin/python3': 'python3.13',
  '/usr/bin/python3.13': '',
  '/usr/bin/awk': '/etc/alternatives/awk',
  '/etc/alternatives/awk': '/usr/bin/mawk',
  '/usr/bin/mawk': '',
  '/usr/bin/nawk': '/etc/alternatives/nawk',
  '/etc/alternatives/nawk': '/usr/bin/mawk',
  '/opt/node/bin/npm': '../lib/npm/bin/npm-cli.js',
  '/opt/node/lib/npm/bin/npm-cli.js': '',
  '/usr/bin/code': '../share/code/bin/start',
  '/usr/share/code/bin/start': '',
  '/usr/bin/one': 'shared',
  '/usr/bin/two': 'shared',
  '/usr/bin/shared': '',
  '/usr/bin/perl': '260723',
  '/usr/bin/perl5.36.0': '260723',
  '/usr/bin/gunzip': '7',
  '/usr/bin/uncompress': '7',
  '/usr/bin/git': '',
  '/usr/lib/git-core/git': '',
};

const masked = (...programs: string[]): string[] =>
  programMasks(programs, { tree: machine(DEBIAN), folders: ['/opt/node/bin'], isShown: (path) => !path.startsWith('/hidden') }).map(
    ({ path }) => path,
  );

it.each([
  ['curl', ['/usr/bin/curl']],
  ['/bin/curl', ['/usr/bin/curl']],
  ['python', ['/usr/bin/python3.13']],
  ['awk', ['/usr/bin/mawk']],
  ['npm', ['/opt/node/lib/npm/bin/npm-cli.js']],
  ['code', ['/usr/share/code/bin/start']],
  ['perl', ['/usr/bin/perl', '/usr/bin/perl5.36.0']],
  // The other name is that of another program.
  ['gunzip', ['/usr/bin/gunzip']],
  ['git', ['/usr/bin/git', '/usr/lib/git-core']],
  // Other programs are in the same file.
  ['one', []],
  // The sandbox starts each command with it.
  ['dash', []],
  ['missing', []],
])('keeps commands from starting %s', (program, paths) => {
  expect(masked(program)).toEqual(paths);
});

it('masks none of the programs of a machine that has all in one', () => {
  const tree = machine({
    '/bin/busybox': '',
    '/bin/sh': 'busybox',
    '/bin/wget': 'busybox',
    '/usr/bin/ls': '/usr/bin/coreutils',
    '/usr/bin/coreutils': '',
  });
  expect(programMasks(['wget', 'ls', 'busybox', 'coreutils', 'constructor'], { tree, folders: [], isShown: () => true })).toEqual([]);
});

it('says why a program could not be started', () => {
  const reason = ['a rule denies curl, so no command can start it'];
  expect(explainPrograms('sh: 1: curl: Permission denied', ['curl'])).toEqual(reason);
  expect(explainPrograms('Can\'t exec "/usr/bin/curl": Permission denied at -e line 1.', ['curl'])).toEqual(reason);
  expect(explainPrograms('cat: curly: Permission denied\nno curl here', ['curl'])).toEqual([]);
});
