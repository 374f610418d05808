import { constants, closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { join as joinPath, nameOf, parentOf, type TreeView } from '../danger/tree-view.ts';
import { rulesFromAbove, rulesFromBelow } from './ignore-rules.ts';

/** Maximum bytes of an ignore file. The largest of public repositories have some 100 kB. */
export const MAX_IGNORE_BYTES = 512 * 1024;

/** The names of ignore files in a folder. ripgrep reads no others here. */
export const IGNORE_FILE = '.gitignore';
export const EXCLUDE_FILE = '.git/info/exclude';

/** Reads an ignore file of the workspace by handle: no link, pipe or device, and no more than the limit. */
export const readIgnoreFile = (view: TreeView, path: string): string | undefined => view.readText(path, MAX_IGNORE_BYTES);

/** Reads an ignore file above the workspace, with the same limits. */
function readAbove(path: string): string | undefined {
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = fstatSync(fd);
      return stat.isFile() && stat.size <= MAX_IGNORE_BYTES ? readFileSync(fd, 'utf8') : undefined;
    } finally {
      closeSync(fd);
    }
  } catch {
    // Most folders have none.
    return undefined;
  }
}

const utf8Names = (folder: string): string[] => (folder === '' ? [] : Buffer.from(folder, 'latin1').toString().split('/'));

/** Returns the folder to which the rules of an ignore file apply. */
export function folderOf(path: string): string {
  return nameOf(path) === IGNORE_FILE ? parentOf(path) : parentOf(parentOf(parentOf(path)));
}

/** The texts of ignore files, by path relative to the workspace; one character per byte (latin1). */
export type IgnoreTexts = ReadonlyMap<string, string>;

/** The rules of ignore files, written for one folder, lowest precedence first. */
export interface WrittenRules {
  readonly lines: readonly string[];
  /** The number of rules of folders below. Each of them costs ripgrep time for each file. */
  readonly below: number;
}

/** The workspace itself is above each folder in it. */
const depthOf = (folder: string): number => (folder === '' ? 0 : folder.split('/').length);

/** Adds the rules of the folders above the workspace. */
function addFromAbove(rootPath: string, here: readonly string[], lines: ReadonlyMap<string, string[]>): void {
  const above = dirname(rootPath) === rootPath ? [] : foldersAbove(rootPath);
  for (const { folder, names } of above)
    for (const [file, list] of lines) {
      const text = readAbove(join(folder, file));
      if (text !== undefined) list.push(...rulesFromAbove(text, [...names, ...here]));
    }
}

/**
 * Writes ignore files as the rules of one folder. The lists of repositories come first, because ripgrep prefers each ignore file of a
 * folder to each of them.
 *
 * @param place the folder, relative to the workspace
 * @param nested whether ignore files in the folder and below it are included
 */
export function writeRules(rootPath: string, place: string, texts: IgnoreTexts, nested: boolean): WrittenRules {
  const lines = new Map<string, string[]>([
    [EXCLUDE_FILE, []],
    [IGNORE_FILE, []],
  ]);
  const here = utf8Names(place);
  let below = 0;
  addFromAbove(rootPath, here, lines);
  const inOrder = [...texts].toSorted(([one], [other]) => depthOf(folderOf(one)) - depthOf(folderOf(other)) || (one < other ? -1 : 1));
  for (const [path, text] of inOrder) {
    const folder = folderOf(path);
    const isList = nameOf(path) !== IGNORE_FILE;
    const list = lines.get(isList ? EXCLUDE_FILE : IGNORE_FILE);
    if (folder !== place && (folder === '' || place.startsWith(`${folder}/`))) {
      list?.push(...rulesFromAbove(text, here.slice(utf8Names(folder).length)));
    } else if ((isList || nested) && (place === '' || folder === place || folder.startsWith(`${place}/`))) {
      const rules = rulesFromBelow(text, utf8Names(folder).slice(here.length)) ?? [];
      if (folder !== place) below += rules.length;
      list?.push(...rules);
    }
  }
  return { lines: [...lines.values()].flat(), below };
}

/** Returns the folders above a path, outermost first, with the way from them to it. */
function foldersAbove(path: string): Array<{ readonly folder: string; readonly names: readonly string[] }> {
  const names = path.split('/').slice(1);
  return names.map((_, depth) => ({ folder: `/${names.slice(0, depth).join('/')}`, names: names.slice(depth) }));
}

/** Returns where the ignore files of a folder, and of the folders above it in the workspace, are. */
export function ignoreFilesAbove(place: string): string[] {
  const folders = [
    '',
    ...place
      .split('/')
      .filter((name) => name !== '')
      .map((_, index, names) => names.slice(0, index + 1).join('/')),
  ];
  return folders.flatMap((folder) => [joinPath(folder, EXCLUDE_FILE), joinPath(folder, IGNORE_FILE)]);
}

/** Maximum number of ignore files to name. */
const MAX_TOLD = 3;

/** Says which ignore files a search did not apply, and why. */
export function unappliedNote(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_TOLD ? ` and ${paths.length - MAX_TOLD} more` : '';
  return [`Not applied, because it is a link, not a file, or larger than 512 kB: ${paths.slice(0, MAX_TOLD).join(', ')}${more}.`];
}
