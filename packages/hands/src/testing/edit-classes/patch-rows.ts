import type { RealEdit } from '../real-edits.ts';
import { type Attempt, type EditClass, hasKnownCharacter, type LineChange, losesIndents } from './edit-class.ts';
import { CHARACTER_CHANGES, END_CHANGES, INDENT_CHANGES } from './line-changes.ts';

/** Returns the lines of a hunk, with their marks. */
export function hunkOf(edit: RealEdit): string[] {
  return [...edit.marked];
}

export const envelope = (...lines: readonly string[]): string => ['*** Begin Patch', '*** Update File: x', ...lines, '*** End Patch'].join('\n');
export const unified = (...lines: readonly string[]): string => ['--- a/x', '+++ b/x', ...lines, ''].join('\n');

export function header(edit: RealEdit, shift = 0): string {
  return `@@ -${edit.line + 1 + shift},${edit.old.length} +${edit.line + 1 + shift},${edit.new.length} @@`;
}

export function patched(edit: RealEdit, patch: string): Attempt {
  return { before: edit.before, made: { patch }, right: [edit.after] };
}

export function patchRow(name: string, attempt: EditClass['attempt'], outcome: EditClass['outcome'] = 'right or refused'): EditClass {
  return { name: `patch: ${name}`, outcome, attempt };
}

/** Which lines of a hunk a change is made in, by their marks. */
const WHERE: ReadonlyArray<readonly [name: string, marks: string, unlessExact: boolean]> = [
  ['all lines', ' -+', false],
  ['old lines', ' -', false],
  ['unchanged lines', ' ', false],
  ['removed lines', '-', false],
  ['added lines', '+', true],
  ['marked lines', '-+', false],
];

function changedHunk(edit: RealEdit, { line: change }: LineChange, marks: string): string[] | undefined {
  const lines = hunkOf(edit);
  if (
    losesIndents(
      { name: '', line: change },
      lines.map((line) => line.slice(1)),
    )
  )
    return undefined;
  const changed = lines.map((line) => {
    if (!marks.includes(line[0] ?? ' ')) return line;
    const other = change(line.slice(1));
    return other === undefined ? undefined : (line[0] ?? '') + other;
  });
  const added = changed.filter((line) => line?.startsWith('+')).map((line) => line ?? '');
  if (marks.includes('+') && hasKnownCharacter(edit.before, added)) return undefined;
  if (changed.includes(undefined) || changed.join('\n') === lines.join('\n')) return undefined;
  return changed.map((line) => line ?? '');
}

function changed(change: LineChange, isSlip: boolean): EditClass[] {
  return WHERE.filter(([, , slips]) => isSlip || !slips).map(([where, marks]) =>
    patchRow(`${where}: ${change.name}`, (edit) => {
      const lines = changedHunk(edit, change, marks);
      // Added lines alone that are further in are another edit.
      if (lines === undefined || (!isSlip && !lines.some((line, index) => !line.startsWith('+') && line !== hunkOf(edit)[index]))) return undefined;
      return patched(edit, envelope('@@', ...lines));
    }),
  );
}

/** Whether other indentation of the added lines alone is a slip: a file has one kind of white space. */
const IS_SLIP = /^(?:1 more spaces|tabs for \d spaces(?:, the rest as spaces)?$)/u;

/** The classes of `apply_patch` whose lines are written otherwise. */
export const PATCH_LINE_ROWS: readonly EditClass[] = [
  ...INDENT_CHANGES.flatMap((change) => changed(change, IS_SLIP.test(change.name))),
  ...CHARACTER_CHANGES.flatMap((change) => changed(change, true)),
  ...END_CHANGES.flatMap((change) => changed(change, false)),
];
