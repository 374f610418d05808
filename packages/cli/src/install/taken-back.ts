import { commonEnds } from '@synapse/hands';
import { hash } from 'node:crypto';

/** The one place at which two texts differ. It holds no more of a file than what was changed. */
export interface TextChange {
  readonly offset: number;
  readonly removed: string;
  readonly inserted: string;
  /** SHA-256 of the whole text afterwards. */
  readonly digest: string;
}

const digestOf = (text: string): string => hash('sha256', text, 'hex');

/** What turns one text into another. */
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
 * The text as it was before a change. Where others changed it as well, something that was only inserted
 * is looked for; undefined says that it is not there just as it was, or more than once.
 */
export function takeBack(text: string, { offset, removed, inserted, digest }: TextChange): string | undefined {
  const untouched = digestOf(text) === digest;
  // A replaced part may be a single letter, which is found anywhere.
  if (!untouched && removed.trim() !== '') return undefined;
  const at = untouched ? offset : text.indexOf(inserted);
  if (at === -1 || (!untouched && text.includes(inserted, at + 1))) return undefined;
  return text.slice(0, at) + removed + text.slice(at + inserted.length);
}
