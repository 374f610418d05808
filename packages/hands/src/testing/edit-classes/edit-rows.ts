import type { RealEdit } from '../real-edits.ts';
import {
  type Attempt,
  changeLines,
  type EditClass,
  hasKnownCharacter,
  joined,
  losesIndents,
  type LineChange,
  oneEdit,
  sameLines,
} from './edit-class.ts';
import { CHARACTER_CHANGES, END_CHANGES, INDENT_CHANGES } from './line-changes.ts';

/** A class whose edit is given with other texts. */
function row(name: string, attempt: EditClass['attempt'], outcome: EditClass['outcome'] = 'right or refused'): EditClass {
  return { name, outcome, attempt };
}

/** Gives both texts with the same words around them. */
function around(change: (text: string) => string): EditClass['attempt'] {
  return (edit) => oneEdit(edit, change(joined(edit.old)), change(joined(edit.new)));
}

function numbered(mark: string, width: number, old = true, fresh = true): EditClass['attempt'] {
  return (edit) => {
    const number = (lines: readonly string[]): string =>
      joined(lines.map((line, index) => `${String(edit.line + 1 + index).padStart(width)}${mark}${line}`));
    return oneEdit(edit, old ? number(edit.old) : joined(edit.old), fresh ? number(edit.new) : joined(edit.new));
  };
}

/** A change of all lines of both texts, of the old one, and of the new one where `fresh` says that it is a slip there. */
function changed(change: LineChange, fresh: boolean): EditClass[] {
  const both = (edit: RealEdit): Attempt | undefined => {
    const [old, now] = [changeLines(change, edit.old), changeLines(change, edit.new)];
    return old === undefined || now === undefined || sameLines(old, edit.old) || losesIndents(change, [...edit.old, ...edit.new])
      ? undefined
      : oneEdit(edit, joined(old), joined(now));
  };
  const oldOnly = (edit: RealEdit): Attempt | undefined => {
    const old = changeLines(change, edit.old);
    return old === undefined || sameLines(old, edit.old) ? undefined : oneEdit(edit, joined(old), joined(edit.new));
  };
  const newOnly = (edit: RealEdit): Attempt | undefined => {
    const now = changeLines(change, edit.new);
    return now === undefined || sameLines(now, edit.new) || hasKnownCharacter(edit.before, now)
      ? undefined
      : oneEdit(edit, joined(edit.old), joined(now));
  };
  return [
    row(`both texts: ${change.name}`, both),
    row(`old text: ${change.name}`, oldOnly),
    ...(fresh ? [row(`new text: ${change.name}`, newOnly)] : []),
  ];
}

/** Changes one line of the old text, and the same line of the new one if `both`. */
function oneLine(name: string, change: (line: string) => string | undefined, both: boolean): EditClass {
  return row(name, (edit, index) => {
    const at = index % edit.old.length;
    const line = edit.old[at] ?? '';
    const other = line.trim() === '' ? undefined : change(line);
    if (other === undefined || other === line) return undefined;
    return oneEdit(
      edit,
      joined(edit.old.with(at, other)),
      joined(both && edit.new.includes(line) ? edit.new.with(edit.new.indexOf(line), other) : edit.new),
    );
  });
}

const isAtEnd = (edit: RealEdit): boolean => edit.line + edit.old.length === edit.before.split('\n').length - 1;

const LINE_ENDS: readonly EditClass[] = [
  row(
    'as it is',
    around((text) => text),
    'right',
  ),
  row(
    'whole lines',
    around((text) => `${text}\n`),
    'right',
  ),
  row(
    'CRLF in the file',
    (edit) => ({
      ...oneEdit(edit, joined(edit.old), joined(edit.new), [edit.after.replaceAll('\n', '\r\n')]),
      before: edit.before.replaceAll('\n', '\r\n'),
    }),
    'right',
  ),
  row(
    'CRLF in the texts',
    around((text) => text.replaceAll('\n', '\r\n')),
    'right',
  ),
  row(
    'a byte order mark in the file',
    (edit) => ({
      ...oneEdit(edit, joined(edit.old), joined(edit.new), [`\ufeff${edit.after}`]),
      before: `\ufeff${edit.before}`,
    }),
    'right',
  ),
  row('no last line end in the file', (edit) =>
    isAtEnd(edit)
      ? {
          ...oneEdit(edit, `${joined(edit.old)}\n`, `${joined(edit.new)}\n`, [edit.after, edit.after.slice(0, -1)]),
          before: edit.before.slice(0, -1),
        }
      : undefined,
  ),
  row('the file cut behind the edit, no last line end', (edit) => {
    const lines = edit.before.split('\n');
    const before = joined(lines.slice(0, edit.line + edit.old.length));
    const after = joined([...lines.slice(0, edit.line), ...edit.new]);
    return before.split(joined(edit.old)).length === 2
      ? { ...oneEdit(edit, `${joined(edit.old)}\n`, `${joined(edit.new)}\n`, [after, `${after}\n`]), before }
      : undefined;
  }),
];

const ADDED: readonly EditClass[] = [
  ...[
    ['\t', 6],
    [': ', 1],
    [' | ', 4],
    ['→', 6],
    ['|', 1],
  ].flatMap(([mark, width]) => [
    row(`both texts: line numbers, ${JSON.stringify(mark)}`, numbered(String(mark), Number(width))),
    row(`old text: line numbers, ${JSON.stringify(mark)}`, numbered(String(mark), Number(width), true, false)),
  ]),
  row(
    'an empty first line',
    around((text) => `\n${text}`),
  ),
  row(
    'empty lines at the end',
    around((text) => `${text}\n\n`),
  ),
  row(
    'empty lines around',
    around((text) => `\n${text}\n\n`),
  ),
  row(
    'a fence around both',
    around((text) => `\`\`\`\n${text}\n\`\`\``),
  ),
  row(
    'spaces around both',
    around((text) => ` ${text} `),
  ),
  row('old text: spaces around', (edit) => oneEdit(edit, ` ${joined(edit.old)} `, joined(edit.new))),
];

const LINES: readonly EditClass[] = [false, true].flatMap((both) => {
  const where = both ? 'both texts' : 'old text';
  return [
    oneLine(`${where}: one line with a space more`, (line) => ` ${line}`, both),
    oneLine(`${where}: one line with a space less`, (line) => (line.startsWith(' ') ? line.slice(1) : undefined), both),
    oneLine(`${where}: one line with four spaces more`, (line) => `    ${line}`, both),
    oneLine(`${where}: one line with a tab more`, (line) => `\t${line}`, both),
    oneLine(`${where}: one line without indentation`, (line) => line.trimStart(), both),
    oneLine(`${where}: one line with a tab at its end`, (line) => `${line}\t`, both),
    oneLine(`${where}: one line with two spaces inside`, (line) => line.replace(/(?<=\S) (?=\S)/u, '  '), both),
    oneLine(`${where}: one letter left out`, (line) => line.replace(/(?<=\w)\w(?=\w)/u, ''), both),
    oneLine(`${where}: one line in other case`, (line) => line.toUpperCase(), both),
  ];
});

/** The classes of `edit_file`, without slips of the new text. */
export const EDIT_ROWS: readonly EditClass[] = [
  ...LINE_ENDS,
  ...ADDED,
  ...INDENT_CHANGES.flatMap((change) => changed(change, change.name === '1 more spaces')),
  ...CHARACTER_CHANGES.flatMap((change) => changed(change, true)),
  ...END_CHANGES.flatMap((change) => changed(change, false)),
  ...LINES,
];
