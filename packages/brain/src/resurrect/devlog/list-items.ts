import type { Fact } from '../metadata/manifest.ts';
import { BULLET, CHECKED, isBox, whole } from './open-items.ts';
import type { Section } from './sections.ts';

/** Headings of tasks that come first, or last. */
export const URGENT = /\b(?:important|urgent|critical|must|high|now|asap|blockers?|p0)\b/iu;
export const LATER = /\b(?:maybe|someday|later|ideas?|wish(?:es|list)?|nice[- ]to[- ]have|low|long[- ]term|future|won['’]?t)\b/iu;

/** Items that are done: struck out, or with a mark of todo.txt, Org or a word. */
const DONE = /^\s*(?:[-*+•]\s+)?(?:x\s|~~|\[[xX]\]|(?:DONE|FIXED|CANCELL?ED)\b)|(?:[([](?:done|fixed|completed)[)\]]|\b(?:done|fixed)!?)\s*$|[✓✔✅]/u;
/** The mark in front of an open item: a priority of todo.txt, a keyword, or a bullet of Org. */
const MARK = /^(?:\([A-Z]\)\s+|\*{1,6}\s+|(?:TODO|FIXME|NEXT|OPEN)\b[:\s]*)+/u;
/** Lines of a table, a rule or a comment. */
const NO_ITEM = /^\s*(?:\||<!--|[-=*_~#]{3,}\s*$|\.\.\s|\[[^\]]+\]:\s)/u;
/** A line of prose about the list: it ends with a colon. */
const INTRODUCTION = /:\s*$/u;
/** Minimum length in characters of a line that may go on in the next one. */
const FULL_LINE = 60;

/** Joins lines of prose that were broken at the margin. */
function unbroken(lines: readonly Fact[]): Fact[] {
  const joined: { value: string; line: number; end: number; last: string }[] = [];
  for (const { value, line } of lines) {
    const before = joined.at(-1);
    const goesOn =
      before !== undefined && before.end + 1 === line && (/^\s/u.test(value) || (before.last.length >= FULL_LINE && /^\p{Ll}/u.test(value)));
    if (goesOn) Object.assign(before, { value: `${before.value} ${value.trim()}`, end: line, last: value });
    else joined.push({ value: value.trim(), line, end: line, last: value });
  }
  return joined.map(({ value, line }) => ({ value, line }));
}

/**
 * Returns the open items of a section of a to-do list, without checkboxes.
 *
 * @param isPlain whether the list has no bullets, so that each line is an item
 */
export function listItems({ body }: Section, isPlain: boolean): Fact[] {
  const items = isPlain
    ? unbroken(body.filter(({ value }) => !NO_ITEM.test(value) && !INTRODUCTION.test(value)))
    : body.flatMap((fact, index) => (BULLET.test(fact.value) && !isBox(fact) && !CHECKED.test(fact.value) ? [whole(body, index)] : []));
  return items
    .filter(({ value }) => !DONE.test(value))
    .map(({ value, line }) => ({ value: value.replace(MARK, ''), line }))
    .filter(({ value }) => value !== '');
}
