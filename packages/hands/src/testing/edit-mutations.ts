import type { RealEdit } from './real-edits.ts';

/** An edit as a model makes it, and the correct texts after it. */
export interface MutatedEdit {
  readonly before: string;
  readonly old: string;
  readonly new: string;
  readonly right: readonly string[];
}

/** Applies a mistake of models to an edit; undefined if it does not apply. */
export type Mutation = (edit: RealEdit, index: number) => MutatedEdit | undefined;

const text = (lines: readonly string[]): string => lines.join('\n');
const INDENT = /^[ \t]*/u;

function given({ before, after }: RealEdit, old: string, fresh: string): MutatedEdit {
  return { before, old, new: fresh, right: [after] };
}

/** Changes all lines of both texts; undefined if the old text stays the same. */
function eachLine(change: (line: string) => string): Mutation {
  return (edit) => {
    const old = text(edit.old.map(change));
    return old === text(edit.old) ? undefined : given(edit, old, text(edit.new.map(change)));
  };
}

function eachIndent(change: (indent: string) => string): Mutation {
  return eachLine((line) => (line.trim() === '' ? line : line.replace(INDENT, change)));
}

/** Applies a mutation only if every line of the edit has an indent that matches. */
function whereIndented(pattern: RegExp, mutation: Mutation): Mutation {
  return (edit, index) =>
    [...edit.old, ...edit.new].every((line) => pattern.test(INDENT.exec(line)?.[0] ?? '')) ? mutation(edit, index) : undefined;
}

function smart(value: string): string {
  return value
    .replace(/(^|[\s([{=:,])"/gu, '$1“')
    .replaceAll('"', '”')
    .replace(/(^|[\s([{=:,“])'/gu, '$1‘')
    .replaceAll("'", '’');
}

function numbered(mark: string, width: number): Mutation {
  return (edit) => {
    const number = (lines: readonly string[]): string =>
      text(lines.map((line, index) => `${String(edit.line + 1 + index).padStart(width)}${mark}${line}`));
    return given(edit, number(edit.old), number(edit.new));
  };
}

/** Mutations by name. A mutated edit must succeed correctly or be refused. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'as it is': (edit) => given(edit, text(edit.old), text(edit.new)),
  'whole lines': (edit) => given(edit, `${text(edit.old)}\n`, `${text(edit.new)}\n`),
  'CRLF in the file': (edit) => ({
    before: edit.before.replaceAll('\n', '\r\n'),
    old: text(edit.old),
    new: text(edit.new),
    right: [edit.after.replaceAll('\n', '\r\n')],
  }),
  'no last line end in the file': (edit) => {
    const isLast = edit.line + edit.old.length === edit.before.split('\n').length - 1;
    if (!isLast) return undefined;
    const before = edit.before.slice(0, -1);
    return { before, old: `${text(edit.old)}\n`, new: `${text(edit.new)}\n`, right: [edit.after, edit.after.slice(0, -1)] };
  },
  'the file cut behind the edit, no last line end': (edit) => {
    const before = text(edit.before.split('\n').slice(0, edit.line + edit.old.length));
    const after = text([...edit.before.split('\n').slice(0, edit.line), ...edit.new]);
    return before.split(text(edit.old)).length === 2
      ? { before, old: `${text(edit.old)}\n`, new: `${text(edit.new)}\n`, right: [after, `${after}\n`] }
      : undefined;
  },
  'typographic quotes in old text': (edit) =>
    smart(text(edit.old)) === text(edit.old) ? undefined : given(edit, smart(text(edit.old)), text(edit.new)),
  'typographic quotes in both': eachLine(smart),
  'four spaces for two': whereIndented(
    /^(?: {2})*$/u,
    eachIndent((indent) => ' '.repeat(indent.length * 2)),
  ),
  'four spaces for two, comments too': whereIndented(
    /^(?: {2})* ?$/u,
    eachIndent((indent) => ' '.repeat(Math.floor(indent.length / 2) * 4 + (indent.length % 2))),
  ),
  'two spaces for four': whereIndented(
    /^(?: {4})*$/u,
    eachIndent((indent) => ' '.repeat(indent.length / 2)),
  ),
  'tabs for two spaces': whereIndented(
    /^(?: {2})*$/u,
    eachIndent((indent) => '\t'.repeat(indent.length / 2)),
  ),
  'tabs for four spaces': whereIndented(
    /^(?: {4})*$/u,
    eachIndent((indent) => '\t'.repeat(indent.length / 4)),
  ),
  'four spaces for tabs': whereIndented(
    /^\t*$/u,
    eachIndent((indent) => ' '.repeat(indent.length * 4)),
  ),
  'indented by two more': eachIndent((indent) => `  ${indent}`),
  'indented by four more': eachIndent((indent) => `    ${indent}`),
  'indented by a tab more': eachIndent((indent) => `\t${indent}`),
  'indented by two less': whereIndented(
    /^ {2}/u,
    eachIndent((indent) => indent.slice(2)),
  ),
  'white space at line ends of old text': (edit) => given(edit, text(edit.old.map((line) => `${line}  `)), text(edit.new)),
  'line numbers of cat -n': numbered('\t', 6),
  'line numbers with a colon': numbered(': ', 1),
  'line numbers with a bar': numbered(' | ', 4),
  'an empty first line': (edit) => given(edit, `\n${text(edit.old)}`, `\n${text(edit.new)}`),
  'empty lines at the end': (edit) => given(edit, `${text(edit.old)}\n\n`, `${text(edit.new)}\n\n`),
  'elided new text': (edit) => {
    if (edit.head + edit.tail === 0 || edit.new.length < 4) return undefined;
    const middle = Math.floor(edit.new.length / 2);
    return given(edit, text(edit.old), text(edit.new.toSpliced(middle, 1, '// ... existing code ...')));
  },
  'the same edit twice': (edit) =>
    edit.after.includes(text(edit.old)) ? undefined : { ...given(edit, text(edit.old), text(edit.new)), before: edit.after },
};

/** A patch as a model makes it, and the correct text after it. */
export interface MutatedPatch {
  readonly before: string;
  readonly patch: string;
  readonly right: string;
}

interface PatchParts {
  readonly lines: readonly string[];
}

/** Returns the lines of a hunk, with their marks. */
function hunkOf(edit: RealEdit): PatchParts['lines'] {
  const removed = edit.old.slice(edit.head, edit.old.length - edit.tail);
  const added = edit.new.slice(edit.head, edit.new.length - edit.tail);
  const mark = (sign: string, lines: readonly string[]): string[] => lines.map((line) => sign + line);
  const tail = edit.tail === 0 ? [] : edit.old.slice(-edit.tail);
  return [...mark(' ', edit.old.slice(0, edit.head)), ...mark('-', removed), ...mark('+', added), ...mark(' ', tail)];
}

const envelope = (...lines: readonly string[]): string => ['*** Begin Patch', '*** Update File: x', ...lines, '*** End Patch'].join('\n');
const unified = (...lines: readonly string[]): string => ['--- a/x', '+++ b/x', ...lines, ''].join('\n');

function patched(edit: RealEdit, patch: string): MutatedPatch {
  return { before: edit.before, patch, right: edit.after };
}

/** Returns two distant edits of one file. */
function twice(edit: RealEdit): readonly [first: string[], second: string[], right: string] | undefined {
  const all = edit.before.slice(0, -1).split('\n');
  const other = all.findIndex(
    (line, at) => at > edit.line + edit.old.length + 3 && line.trim().length > 8 && all.indexOf(line) === all.lastIndexOf(line),
  );
  if (other === -1) return undefined;
  const changed = all.with(other, `${all[other]} // changed`);
  const right = `${[...changed.slice(0, edit.line), ...edit.new, ...changed.slice(edit.line + edit.old.length)].join('\n')}\n`;
  const grown = edit.new.length - edit.old.length;
  const header = `@@ -${edit.line + 1},${edit.old.length} +${edit.line + 1},${edit.new.length} @@`;
  return [[header, ...hunkOf(edit)], [`@@ -${other + 1} +${other + 1 + grown} @@`, `-${all[other]}`, `+${all[other]} // changed`], right];
}

const withoutNumbers = (lines: readonly string[]): string[] => lines.map((line, index) => (index === 0 ? '@@' : line));

/** Mutations of patches, by name. */
export const PATCH_MUTATIONS: Readonly<Record<string, (edit: RealEdit) => MutatedPatch | undefined>> = {
  'as it is': (edit) => patched(edit, envelope('@@', ...hunkOf(edit))),
  'unchanged lines without their space': (edit) =>
    edit.head + edit.tail === 0
      ? undefined
      : patched(edit, envelope('@@', ...hunkOf(edit).map((line) => (line.startsWith(' ') ? line.slice(1) : line)))),
  'the same in a unified diff': (edit) =>
    edit.head + edit.tail === 0
      ? undefined
      : patched(
          edit,
          unified(
            `@@ -${edit.line + 1},${edit.old.length} +${edit.line + 1},${edit.new.length} @@`,
            ...hunkOf(edit).map((line) => (line.startsWith(' ') ? line.slice(1) : line)),
          ),
        ),
  'additions without context and with wrong numbers': (edit) => {
    const removed = edit.old.length - edit.head - edit.tail;
    const added = hunkOf(edit).filter((line) => line.startsWith('+'));
    return removed > 0 ? undefined : patched(edit, unified(`@@ -${edit.line + 2},0 +${edit.line + 3},${added.length} @@`, ...added));
  },
  'additions without context': (edit) => {
    const removed = edit.old.length - edit.head - edit.tail;
    return removed > 0 ? undefined : patched(edit, envelope('@@', ...hunkOf(edit).filter((line) => line.startsWith('+'))));
  },
  'typographic quotes': (edit) => {
    const lines = hunkOf(edit);
    const old = lines.filter((line) => !line.startsWith('+')).join('\n');
    return smart(old) === old ? undefined : patched(edit, envelope('@@', ...lines.map((line) => (line[0] ?? '') + smart(line.slice(1)))));
  },
  'indented by four more': (edit) =>
    patched(edit, envelope('@@', ...hunkOf(edit).map((line) => (line.slice(1).trim() === '' ? line : `${line[0] ?? ''}    ${line.slice(1)}`)))),
  'wrong numbers': (edit) =>
    patched(edit, unified(`@@ -${edit.line + 40},${edit.old.length} +${edit.line + 40},${edit.new.length} @@`, ...hunkOf(edit))),
  'hunks in order': (edit) => {
    const [first, second, right] = twice(edit) ?? [];
    return first && second && right !== undefined ? { before: edit.before, patch: unified(...first, ...second), right } : undefined;
  },
  'hunks out of order': (edit) => {
    const [first, second, right] = twice(edit) ?? [];
    return first && second && right !== undefined ? { before: edit.before, patch: unified(...second, ...first), right } : undefined;
  },
  'hunks out of order, without numbers': (edit) => {
    const [first, second, right] = twice(edit) ?? [];
    return first && second && right !== undefined
      ? { before: edit.before, patch: envelope(...withoutNumbers(second), ...withoutNumbers(first)), right }
      : undefined;
  },
};
