import type { Evidence } from '../evidence/evidence.ts';
import { codeLines } from './code-lines.ts';
import { isTest } from './path-kinds.ts';
import type { RecentText } from './recent-texts.ts';

/** Something left in a file to deal with later. */
export interface Leftover {
  readonly kind: 'note' | 'conflict' | 'skipped-test' | 'only-test';
  readonly path: string;
  readonly text: string;
  readonly evidence: Evidence;
}

/** A note in capitals at the start of a comment. */
export const NOTE = /(?:#|\/\/|\/\*|\*|--|;|%|<!--|\{)\s*@?((?:TODO|FIXME|XXX|HACK)\b.*)/u;
/** A note whose text is on the next line. */
const BARE = /^\w+\W*$/u;
const OPENING = /^<{7} /u;
const CLOSING = /^>{7} /u;

/** Matches unconditionally skipped tests in various frameworks. */
const SKIPPED =
  /\b(?:it|test|describe|context)\.(?:skip|todo|fails)\b(?!If)|\bx(?:it|describe|test|context|specify)\s*[('"]|@pytest\.mark\.(?:skip|xfail)\b(?!if)|@unittest\.(?:skip\b(?!If|Unless)|expectedFailure)|#\[ignore\b|@(?:Disabled|Ignore)\b(?!If|On)|\[(?:Fact|Theory)\(\s*Skip\s*=|\[Ignore\b|\bmarkTest(?:Skipped|Incomplete)\(|@tag\s+:?skip\b|^\s*t\.Skip(?:f|Now)?\(|^\s*(?:skip|pending)(?:\s*\(?\s*["']|\s*$)/u;
/** A test that prevents all others from running. */
const ONLY = /\b(?:it|test|describe|context)\.only\s*\(|^\s*f(?:it|describe|context)\s*[("']/u;
/** `if testing.Short() {` before a skip: the test still runs in other cases. */
const CONDITION = /^\s*(?:if|unless|else)\b/u;

/** Whether a line was written recently. */
export type IsRecentLine = (path: string, line: string) => boolean;

/** Returns the text of a note, without the end of its comment. */
const noteIn = (comment: string): string | undefined => NOTE.exec(comment)?.[1]?.replace(/\s*(?:\*\/|-->)\s*$/u, '');

/** Returns how a line of a test keeps tests from running; undefined if it does not. */
function turnedOffIn(code: string, before = ''): 'only-test' | 'skipped-test' | undefined {
  if (ONLY.test(code)) return 'only-test';
  return SKIPPED.test(code) && !CONDITION.test(before) ? 'skipped-test' : undefined;
}

/** Finds leftovers in recently changed files: all conflict markers, and recent notes and skipped tests. */
export function findLeftovers(texts: readonly RecentText[], isRecent: IsRecentLine): Leftover[] {
  return texts.flatMap(({ path, text, at }) => {
    const lines = text.split(/\r?\n/u);
    const apart = codeLines(text, path);
    const isConflicted = lines.some((line) => CLOSING.test(line)) && lines.includes('=======');
    return lines.flatMap((line, index): Leftover[] => {
      const found = (kind: Leftover['kind'], words: string): Leftover[] => [{ kind, path, text: words, evidence: at(index + 1) }];
      if (isConflicted && OPENING.test(line)) return found('conflict', line);
      const code = apart?.code[index] ?? line;
      const note = noteIn(apart?.comments[index] ?? line);
      if (note !== undefined) return BARE.test(note) || !isRecent(path, line) ? [] : found('note', note);
      const turnedOff = isTest(path) && isRecent(path, line) ? turnedOffIn(code, lines[index - 1]) : undefined;
      return turnedOff === undefined ? [] : found(turnedOff, line.trim());
    });
  });
}
