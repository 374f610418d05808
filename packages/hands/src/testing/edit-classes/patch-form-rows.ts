import type { RealEdit } from '../real-edits.ts';
import type { EditClass } from './edit-class.ts';
import { envelope, header, hunkOf, patched, patchRow, unified } from './patch-rows.ts';

const context = (line: string): boolean => line.startsWith(' ');
const isAdded = (line: string): boolean => line.startsWith('+');

/** A header with other counts. */
function counted(
  name: string,
  change: (old: number, fresh: number, index: number) => readonly [number, number],
  outcome?: EditClass['outcome'],
): EditClass {
  return patchRow(
    `counts: ${name}`,
    (edit, index) => {
      const [old, fresh] = change(edit.old.length, edit.new.length, index);
      return patched(edit, unified(`@@ -${edit.line + 1},${Math.max(0, old)} +${edit.line + 1},${Math.max(0, fresh)} @@`, ...hunkOf(edit)));
    },
    outcome,
  );
}

/** Two distant edits of one file. */
function twice(edit: RealEdit): readonly [first: string[], second: string[], right: string] | undefined {
  const all = edit.before.slice(0, -1).split('\n');
  const other = all.findIndex(
    (line, at) => at > edit.line + edit.old.length + 3 && line.trim().length > 8 && all.indexOf(line) === all.lastIndexOf(line),
  );
  if (other === -1) return undefined;
  const changed = all.with(other, `${all[other]} // changed`);
  const right = `${[...changed.slice(0, edit.line), ...edit.new, ...changed.slice(edit.line + edit.old.length)].join('\n')}\n`;
  const grown = edit.new.length - edit.old.length;
  return [[header(edit), ...hunkOf(edit)], [`@@ -${other + 1} +${other + 1 + grown} @@`, `-${all[other]}`, `+${all[other]} // changed`], right];
}

const withoutNumbers = (lines: readonly string[]): string[] => lines.map((line, index) => (index === 0 ? '@@' : line));

function both(name: string, patch: (first: string[], second: string[]) => string): EditClass {
  return patchRow(name, (edit) => {
    const [first, second, right] = twice(edit) ?? [];
    return first && second && right !== undefined ? { ...patched(edit, patch(first, second)), right: [right] } : undefined;
  });
}

/** The nearest line before the edit that could be named behind @@: further out than the edit. */
function anchorOf(edit: RealEdit): string | undefined {
  const lines = edit.before.split('\n').slice(0, edit.line);
  return lines.findLast((line) => /^\s*(?:pub |async |export |static )*(?:def|class|fn|func|function|impl|struct|type|describe|it)\b/u.test(line));
}

/** The changed lines with at most `most` unchanged ones on each side. */
function narrow(edit: RealEdit, most: number): string[] {
  const lines = hunkOf(edit);
  const [first, last] = [lines.findIndex((line) => !context(line)), lines.findLastIndex((line) => !context(line))];
  return lines.slice(Math.max(0, first - most), last + 1 + most);
}

function anchored(name: string, most: number, before: boolean, after: boolean): EditClass {
  return patchRow(`@@ with a line before: ${name}`, (edit) => {
    const anchor = anchorOf(edit);
    const lines = narrow(edit, most);
    const [first, last] = [lines.findIndex((line) => !context(line)), lines.findLastIndex((line) => !context(line))];
    const used = lines.slice(before ? 0 : first, after ? undefined : last + 1);
    return anchor === undefined || used.every(isAdded) ? undefined : patched(edit, envelope(`@@ ${anchor.trim()}`, ...used));
  });
}

const atMark =
  (marks: string, change: (line: string) => string): ((edit: RealEdit) => string[]) =>
  (edit) =>
    hunkOf(edit).map((line) => (marks.includes(line[0] ?? '#') && line.trim().length > 1 ? (line[0] ?? '') + change(line.slice(1)) : line));

const marked = (name: string, lines: (edit: RealEdit) => string[]): EditClass[] =>
  [envelopeOf, unifiedOf].map(([form, make]) =>
    patchRow(`${name}${form}`, (edit) => (lines(edit).join('\n') === hunkOf(edit).join('\n') ? undefined : patched(edit, make(edit, lines(edit))))),
  );

type Form = readonly [name: string, make: (edit: RealEdit, lines: readonly string[]) => string];
const envelopeOf: Form = ['', (_, lines) => envelope('@@', ...lines)];
const unifiedOf: Form = [' (unified)', (edit, lines) => unified(header(edit), ...lines)];

/** Cuts a hunk after some of its lines. */
function cut(name: string, stated: boolean): EditClass {
  return patchRow(name, (edit, index) => {
    const lines = hunkOf(edit);
    const last = lines.findLastIndex((line) => !context(line));
    const first = lines.findIndex((line) => !context(line));
    const end = first + 1 + (index % Math.max(1, last - first));
    if (end > last) return undefined;
    return stated
      ? patched(edit, unified(header(edit), ...lines.slice(0, end)))
      : patched(edit, ['*** Begin Patch', '*** Update File: x', '@@', ...lines.slice(0, end)].join('\n'));
  });
}

/** The classes of `apply_patch` by the form of the patch: headers, counts, marks, and order. */
export const PATCH_FORM_ROWS: readonly EditClass[] = [
  patchRow('as it is', (edit) => patched(edit, envelope('@@', ...hunkOf(edit))), 'right or refused'),
  patchRow('unified, as it is', (edit) => patched(edit, unified(header(edit), ...hunkOf(edit)))),
  patchRow('a path and hunks alone', (edit) => ({
    ...patched(edit, [header(edit), ...hunkOf(edit), ''].join('\n')),
    made: { patch: [header(edit), ...hunkOf(edit), ''].join('\n'), path: 'x' },
  })),
  patchRow('a path and hunks without numbers', (edit) => ({ ...patched(edit, ''), made: { patch: ['@@', ...hunkOf(edit)].join('\n'), path: 'x' } })),
  patchRow('a path and the envelope without a file', (edit) => ({
    ...patched(edit, ''),
    made: { patch: ['*** Begin Patch', '@@', ...hunkOf(edit), '*** End Patch'].join('\n'), path: 'x' },
  })),
  patchRow('CRLF in the file', (edit) => ({
    ...patched(edit, envelope('@@', ...hunkOf(edit))),
    before: edit.before.replaceAll('\n', '\r\n'),
    right: [edit.after.replaceAll('\n', '\r\n')],
  })),
  patchRow('wrong numbers', (edit) => patched(edit, unified(header(edit, 39), ...hunkOf(edit)))),
  patchRow('numbers one too high', (edit) => patched(edit, unified(header(edit, 1), ...hunkOf(edit)))),
  counted('both one too high', (old, fresh) => [old + 1, fresh + 1]),
  counted('both one too low', (old, fresh) => [old - 1, fresh - 1]),
  counted('new one too high', (old, fresh) => [old, fresh + 1]),
  counted('new one too low', (old, fresh) => [old, fresh - 1]),
  counted('old one too high', (old, fresh) => [old + 1, fresh]),
  counted('old one too low', (old, fresh) => [old - 1, fresh]),
  counted('both three too high', (old, fresh) => [old + 3, fresh + 3]),
  counted('both those of the new lines', (_old, fresh) => [fresh, fresh]),
  counted('both those of the old lines', (old) => [old, old]),
  counted('one', () => [1, 1]),
  counted('none', () => [0, 0]),
  counted('any', (_old, _fresh, index) => [(index * 7) % 12, (index * 5) % 11]),
  both('wrong counts of the first of two hunks', ([first = '', ...rest], second) =>
    unified(
      first.replace(/,(\d+) \+(\d+),(\d+)/u, (_, a: string, b: string, c: string) => `,${Number(a) + 2} +${b},${Number(c) - 1}`),
      ...rest,
      ...second,
    ),
  ),
  both('hunks in order', (first, second) => unified(...first, ...second)),
  both('hunks out of order', (first, second) => unified(...second, ...first)),
  both('hunks out of order, without numbers', (first, second) => envelope(...withoutNumbers(second), ...withoutNumbers(first))),
  ...[0, 1, 3].flatMap((most) => [
    anchored(`${most} unchanged lines`, most, true, true),
    anchored(`${most} unchanged lines, none after`, most, true, false),
    anchored(`${most} unchanged lines, none before`, most, false, true),
  ]),
  ...marked(
    'a space after + and -',
    atMark('+-', (line) => ` ${line}`),
  ),
  ...marked(
    'a space after +',
    atMark('+', (line) => ` ${line}`),
  ),
  ...marked(
    'a space after -',
    atMark('-', (line) => ` ${line}`),
  ),
  ...marked(
    'a space after each mark',
    atMark(' +-', (line) => ` ${line}`),
  ),
  ...marked('+ twice', (edit) => hunkOf(edit).map((line) => (isAdded(line) ? `+${line}` : line))),
  ...marked('unchanged lines without their space', (edit) => hunkOf(edit).map((line) => (context(line) ? line.slice(1) : line))),
  ...marked('empty lines without their space', (edit) => hunkOf(edit).map((line) => (line === ' ' ? '' : line))),
  ...marked('one unchanged line without its space', (edit) => {
    const lines = hunkOf(edit);
    const at = lines.findIndex((line) => context(line) && line.length > 2);
    return at === -1 ? lines : lines.with(at, (lines[at] ?? '').slice(1));
  }),
  ...marked('added lines without +', (edit) => hunkOf(edit).map((line) => (isAdded(line) ? ` ${line.slice(1)}` : line))),
  ...marked('... for added lines', (edit) => {
    const lines = hunkOf(edit);
    const at = lines.findIndex((line, index) => isAdded(line) && isAdded(lines[index + 1] ?? '') && isAdded(lines[index + 2] ?? ''));
    return at === -1 || edit.before.includes('...\n') ? lines : lines.toSpliced(at + 1, 1, '+...');
  }),
  ...marked('// ... for added lines', (edit) => {
    const lines = hunkOf(edit);
    const at = lines.findIndex((line, index) => isAdded(line) && isAdded(lines[index + 1] ?? '') && isAdded(lines[index + 2] ?? ''));
    return at === -1 ? lines : lines.toSpliced(at + 1, 1, `+${/^[ \t]*/u.exec((lines[at + 1] ?? '').slice(1))?.[0] ?? ''}// ...`);
  }),
  patchRow(
    'additions without context and with wrong numbers',
    (edit) => {
      const added = hunkOf(edit).filter(isAdded);
      return hunkOf(edit).some((line) => line.startsWith('-'))
        ? undefined
        : patched(edit, unified(`@@ -${edit.line + 2},0 +${edit.line + 3},${added.length} @@`, ...added));
    },
    'right or refused',
  ),
  patchRow('additions without context', (edit) =>
    hunkOf(edit).some((line) => line.startsWith('-')) ? undefined : patched(edit, envelope('@@', ...hunkOf(edit).filter(isAdded))),
  ),
  cut('cut off, with counts', true),
  cut('cut off, no *** End Patch', false),
  patchRow('applied twice', (edit) => ({ ...patched(edit, envelope('@@', ...hunkOf(edit))), before: edit.after, right: [edit.after] })),
  patchRow(
    'in a file with all of it twice',
    (edit) => ({ ...patched(edit, envelope('@@', ...hunkOf(edit))), before: edit.before + edit.before }),
    'refused',
  ),
];
