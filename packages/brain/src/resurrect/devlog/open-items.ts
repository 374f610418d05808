import type { Fact } from '../metadata/manifest.ts';
import { FOREIGN_DONE, FOREIGN_LABELS, FOREIGN_STUCK } from './plan-words.ts';

/** An open item of a log. */
export interface OpenItem extends Fact {
  /** `stuck`: a blocker. */
  readonly kind: 'stuck' | 'next' | 'box';
}

const BOX = /^\s*(?:[-*+]|\d+[.)])\s+\[ \]\s+(\S.*)$/u;
export const CHECKED = /^\s*(?:[-*+]|\d+[.)])\s+\[[xX-]\]\s/u;
export const BULLET = /^\s*(?:[-*+•]|\d+[.)])\s+(\S.*)$/u;

const ENGLISH_LABELS = String.raw`(?:still\s+)?(?:stuck|blocked|blockers?|unresolved|broken|failing|problem|waiting)(?:\s+(?:on|at|by|with|for))?|next(?:\s+(?:steps?|up|time|session))?|to-?dos?|still\s+(?:to\s+do|open|missing)|left(?:\s+to\s+do)?|remaining|open(?:\s+(?:question|issue|point|item|task)s?)?|resume(?:\s+(?:at|with))?|continue(?:\s+with)?|pick\s+up(?:\s+at)?|tomorrow|wip|in\s+progress|plan(?:ned)?`;
const LABEL = new RegExp(
  String.raw`^\s*(?:[-*+•]\s+|>\s+)?(?:\*\*|__)?(?<label>${ENGLISH_LABELS}|${FOREIGN_LABELS})(?:\*\*|__)?\s*[:：](?:\*\*|__)?(?:\s+(?<words>.*))?$`,
  'iu',
);
const STUCK = new RegExp(`^(?:still\\s+)?(?:stuck|blocked|blocker|unresolved|broken|failing|problem|waiting|${FOREIGN_STUCK})`, 'iu');
/** Matches a sentence about a blocker without a label. */
const SENTENCE = /^\s*(?:[-*+•]\s+)?(?:\w+\s+){0,3}?(?:stuck|blocked)\s+(?:on|at|with|by|because)\b/iu;
/** Matches items that are struck out or marked as done. */
const DONE = new RegExp(`~~|\\b(?:done|solved|fixed|unblocked|no longer|${FOREIGN_DONE})[.!]?\\s*$`, 'iu');

/** Maximum number of lines to join into one paragraph or item. */
const JOINED = 4;

/** Joins an item with its continuation lines. */
export function whole(body: readonly Fact[], index: number): Fact {
  const first = body[index];
  if (first === undefined) return { value: '', line: 0 };
  const isItem = BULLET.test(first.value);
  const words = [(BULLET.exec(first.value)?.[1] ?? first.value).trim()];
  for (let at = index + 1; at < body.length && words.length < JOINED; at += 1) {
    const next = body[at];
    if (next === undefined || next.line !== first.line + (at - index) || BULLET.test(next.value) || LABEL.test(next.value)) break;
    // Continuation lines of an item are indented.
    if (isItem && !/^\s/u.test(next.value)) break;
    words.push(next.value.trim());
  }
  return { value: words.join(' '), line: first.line };
}

/** Whether a line is an unchecked checkbox. */
export const isBox = ({ value }: Fact): boolean => BOX.test(value);

/** Returns the unchecked checkboxes of a text. */
export function boxes(body: readonly Fact[]): OpenItem[] {
  return body.flatMap((fact, index): OpenItem[] =>
    isBox(fact) ? [{ kind: 'box', line: fact.line, value: whole(body, index).value.replace(/^\[ \]\s+/u, '') }] : [],
  );
}

/** Whether an item is struck out, checked or marked as done. */
const isDone = ({ value }: Fact): boolean => DONE.test(value) || CHECKED.test(value);

/** Returns the open items below a label. */
function itemsBelow(body: readonly Fact[], index: number, kind: OpenItem['kind']): OpenItem[] {
  const items: OpenItem[] = [];
  for (let at = index + 1; at < body.length; at += 1) {
    const next = body[at];
    if (next === undefined) break;
    if (BULLET.test(next.value)) {
      if (!isBox(next) && !isDone(next)) items.push({ kind, ...whole(body, at) });
      continue;
    }
    const continuesItem = items.length > 0 && /^\s/u.test(next.value);
    if (!continuesItem) break;
  }
  return items;
}

/** Returns the content of lines such as `Stuck: …` and `Next: …`, or the items below such a line. */
export function labelled(body: readonly Fact[]): OpenItem[] {
  return body.flatMap((fact, index): OpenItem[] => {
    if (isDone(fact) || isBox(fact)) return [];
    const groups = LABEL.exec(fact.value)?.groups;
    if (groups === undefined) {
      return SENTENCE.test(fact.value) ? [{ kind: 'stuck', ...whole(body, index) }] : [];
    }
    const kind = STUCK.test(groups['label'] ?? '') ? 'stuck' : 'next';
    const words = groups['words']?.trim() ?? '';
    if (words === '') return itemsBelow(body, index, kind);
    const { value } = whole(body, index);
    return [{ kind, line: fact.line, value: value.slice(value.indexOf(words.slice(0, 20))) }];
  });
}
