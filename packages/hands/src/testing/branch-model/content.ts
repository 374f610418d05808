import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export function must(isTrue: boolean, why: string): void {
  if (!isTrue) throw new Error(why);
}

export const NAMES = ['one', 'two', 'three'] as const;
export type Name = (typeof NAMES)[number];
/** Those of the second folder do not exist at first. */
export const PATHS = ['a', 'b', 'd/x', 'd/e/z', 'f/x', 'f/e/z'] as const;
export type Path = (typeof PATHS)[number];
export type Who = Name | 'person';

/** What a path has, as one text; null if there is nothing. A mark at its end says that a file is executable, so that this merges as a line does. */
export type Content = string | null;
export type Contents = ReadonlyMap<Path, Content>;

const EXECUTABLE = '\n#executable';
const LINK = '#link ';

export const isLink = (content: Content): boolean => content?.startsWith(LINK) === true;
export const isExecutable = (content: Content): boolean => content?.endsWith(EXECUTABLE) === true;
export const linkTo = (target: string): string => `${LINK}${target}`;
/** The text of a file. */
export const textOf = (content: Content): string => (content === null || isLink(content) ? '' : content.replace(EXECUTABLE, ''));
export const fileWith = (text: string, executable: boolean): string => (executable ? `${text}${EXECUTABLE}` : text);

export const linesOf = (content: Content): string[] => content?.split('\n').filter((line) => line !== '') ?? [];

export function contentOf(folder: string, at: Path): Content {
  const path = join(folder, at);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined || stat.isDirectory()) return null;
  return stat.isSymbolicLink() ? linkTo(readlinkSync(path)) : fileWith(readFileSync(path, 'utf8'), (stat.mode & 0o100) !== 0);
}

export const contentsIn = (folder: string): Map<Path, Content> => new Map(PATHS.map((at) => [at, contentOf(folder, at)]));

export const differing = (one: Contents, other: Contents): Path[] => PATHS.filter((at) => (one.get(at) ?? null) !== (other.get(at) ?? null));

/** Writes a file as an editor does. A link is replaced. */
export function putText(folder: string, at: string, text: string): void {
  const path = join(folder, at);
  mkdirSync(dirname(path), { recursive: true });
  if (!existsSync(path)) rmSync(path, { force: true });
  writeFileSync(path, text);
}
