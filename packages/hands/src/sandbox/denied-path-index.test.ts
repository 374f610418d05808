import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { NOTHING_CLOSED } from './closed-places.ts';
import { DeniedPathIndex } from './denied-path-index.ts';
import { workspaceMounts } from './workspace-mounts.ts';

let root: string;
let confinement: HandleConfinement;
let asked: string[];
let index: DeniedPathIndex;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'synapse-index-'));
  confinement = new HandleConfinement(root);
  asked = [];
  index = new DeniedPathIndex(confinement, {
    read: (path) => {
      // The second question about what is denied: whether it would be so elsewhere.
      if (!/^[\da-f-]{36}\//u.test(path)) asked.push(path);
      return path.endsWith('.env') || path === 'closed';
    },
  });
});
afterEach(() => {
  index[Symbol.dispose]();
  confinement[Symbol.dispose]();
});

function put(path: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), '');
}

async function found(): Promise<string[]> {
  const { findings, complete } = await index.survey();
  expect(complete).toBe(true);
  return findings.map(({ kind, path }) => `${kind} ${path}`).toSorted();
}

it('finds repositories, pointers, what is protected and what is denied, at every depth', async () => {
  for (const path of [
    'a/b/.git/config',
    'c/.git',
    'bare/HEAD',
    'bare/objects/x/.git/config',
    'bare/refs/x',
    'd/.GIT/x',
    'closed/.git/x',
    'e/.vscode/x',
    'f/.env',
  ])
    put(path);
  symlinkSync('a', join(root, 'link'));
  symlinkSync('bare', join(root, 'd/e.git'));
  expect(await found()).toEqual(
    [
      'denied closed',
      'denied f/.env',
      'git-folder a/b/.git',
      'git-folder bare',
      'git-folder bare/objects/x/.git',
      'git-folder d/.GIT',
      'git-pointer c/.git',
      'protected e/.vscode',
    ].toSorted(),
  );
});

it('asks about no usual name where rules are known to allow each', async () => {
  for (const path of ['a/x', 'a/b/y', 'a/c/.env', 'a/d.git', 'e/.vscode/x', 'e/x', 'closed/z', 'git/HEAD', 'git/objects/x', 'git/refs/x']) put(path);
  symlinkSync('a', join(root, 'a/b/link'));
  const all = await found();
  expect(all).toEqual(['denied a/c/.env', 'denied closed', 'git-folder git', 'protected e/.vscode']);
  index[Symbol.dispose]();
  const deny = (path: string): boolean => {
    asked.push(path);
    return path.endsWith('.env') || path === 'closed';
  };
  asked = [];
  index = new DeniedPathIndex(confinement, { read: deny, readsUsualNames: (folder) => folder !== '' });
  expect(await found()).toEqual(all);
  expect(asked.filter((path) => path.startsWith('a/') || path.startsWith('git/')).toSorted()).toEqual(['a/b/link', 'a/b/y', 'a/c/.env']);
});

it('sees what is new, moved and gone, and reads only folders that changed', async () => {
  for (const path of ['a/x', 'b/y', 'c/.env']) put(path);
  // Older than a tick of the clock, so that they need not be read again for caution.
  await new Promise((resolve) => setTimeout(resolve, 80));
  expect(await found()).toEqual(['denied c/.env']);
  asked = [];
  put('b/.env');
  expect(await found()).toEqual(['denied b/.env', 'denied c/.env']);
  expect([...new Set(asked)].toSorted()).toEqual(['b/.env', 'b/y']);
  renameSync(join(root, 'c'), join(root, 'd'));
  rmSync(join(root, 'b'), { recursive: true });
  expect(await found()).toEqual(['denied d/.env']);
});

it('is not deceived by times that were set back', async () => {
  put('a/x');
  await new Promise((resolve) => setTimeout(resolve, 80));
  await found();
  put('a/.env');
  utimesSync(join(root, 'a'), 0, 0);
  expect(await found()).toEqual(['denied a/.env']);
});

it.skipIf(process.getuid?.() === 0)('is not complete where an own folder is closed', async () => {
  put('a/x');
  chmodSync(join(root, 'a'), 0);
  expect((await index.survey()).complete).toBe(false);
  chmodSync(join(root, 'a'), 0o700);
});

it('starts nothing where a place that must be kept from commands cannot be named', async () => {
  const folder = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff])]);
  mkdirSync(folder);
  writeFileSync(Buffer.concat([folder, Buffer.from('/.env')]), '');
  const { findings } = await index.survey();
  using directory = confinement.openDirectory([]);
  const options = {
    root: directory,
    rootPath: root,
    writable: true,
    closed: NOTHING_CLOSED,
    sockets: [],
    approvedReads: new Set<string>(),
    shown: [],
  };
  expect(() => workspaceMounts(findings, options)).toThrow(String.raw`\xff`);
});
