import type { RealEdit } from '../real-edits.ts';
import { type Attempt, type EditClass, joined, oneEdit } from './edit-class.ts';

type Slip = (edit: RealEdit, index: number) => Attempt | undefined;

const row = (name: string, attempt: Slip, outcome: EditClass['outcome'] = 'right or refused'): EditClass => ({ name, outcome, attempt });

/** Replaces a line of the new text, or several, by another one. */
function elided(dots: (indent: string) => string, count: number): Slip {
  return (edit) => {
    // A file that has such a line may have another one.
    if (edit.new.length < count + 2 || edit.before.split('\n').some((line) => line.trim() === dots(''))) return undefined;
    const at = Math.floor((edit.new.length - count) / 2);
    const indent = /^[ \t]*/u.exec(edit.new[at] ?? '')?.[0] ?? '';
    return oneEdit(edit, joined(edit.old), joined(edit.new.toSpliced(at, count, dots(indent))));
  };
}

const ELISIONS: ReadonlyArray<readonly [string, (indent: string) => string]> = [
  ['...', (indent) => `${indent}...`],
  ['…', (indent) => `${indent}…`],
  ['// ...', (indent) => `${indent}// ...`],
  ['# ...', (indent) => `${indent}# ...`],
  ['/* ... */', (indent) => `${indent}/* ... */`],
  ['[...]', (indent) => `${indent}[...]`],
  ['// ... existing code ...', (indent) => `${indent}// ... existing code ...`],
  ['# rest of the function unchanged', (indent) => `${indent}# rest of the function unchanged`],
];

const dedentedFirst = (lines: readonly string[]): string[] => lines.with(0, (lines[0] ?? '').trimStart());

const isIndented = (lines: readonly string[]): boolean => /^[ \t]+\S/u.test(lines[0] ?? '');

const other = ({ before, after }: RealEdit, old: string, fresh: string, from = before): Attempt => ({
  before: from,
  made: { edits: [[old, fresh]] },
  right: [after],
});

/** Literal edits that are almost surely slips, and texts that were not copied whole. */
export const SLIP_ROWS: readonly EditClass[] = [
  row('new text: its last line end lost', (edit) => (edit.new.at(-1) === '' ? undefined : oneEdit(edit, `${joined(edit.old)}\n`, joined(edit.new)))),
  row('new text: a line end more', (edit) => (edit.new.at(-1) === '' ? undefined : oneEdit(edit, joined(edit.old), `${joined(edit.new)}\n`))),
  row('new text: a plus before each line', (edit) => oneEdit(edit, joined(edit.old), joined(edit.new.map((line) => `+${line}`)))),
  row('new text: a plus and a space before each line', (edit) => oneEdit(edit, joined(edit.old), joined(edit.new.map((line) => `+ ${line}`)))),
  row('new text: a plus before each line, whole lines', (edit) =>
    oneEdit(edit, `${joined(edit.old)}\n`, `${joined(edit.new.map((line) => `+${line}`))}\n`),
  ),
  row('both texts: marks of a diff', (edit) => oneEdit(edit, joined(edit.old.map((line) => `-${line}`)), joined(edit.new.map((line) => `+${line}`)))),
  row('new text: the lines of a diff', (edit) =>
    oneEdit(edit, joined(edit.old), joined([...edit.old.map((line) => `-${line}`), ...edit.new.map((line) => `+${line}`)])),
  ),
  row('both texts: the first line without indentation', (edit) =>
    isIndented(edit.old) && edit.new[0] === edit.old[0] && edit.old.length > 1
      ? oneEdit(edit, joined(dedentedFirst(edit.old)), joined(dedentedFirst(edit.new)))
      : undefined,
  ),
  row('old text: the first line without indentation', (edit) =>
    isIndented(edit.old) && isIndented(edit.new) ? oneEdit(edit, joined(dedentedFirst(edit.old)), joined(edit.new)) : undefined,
  ),
  row('old text: the first line with half its indentation', (edit) =>
    isIndented(edit.old) && isIndented(edit.new)
      ? oneEdit(
          edit,
          joined(
            edit.old.with(
              0,
              (edit.old[0] ?? '').replace(/^[ \t]+/u, (all) => all.slice(Math.ceil(all.length / 2))),
            ),
          ),
          joined(edit.new),
        )
      : undefined,
  ),
  row('new text: the first line without indentation', (edit) =>
    isIndented(edit.old) && edit.new[0] === edit.old[0] && edit.old.length > 2
      ? oneEdit(edit, joined(edit.old), joined(dedentedFirst(edit.new)))
      : undefined,
  ),
  ...ELISIONS.flatMap(([name, dots]) => [1, 3].map((count) => row(`new text: ${name} for ${count} lines`, elided(dots, count)))),
  row('old text: ... for its middle', (edit) =>
    edit.old.length < 4 ? undefined : oneEdit(edit, joined([edit.old[0] ?? '', '...', edit.old.at(-1) ?? '']), joined(edit.new)),
  ),
  row('old text: its last line left out', (edit) =>
    edit.tail > 0 && edit.old.length > 2 ? oneEdit(edit, joined(edit.old.slice(0, -1)), joined(edit.new.slice(0, -1))) : undefined,
  ),
  row('old text: a line in the middle left out', (edit) =>
    edit.old.length > 2 && !edit.before.includes(joined(edit.old.toSpliced(1, 1)))
      ? oneEdit(edit, joined(edit.old.toSpliced(1, 1)), joined(edit.new))
      : undefined,
  ),
  row('old text: two lines swapped', (edit) => {
    const [a = '', b = ''] = edit.old.slice(-2);
    return edit.old.length > 2 && a !== b ? oneEdit(edit, joined([...edit.old.slice(0, -2), b, a]), joined(edit.new)) : undefined;
  }),
  row('old text: lines joined', (edit) =>
    edit.old.filter((line) => line.trim() !== '').length > 1
      ? oneEdit(edit, edit.old.map((line) => line.trim()).join(' '), joined(edit.new))
      : undefined,
  ),
  row('both texts: line ends as \\n', (edit) =>
    edit.old.length > 1 ? oneEdit(edit, edit.old.join(String.raw`\n`), edit.new.join(String.raw`\n`)) : undefined,
  ),
  row('both texts: HTML entities', (edit) => {
    const escape = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
    return escape(joined(edit.old)) === joined(edit.old) ? undefined : oneEdit(edit, escape(joined(edit.old)), escape(joined(edit.new)));
  }),
  row(
    'the same edit twice',
    (edit) => (edit.after.includes(joined(edit.old)) ? undefined : other(edit, joined(edit.old), joined(edit.new), edit.after)),
    'refused',
  ),
  row('the same edit twice, indented otherwise', (edit) => {
    const move = (lines: readonly string[]): string => joined(lines.map((line) => (line.trim() === '' ? line : `  ${line}`)));
    return edit.after.includes(joined(edit.old)) ? undefined : other(edit, move(edit.old), move(edit.new), edit.after);
  }),
  row('the file with all of it twice', (edit) => other(edit, joined(edit.old), joined(edit.new), edit.before + edit.before), 'refused'),
  row('the place changed since', (edit) => {
    const at = edit.line + Math.floor(edit.old.length / 2);
    const lines = edit.before.split('\n');
    // A mark on an empty line is beside the text.
    if ((lines[at] ?? '').trim() === '') return undefined;
    const now = joined(lines.with(at, `${lines[at] ?? ''} /* changed */`));
    return now.includes(joined(edit.old)) ? undefined : other(edit, joined(edit.old), joined(edit.new), now);
  }),
  row('lines before the place changed since', (edit) => ({
    before: `first\n${edit.before}`,
    made: { edits: [[joined(edit.old), joined(edit.new)]] },
    right: [`first\n${edit.after}`],
  })),
];
