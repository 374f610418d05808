import { basename, dirname } from 'node:path';
import type { Tree } from './tree.ts';

/** A folder of programs belongs to an installation if one of these is beside it. */
const PARTS = ['lib', 'lib64', 'libexec', 'share', 'include', 'jmods', 'conda-meta', 'gems', 'pkg'];
const PROGRAM_FOLDERS = new Set(['bin', 'sbin', 'condabin', 'shims']);

/**
 * The folder that must be visible to run the programs of a folder: their installation, or the folder itself.
 * A repository is not an installation, because it may contain private work.
 *
 * @param isTooWide whether a folder contains more than an installation
 */
export function installationOf(tree: Tree, folder: string, isTooWide: (path: string) => boolean): string | undefined {
  const parent = dirname(folder);
  const isLinked = basename(folder) === '.bin' && basename(parent) === 'node_modules';
  const isInstalled =
    PROGRAM_FOLDERS.has(basename(folder)) &&
    PARTS.some((part) => tree.look(`${parent}/${part}`) !== undefined) &&
    tree.look(`${parent}/.git`) === undefined;
  if ((isLinked || isInstalled) && !isTooWide(parent)) return parent;
  return isTooWide(folder) ? undefined : folder;
}
