import { dirname } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import type { NavigationUse } from './navigation-use.ts';
import { openSource, type SourceFile } from './source.ts';

/** Maximum number of lines that are collected to find the files. */
const MAX_LINES = 20_000;
/** Maximum total length of the texts, in characters. */
const MAX_CHARACTERS = 24_000_000;

/** The files that have a name as a word. */
export interface Mentions {
  readonly files: readonly SourceFile[];
  /** Number of further files, which were not read. */
  readonly left: number;
  /** Whether the search for them was not ended early. */
  readonly isWhole: boolean;
}

/** A text as a part of a regular expression, of ripgrep and of JavaScript. */
export const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|#&~-]/gu, String.raw`\$&`);

/** The paths with one of each folder first: each folder may belong to another project. */
function spread(paths: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return paths
    .map((path) => {
      const folder = dirname(path);
      const rank = seen.get(folder) ?? 0;
      seen.set(folder, rank + 1);
      return { path, rank };
    })
    .toSorted((a, b) => a.rank - b.rank || (a.path < b.path ? -1 : 1))
    .map(({ path }) => path);
}

/** How to look for a name. */
export interface MentionSearch {
  /** Extensions of files, without the dot; undefined for all files. */
  readonly extensions: readonly string[] | undefined;
  readonly path?: string;
  /** Also names that contain it, whatever their case. */
  readonly loose?: boolean;
  /** Also files whose path has a hidden name. */
  readonly hidden?: boolean;
}

/** Paths of the files that mention a name, and whether all were found. */
export async function findMentions(
  name: string,
  { extensions, path = '.', loose = false, hidden = false }: MentionSearch,
  use: NavigationUse,
): Promise<{ readonly paths: string[]; readonly isWhole: boolean }> {
  const glob = extensions?.length === 1 ? `**/*.${extensions[0]}` : `**/*.{${extensions?.join(',')}}`;
  const word = escaped(name);
  const found = await use.search.text(
    {
      pattern: loose ? word : String.raw`(?:^|[^\w$])${word}(?:[^\w$]|$)`,
      literal: false,
      case: loose ? 'insensitive' : 'sensitive',
      path,
      globs: extensions === undefined ? [] : [glob],
      hidden,
      ignore: true,
      context: 0,
      perFile: 1,
      limit: MAX_LINES,
    },
    use.workspace,
    use.signal,
  );
  return { paths: [...new Set(found.matches.map((match) => match.path))], isWhole: found.stoppedBy === undefined };
}

/** Paths of the files that mention a name, as far as a search finds them. */
export async function mentioning(name: string, extensions: readonly string[], path: string, use: NavigationUse, loose = false): Promise<string[]> {
  return (await findMentions(name, { extensions, path, loose }, use)).paths;
}

/** Reads the files that mention a name. */
export async function readMentions(paths: readonly string[], most: number, { workspace, signal }: NavigationUse, isWhole = true): Promise<Mentions> {
  const files: SourceFile[] = [];
  const chosen = spread(paths);
  let characters = 0;
  let seen = 0;
  for (const path of chosen) {
    signal.throwIfAborted();
    if (files.length >= most || characters > MAX_CHARACTERS) break;
    seen += 1;
    try {
      const source = await openSource(workspace, path);
      characters += source.text.length;
      files.push(source);
    } catch (error) {
      // Not text, too large, gone, or not to be read by this call.
      if (!isSynapseError(error)) throw error;
    }
  }
  return { files, left: chosen.length - seen, isWhole };
}
