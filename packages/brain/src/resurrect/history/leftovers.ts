import { atLine, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../notebook.ts';
import { usuallyHoldsSecrets } from './secret-files.ts';

/** A note or a conflict that someone left in a file. */
export interface Leftover {
  readonly kind: 'note' | 'conflict';
  readonly path: string;
  readonly text: string;
  readonly evidence: Evidence;
}

/** Notes to oneself in capitals at the beginning of a comment, and the lines that git writes around a conflict. */
const PATTERN = String.raw`(?:#|//|/\*|\*|--|;|%|<!--|\{)\s*@?(?:TODO|FIXME|XXX|HACK)\b|^(?:<<<<<<<|>>>>>>>) `;
const CONFLICT = /^(?:<{7}|>{7}) /u;
/** From the note on: what stands before it is code. */
const NOTE = /\b(?:TODO|FIXME|XXX|HACK)\b.*/u;
/** A note whose words stand on the next line. */
const BARE = /^\w+\W*$/u;

/** Files searched: each costs one short run of the search program. */
const MAXIMUM_FILES = 6;
/** Matches taken of one file. */
const MATCHES_PER_FILE = 20;

/** A text in which such a note is data and not meant: documents talk about them. */
const PROSE = /\.(?:md|markdown|mdx|rst|adoc|txt|lock)$/iu;

/** Where to look. */
export interface LeftoverPlaces {
  /** Searched first, whatever their kind. */
  readonly conflicted: readonly string[];
  /** Files that were worked on, the latest first. */
  readonly recent: readonly string[];
  /** Whether a file is still there, as far as is known. */
  mayExist(path: string): boolean;
}

/** Searches the files that were worked on last. */
export async function findLeftovers(ask: Ask, places: LeftoverPlaces): Promise<Leftover[]> {
  const recent = places.recent.filter((path) => !path.endsWith('/') && places.mayExist(path) && !PROSE.test(path) && !usuallyHoldsSecrets(path));
  const paths = [...new Set([...places.conflicted, ...recent])].slice(0, MAXIMUM_FILES);
  const found = await Promise.all(
    paths.map(async (path) => {
      const answer = await ask('search_text', { pattern: PATTERN, path, limit: MATCHES_PER_FILE });
      if (!answer.ok) return [];
      return answer.data.matches.flatMap(({ line, text }): Leftover[] => {
        const evidence = atLine(answer, path, line);
        if (CONFLICT.test(text)) return [{ kind: 'conflict', path, text, evidence }];
        const note = NOTE.exec(text)?.[0] ?? '';
        return BARE.test(note) ? [] : [{ kind: 'note', path, text: note, evidence }];
      });
    }),
  );
  return found.flat();
}
