import type { Wanted } from './changed-part.ts';
import type { CompareIndents } from './reindent.ts';
import { indentOf } from './tiers.ts';

/** Characters behind which the next line stands further in. */
const OPENS = /[{([:=>]$/u;

function isBlank(line: string): boolean {
  return line.trim() === '';
}

/**
 * Completes a text of one line that was found behind white space of the file: the file indents it further than it was given,
 * and the other lines of the new text may be meant as they are, or to be moved as well.
 * @param before the white space of the file before the place
 * @returns the texts that are meant; undefined where that is not clear
 */
export function completeMargin(wanted: Wanted, before: string, compare: CompareIndents): (Wanted & { readonly before: string }) | undefined {
  const [first = '', ...others] = wanted.old.split('\n');
  const [newFirst = '', ...newOthers] = wanted.new.split('\n');
  const asGiven = { ...wanted, before: '' };
  const indent = indentOf(first);
  const rest = newOthers.filter((line) => !isBlank(line));
  // Other lines of the old text stand where the file has them: then only the first was given, and all of it, without its
  // indentation. With a part of it, the text is that of another place.
  if (others.some((line) => !isBlank(line))) return indent === '' ? asGiven : undefined;
  if (rest.length === 0 && indentOf(newFirst) === indent) return asGiven;
  const margin = before + indent;
  if (indent !== '') {
    const reindent = compare([first], () => before + first)?.apply(wanted.new);
    return reindent === undefined ? undefined : { old: before + wanted.old, new: reindent, before };
  }
  if (rest.some((line) => !line.startsWith(margin))) return undefined;
  return OPENS.test(newFirst.trimEnd()) && indentOf(rest[0] ?? '') === margin ? undefined : asGiven;
}
