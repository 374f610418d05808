import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { joinNames, nameFromBytes } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { readSmallFile, realPathOf } from './git-folder.ts';

/** Lists of other object stores are a few lines; in bytes. */
const MAX_ALTERNATES_BYTES = 64 * 1024;
/** git follows lists in borrowed stores so far and no further (its object-file code). */
const MAX_DEPTH = 5;
/** Who borrows from more stores than this hides something among them. */
const MAX_STORES = 64;

/** What the objects of a repository are made of. */
export interface ObjectStores {
  /** Whether links stand in place of some objects. */
  readonly linked: boolean;
  /** Stores that this repository itself borrows from. */
  readonly alternates: readonly string[];
}

function refuse(): never {
  throw new SynapseError('denied', 'This repository borrows objects from another one outside the workspace.', {
    hint: 'A person can make it independent with: git repack -a -d && rm .git/objects/info/alternates',
  });
}

/** A folder in the workspace, by whatever name; undefined for one that is missing, which cannot be read either. */
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

/** A folder directly below; behind a link only where that stays in the workspace. */
function openBelow(workspace: Workspace, directory: PinnedDirectory, name: string): PinnedDirectory | undefined {
  if (isLink(directory, name)) return openInside(workspace, join(realPathOf(directory), name));
  try {
    return directory.child(name);
  } catch {
    // There is none.
    return undefined;
  }
}

/** Refuses links that leave the workspace; tells whether there are others. */
function hasLinks(workspace: Workspace, directory: PinnedDirectory): boolean {
  const links = readdirSync(directory.self, { withFileTypes: true, encoding: 'buffer' }).filter((entry) => entry.isSymbolicLink());
  for (const { name } of links) {
    const text = nameFromBytes(name);
    // git has no business with links whose names are no text.
    if (typeof text !== 'string') return refuse();
    try {
      workspace.pin(joinNames(realPathOf(directory), [text]).toString())[Symbol.dispose]();
    } catch (error) {
      // What is missing cannot be read either.
      if (!isSynapseError(error) || error.code !== 'not_found') refuse();
    }
  }
  return links.length > 0;
}

/** Paths of other object stores, as a list holds them: absolute, or relative to the folder of the objects. */
function listedIn(info: PinnedDirectory | undefined): string[] {
  if (info === undefined) return [];
  // The list is read without following; git would follow.
  if (isLink(info, 'alternates')) return refuse();
  const text = readSmallFile(info, 'alternates', MAX_ALTERNATES_BYTES)?.toString('utf8');
  if (text === undefined && lstatSync(info.at('alternates'), { throwIfNoEntry: false }) !== undefined) return refuse();
  const lines = (text ?? '').split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  // Quotes are git's form for odd names: refused like any other place that is not plainly inside.
  return lines.some((line) => line.startsWith('"')) ? refuse() : lines;
}

/**
 * Refuses a repository in the workspace that reads another repository's objects from outside it: by lists of
 * alternates, its own or those of a store that it borrows from, or by links in place of its object folders and packs.
 * Whoever wrote the workspace could so have read what only the person may.
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

/** Whether a repository outside the workspace, which may be made of whatever its owner put together, is of one piece. */
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
