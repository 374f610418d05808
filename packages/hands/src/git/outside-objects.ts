import { readdirSync, type Dirent } from 'node:fs';
import { resolve } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { joinNames, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readSmallFile, realPathOf } from './git-folder.ts';

/** Lists of other object stores are a few lines; in bytes. */
const MAX_ALTERNATES_BYTES = 64 * 1024;

function refuse(): never {
  throw new SynapseError('denied', 'This repository borrows objects from another one outside the workspace.', {
    hint: 'A person can make it independent with: git repack -a -d && rm .git/objects/info/alternates',
  });
}

function assertInside(workspace: Workspace, path: string): void {
  try {
    workspace.pin(path)[Symbol.dispose]();
  } catch (error) {
    // What is missing cannot be read either.
    if (isSynapseError(error) && error.code === 'not_found') return;
    refuse();
  }
}

function entries(directory: PinnedDirectory): Array<Dirent<Buffer>> {
  return readdirSync(directory.self, { withFileTypes: true, encoding: 'buffer' });
}

function assertNoLinkOut(workspace: Workspace, directory: PinnedDirectory): void {
  const real = realPathOf(directory);
  for (const entry of entries(directory)) {
    if (entry.isSymbolicLink()) assertInside(workspace, linkPath(real, nameFromBytes(entry.name)));
  }
}

/** git has no business with links whose names are no text. */
function linkPath(folder: string, name: Name): string {
  return typeof name === 'string' ? joinNames(folder, [name]).toString() : refuse();
}

function alternates(objects: PinnedDirectory): string[] {
  const info = childOf(objects, 'info');
  if (info === undefined) return [];
  using held = info;
  const text = readSmallFile(held, 'alternates', MAX_ALTERNATES_BYTES)?.toString('utf8') ?? '';
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

function childOf(directory: PinnedDirectory, name: string): PinnedDirectory | undefined {
  try {
    return directory.child(name);
  } catch {
    // There is none, or it is a link, which was judged already.
    return undefined;
  }
}

/**
 * Refuses a repository in the workspace that reads another repository's objects from outside it:
 * by `objects/info/alternates`, or by links in place of its object folders and packs. Whoever wrote
 * the workspace could so have read what only the person may.
 */
export function assertOwnObjects(workspace: Workspace, common: PinnedDirectory): void {
  const objects = childOf(common, 'objects');
  if (objects === undefined) {
    assertInside(workspace, `${realPathOf(common)}/objects`);
    return;
  }
  using held = objects;
  assertNoLinkOut(workspace, held);
  const pack = childOf(held, 'pack');
  if (pack !== undefined) {
    using packs = pack;
    assertNoLinkOut(workspace, packs);
  }
  const real = realPathOf(held);
  for (const line of alternates(held)) {
    // Quotes are git's form for odd names: refused like any other place that is not plainly inside.
    if (line.startsWith('"')) refuse();
    assertInside(workspace, resolve(real, line));
  }
}
