import type { RealEdit } from '../real-edits.ts';

/** What a class of edits must give. None may ever land wrong. */
export type Outcome = 'right' | 'refused' | 'right or refused';

/** An edit or a patch as a model makes it, and the texts that are right after it. */
export interface Attempt {
  readonly before: string;
  /** Edits of `edit_file`, or a patch for `apply_patch`. */
  readonly made: { readonly edits: ReadonlyArray<readonly [old: string, fresh: string]> } | { readonly patch: string; readonly path?: string };
  readonly right: readonly string[];
  /** Whether its class left out what is another edit. Default: no. */
  readonly isJudged?: boolean;
}

/** One class of mistakes of models. */
export interface EditClass {
  readonly name: string;
  /** What counts, beside a refusal: the text after the real commit, unless the attempt names others. */
  readonly outcome: Outcome;
  /** Undefined if the mistake does not apply to an edit. */
  attempt(edit: RealEdit, index: number): Attempt | undefined;
}

/** Changes a line; the same text if the mistake does not apply to it, undefined if the whole edit is left out. */
export interface LineChange {
  readonly name: string;
  readonly line: (line: string) => string | undefined;
}

export const INDENT = /^[ \t]*/u;

export function joined(lines: readonly string[]): string {
  return lines.join('\n');
}

/** Creates an attempt of one edit. */
export function oneEdit(edit: RealEdit, old: string, fresh: string, right: readonly string[] = [edit.after]): Attempt {
  return { before: edit.before, made: { edits: [[old, fresh]] }, right };
}

/** Changes all lines; undefined if one cannot be changed. */
export function changeLines({ line: change }: LineChange, lines: readonly string[]): string[] | undefined {
  const changed = lines.map((line) => change(line));
  return changed.some((line) => line === undefined) ? undefined : changed.map((line) => line ?? '');
}

/** Whether a change gives different indentations the same form: then nothing tells what was meant. */
export function losesIndents({ line: change }: LineChange, lines: readonly string[]): boolean {
  const indents = new Set(lines.filter((line) => line.trim() !== '').map((line) => INDENT.exec(line)?.[0] ?? ''));
  return new Set([...indents].map((indent) => INDENT.exec(change(`${indent}x`) ?? '')?.[0])).size < indents.size;
}

/** Whether changed lines have a character that is not plain and that the file has elsewhere: then it may be meant. */
export function hasKnownCharacter(before: string, lines: readonly string[]): boolean {
  return Array.from(joined(lines)).some((character) => (character.codePointAt(0) ?? 0) > 0x7f && before.includes(character));
}

/** Whether two lists of lines are equal. */
export function sameLines(a: readonly string[], b: readonly string[]): boolean {
  return joined(a) === joined(b) && a.length === b.length;
}
