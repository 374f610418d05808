import { commonEnds } from '@synapse/hands/internal';
import { hash } from 'node:crypto';

/** The one place where two texts differ. Stores only what was changed. */
export interface TextChange {
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
  /** The SHA-256 of the whole text after the change. */
  readonly digest: string;
}

const digestOf = (text: string): string => hash('sha256', text, 'hex');

/** The change from one text to another. */
export function changeBetween(before: string, after: string): TextChange {
  const [head, tail] = commonEnds(before, after);
  return {
    offset: head,
    removed: before.slice(head, before.length - tail),
    inserted: after.slice(head, after.length - tail),
    digest: digestOf(after),
  };
}

/**
 * The text before a change. If others changed it as well, an insertion is searched for; undefined if it is missing,
 * modified or ambiguous.
 */
export function revertChange(text: string, { offset, removed, inserted, digest }: TextChange): string | undefined {
  const untouched = digestOf(text) === digest;
  // A replaced part may be a single letter, which would match anywhere.
  if (!untouched && removed.trim() !== '') return undefined;
  const at = untouched ? offset : text.indexOf(inserted);
  if (at === -1 || (!untouched && text.includes(inserted, at + 1))) return undefined;
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
}
