import { gitignoreMatcher } from './gitignore-pattern.ts';
import type { Location } from './guarded-location.ts';

/** Whether a pattern matches something below a folder. */
export type Below = 'certain' | 'maybe' | 'no';

/** A gitignore pattern over the workspace, or over the whole machine (`//abs`, `~/`). */
export interface PathPattern {
  readonly text: string;
  /** Matches exactly as written, for allow rules. */
  matches(location: Location): boolean;
  /** Matches every name that a lenient file system may treat as the same, for deny and ask rules. */
  matchesLoosely(location: Location): boolean;
  /** Whether the pattern may match something below a place that it does not match itself. */
  below(location: Location): Below;
  /** The pattern for tools that walk the workspace; undefined for places outside it. */
  readonly gitignore: string | undefined;
}

/** Maximum length of a pattern in characters. With the longest path, 4,096 bytes, it takes 4 million comparisons at most. */
const MAX_LENGTH = 1_000;
const UNIVERSAL = /^\/?(?:\*\*?(?:\/\*\*?)*|\.)\/?$/u;
const WILDCARD = /[*?[\\]/u;

/** Returns the segments before the first wildcard of an anchored pattern; undefined for other patterns. */
function staticSegments(pattern: string): { segments: string[]; rest: readonly string[] } | undefined {
  const body = pattern.replace(/\/$/u, '');
  if (!body.includes('/')) return undefined;
  const all = body.split('/').filter((segment) => segment !== '');
  const end = all.findIndex((segment) => WILDCARD.test(segment));
  const segments = end === -1 ? all : all.slice(0, end);
  return segments.length === 0 ? undefined : { segments, rest: all.slice(segments.length) };
}

function belowOf(pattern: string, fold: (text: string) => string): (path: string) => Below {
  const fixed = staticSegments(pattern);
  if (fixed === undefined) return () => 'maybe';
  const wanted = fixed.segments.map(fold);
  return (path) => {
    const given = path === '' ? [] : path.split('/');
    const shared = Math.min(given.length, wanted.length);
    for (let index = 0; index < shared; index += 1) if (given[index] !== wanted[index]) return 'no';
    if (wanted.length > given.length) return 'certain';
    if (fixed.rest.length === 0) return 'no';
    // `secrets/**` covers everything below `secrets`.
    return given.length === wanted.length && fixed.rest.every((segment) => segment === '**' || segment === '*') ? 'certain' : 'maybe';
  };
}

/**
 * Parses a path pattern of a rule.
 *
 * @param home the home folder, for `~`
 * @returns the pattern, or a message about what is wrong with it
 */
export function compilePathPattern(text: string, home: string): PathPattern | string {
  if (text.trim() === '') return 'the pattern is empty';
  if (text.length > MAX_LENGTH) return `the pattern is longer than ${MAX_LENGTH} characters`;
  if (text.includes('\n')) return 'the pattern holds a line break';
  if (text.startsWith('!')) return 'a pattern cannot be negated; write a rule of the other list';
  if (text.split('/').includes('..')) return '".." is not part of a pattern; use //absolute/path for places outside';
  const absolute = text.startsWith('//') ? text.slice(1) : text.startsWith('~/') ? `${home}${text.slice(1)}` : undefined;
  // In gitignore, a leading # starts a comment.
  const pattern = absolute ?? text.replace(/^\.\//u, '/').replace(/^#/u, String.raw`\#`);
  const universal = UNIVERSAL.test(pattern);
  const exact = gitignoreMatcher(pattern, false);
  const loose = gitignoreMatcher(pattern.normalize('NFKC'), true);
  const rawLoose = gitignoreMatcher(pattern, true);
  const inFolded = belowOf(pattern.normalize('NFKC').toLowerCase(), (segment) => segment.toLowerCase());
  const applies = (location: Location): boolean => absolute !== undefined || location.inside;
  const pathOf = (location: Location): string => (absolute === undefined ? location.path : location.absolute);
  const foldedOf = (location: Location): string => (absolute === undefined ? location.folded : location.absolute.toLowerCase());
  return {
    text,
    gitignore: absolute === undefined ? pattern : undefined,
    matches: (location) => applies(location) && (universal || exact(pathOf(location))),
    matchesLoosely: (location) => {
      if (!applies(location)) return false;
      if (universal) return true;
      const folded = foldedOf(location);
      const path = pathOf(location);
      // In gitignore, `build/` matches only a folder. A rule about it also covers the name itself.
      return loose(folded) || (pattern.endsWith('/') && folded !== '' && loose(`${folded}/`)) || (path !== folded && rawLoose(path));
    },
    below: (location) => (applies(location) ? inFolded(foldedOf(location)) : 'no'),
  };
}
