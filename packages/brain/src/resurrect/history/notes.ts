import { atLine, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';
import { codeLines } from './code-lines.ts';
import { NOTE, type IsRecentLine, type Leftover } from './leftovers.ts';
import { isAside, isProse } from './path-kinds.ts';

/** The notes in the code of a project, such as `TODO`. */
export interface Notes {
  readonly lines: number;
  /** Files with their number of such lines, most first. */
  readonly files: readonly { readonly path: string; readonly lines: number }[];
  /** Notes that the recent changes added. */
  readonly recent: readonly Leftover[];
  /** The search, and the first lines. */
  readonly evidence: readonly Evidence[];
}

const PATTERN = String.raw`\b(?:TODO|FIXME|XXX|HACK)\b`;
const MATCHES = 600;
const MATCHES_PER_FILE = 100;
const SHOWN_EVIDENCE = 3;

/** A line in a comment of several lines. */
const INNER_LINE = /^\s*\*\s/u;

/** Returns the note in a comment of a line; undefined for a language whose comments are unknown. */
function noteIn(text: string, path: string): string | undefined {
  const comment = codeLines(text, path)?.comments[0];
  return comment === undefined ? undefined : NOTE.exec(INNER_LINE.test(text) ? text : comment)?.[1];
}

/** Finds the notes in all source files by one search; undefined if there are none, or too many to count. */
export async function findNotes(ask: Ask, isRecent: IsRecentLine): Promise<Notes | undefined> {
  const answer = await ask('search_text', { pattern: PATTERN, path: '.', hidden: true, context: 0, limit: MATCHES, per_file: MATCHES_PER_FILE });
  if (!answer.ok || answer.data.truncated !== undefined) return undefined;
  const hits = answer.data.matches.flatMap(({ path, line, text }) => {
    const note = path.startsWith('.git/') || isAside(path) || isProse(path) ? undefined : noteIn(text, path);
    return note === undefined ? [] : [{ path, text: note.trim(), raw: text, evidence: atLine(answer, path, line) }];
  });
  if (hits.length === 0) return undefined;
  const counts = new Map<string, number>();
  for (const { path } of hits) counts.set(path, (counts.get(path) ?? 0) + 1);
  return {
    lines: hits.length,
    files: [...counts].map(([path, lines]) => ({ path, lines })).sort((a, b) => b.lines - a.lines),
    recent: hits.filter(({ path, raw }) => isRecent(path, raw)).map(({ path, text, evidence }) => ({ kind: 'note', path, text, evidence })),
    evidence: [inAnswer(answer), ...hits.slice(0, SHOWN_EVIDENCE).map(({ evidence }) => evidence)],
  };
}
