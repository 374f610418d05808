import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { joinNames, nameFromBytes } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readSmallFile, realPathOf } from './git-folder.ts';

/** Maximum size of a list of other object stores, in bytes. A real one has a few lines. */
const MAX_ALTERNATES_BYTES = 64 * 1024;
/** Maximum depth of nested lists. git does not follow them deeper (its object-file code). */
const MAX_DEPTH = 5;
/** Maximum number of stores. A repository with more probably hides something among them. */
const MAX_STORES = 64;

/** Where the objects of a repository are. */
export interface ObjectStores {
  /** Whether some objects are links. */
  readonly linked: boolean;
  /** Object stores that this repository itself borrows from. */
  readonly alternates: readonly string[];
}

function refuse(): never {
  throw new SynapseError('denied', 'This repository borrows objects from another one outside the workspace.', {
    hint: 'A person can make it independent with: git repack -a -d && rm .git/objects/info/alternates',
  });
}

/** Opens a folder in the workspace; undefined if it is missing, because git cannot read it either. */
function openInside(workspace: Workspace, path: string): PinnedDirectory | undefined {
  try {
    return workspace.openDirectory(path);
  } catch (error) {
    if (isSynapseError(error) && (error.code === 'not_found' || error.code === 'wrong_type')) return undefined;
    return refuse();
  }
}

function isLink(directory: PinnedDirectory, name: string): boolean {
  return lstatSync(directory.at(name), { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Opens a direct subfolder. Follows a link only inside the workspace. */
function openBelow(workspace: Workspace, directory: PinnedDirectory, name: string): PinnedDirectory | undefined {
  if (isLink(directory, name)) return openInside(workspace, join(realPathOf(directory), name));
  try {
    return directory.child(name);
  } catch {
    // It does not exist.
    return undefined;
  }
}

/** Throws for links that leave the workspace; returns whether there are other links. */
function hasLinks(workspace: Workspace, directory: PinnedDirectory): boolean {
  const links = readdirSync(directory.self, { withFileTypes: true, encoding: 'buffer' }).filter((entry) => entry.isSymbolicLink());
  for (const { name } of links) {
    const text = nameFromBytes(name);
    // git creates no links with names that are not text.
    if (typeof text !== 'string') return refuse();
    try {
      workspace.pin(joinNames(realPathOf(directory), [text]).toString())[Symbol.dispose]();
    } catch (error) {
      // git cannot read a missing target either.
      if (!isSynapseError(error) || error.code !== 'not_found') refuse();
    }
  }
  return links.length > 0;
}

/** Returns the paths of other object stores in a list: absolute, or relative to the folder of the objects. */
function listedIn(info: PinnedDirectory | undefined): string[] {
  if (info === undefined) return [];
  // The list is read without following a link, but git would follow it.
  if (isLink(info, 'alternates')) return refuse();
  const text = readSmallFile(info, 'alternates', MAX_ALTERNATES_BYTES)?.toString('utf8');
  if (text === undefined && lstatSync(info.at('alternates'), { throwIfNoEntry: false }) !== undefined) return refuse();
  const lines = (text ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // git quotes unusual paths. They are rejected, because they are not clearly inside the workspace.
  return lines.some((line) => line.startsWith('"')) ? refuse() : lines;
}

/**
 * Throws for a repository in the workspace that reads the objects of another repository outside it: through lists of
 * alternates, either its own or those of a borrowed store, or through links in place of object folders and packs.
 * Otherwise the author of the workspace could read objects that only the user has access to.
 */
export function assertOwnObjects(workspace: Workspace, common: PinnedDirectory): ObjectStores {
  const seen = new Set<string>();
  const judge = (objects: PinnedDirectory, depth: number): ObjectStores => {
    const real = realPathOf(objects);
    if (seen.has(real)) return { linked: false, alternates: [] };
    seen.add(real);
    if (seen.size > MAX_STORES) return refuse();
    using packs = openBelow(workspace, objects, 'pack');
    using info = openBelow(workspace, objects, 'info');
    const links = [objects, packs].map((directory) => directory !== undefined && hasLinks(workspace, directory));
    const alternates = listedIn(info).map((line) => resolve(real, line));
    for (const path of alternates) {
      using store = openInside(workspace, path);
      if (store !== undefined && depth < MAX_DEPTH) judge(store, depth + 1);
    }
    return { linked: links.includes(true), alternates };
  };
  const linked = isLink(common, 'objects');
  using objects = openBelow(workspace, common, 'objects');
  if (objects === undefined) return { linked: true, alternates: [] };
  const stores = judge(objects, 0);
  return { ...stores, linked: linked || stores.linked };
}

/** Whether a repository outside the workspace has no links or alternates. Its owner may have assembled it in any way. */
export function isSelfContained(common: PinnedDirectory): boolean {
  const objects = join(realPathOf(common), 'objects');
  const folders = [objects, join(objects, 'pack'), join(objects, 'info')].filter(
    (folder) => lstatSync(folder, { throwIfNoEntry: false }) !== undefined,
  );
  return (
    folders.every(
      (folder) => realpathSync.native(folder) === folder && readdirSync(folder, { withFileTypes: true }).every((entry) => !entry.isSymbolicLink()),
    ) && lstatSync(join(objects, 'info', 'alternates'), { throwIfNoEntry: false }) === undefined
  );
}
