import type { RealEdit } from '../real-edits.ts';
import { type Attempt, type EditClass, INDENT, joined } from './edit-class.ts';
import { EDIT_ROWS } from './edit-rows.ts';
import { otherEdit } from './other-edits.ts';
import { SLIP_ROWS } from './slip-rows.ts';

/** Lines between two edits of one call, at least. */
const APART = 3;

/** Another edit of the same file, which adds a line between two lines that are there once; undefined if there are none. */
function companion({ before, line, old, path }: RealEdit, index: number): RealEdit | undefined {
  const lines = before.slice(0, -1).split('\n');
  for (let step = 0; step < lines.length; step += 1) {
    const at = (index * 7 + step) % lines.length;
    const pair = lines.slice(at, at + 2);
    const isApart = at + 2 + APART <= line || at >= line + old.length + APART;
    if (!isApart || pair.length < 2 || pair.some((one) => one.trim().length < 4) || before.split(joined(pair)).length !== 2) continue;
    const [first = '', last = ''] = pair;
    const added = `${INDENT.exec(first)?.[0] ?? ''}other${index}(item);`;
    const fresh = [first, added, last];
    const after = `${joined([...lines.slice(0, at), ...fresh, ...lines.slice(at + 2)])}\n`;
    return { before, after, line: at, old: pair, new: fresh, head: 1, tail: 1, marked: [` ${first}`, `+${added}`, ` ${last}`], path };
  }
  return undefined;
}

/** The text after both of two edits, each of which was made alone. */
function both(one: RealEdit, afterOne: string, other: RealEdit, afterOther: string): string {
  const [upper, lower] = one.line < other.line ? [afterOne, afterOther] : [afterOther, afterOne];
  const first = one.line < other.line ? one : other;
  const cut = first.line + first.old.length;
  const rest = first.before.split('\n').slice(cut).length;
  const top = upper.split('\n');
  return joined([...top.slice(0, top.length - rest), ...lower.split('\n').slice(cut)]);
}

const plain = (edit: RealEdit): Attempt => ({ before: edit.before, made: { edits: [[joined(edit.old), joined(edit.new)]] }, right: [edit.after] });

/** Joins two attempts of one file into one call; undefined if one of them is no plain mistake. */
function together(one: Attempt | undefined, edit: RealEdit, two: Attempt | undefined, other: RealEdit, isSwapped: boolean): Attempt | undefined {
  if (one === undefined || two === undefined || !('edits' in one.made) || !('edits' in two.made)) return undefined;
  if (one.before !== edit.before || two.before !== edit.before) return undefined;
  if (otherEdit(one, edit) !== undefined || otherEdit(two, other) !== undefined) return undefined;
  const edits = [...one.made.edits, ...two.made.edits];
  const right = one.right.flatMap((first) => two.right.map((second) => both(edit, first, other, second)));
  return { before: edit.before, made: { edits: isSwapped ? edits.toReversed() : edits }, right, isJudged: true };
}

/** The same mistake in one of two edits, and in both; every other time in the other order. */
function several(row: EditClass): EditClass[] {
  const make =
    (isBoth: boolean): EditClass['attempt'] =>
    (edit, index) => {
      const other = companion(edit, index);
      if (other === undefined) return undefined;
      return together(row.attempt(edit, index), edit, isBoth ? row.attempt(other, index) : plain(other), other, index % 2 === 1);
    };
  const outcome = row.name === 'as it is' ? 'right' : 'right or refused';
  return [
    { name: `one of two edits: ${row.name}`, outcome, attempt: make(false) },
    { name: `two edits: ${row.name}`, outcome, attempt: make(true) },
  ];
}

/** A call with edits that touch each other; `right` is what they give one after another, if that is possible. */
function call(
  name: string,
  make: (edit: RealEdit) => (Pick<Attempt, 'right'> & { readonly edits: ReadonlyArray<readonly [string, string]> }) | undefined,
): EditClass[] {
  const attempt =
    (isSwapped: boolean): EditClass['attempt'] =>
    (edit) => {
      const made = make(edit);
      if (made === undefined) return undefined;
      return { before: edit.before, made: { edits: isSwapped ? made.edits.toReversed() : made.edits }, right: made.right, isJudged: true };
    };
  return [
    { name: `several edits: ${name}`, outcome: 'right or refused', attempt: attempt(false) },
    { name: `several edits, swapped: ${name}`, outcome: 'right or refused', attempt: attempt(true) },
  ];
}

const added = ({ before, new: fresh }: RealEdit): string | undefined =>
  fresh.find((line) => line.trim().length > 3 && !before.includes(line) && fresh.filter((one) => one === line).length === 1);
const replaced = (text: string, old: string, fresh: string): string => text.replace(old, () => fresh);

/** The classes of several edits in one call. All are matched against the file as it is before the call. */
export const MULTI_EDIT_ROWS: readonly EditClass[] = [
  ...[...EDIT_ROWS, ...SLIP_ROWS].flatMap(several),
  ...call('a line that the first one adds', (edit) => {
    const line = added(edit);
    if (line === undefined) return undefined;
    return {
      edits: [
        [joined(edit.old), joined(edit.new)],
        [line, `${line} more`],
      ],
      right: [replaced(edit.after, line, `${line} more`)],
    };
  }),
  ...call('what the first one leaves', (edit) => {
    const fresh = joined([...edit.new, 'another line']);
    if (edit.before.includes(joined(edit.new))) return undefined;
    return {
      edits: [
        [joined(edit.old), joined(edit.new)],
        [joined(edit.new), fresh],
      ],
      right: [replaced(edit.after, joined(edit.new), fresh)],
    };
  }),
  ...call('the same one twice', (edit) => {
    const one = [joined(edit.old), joined(edit.new)] as const;
    return { edits: [one, one], right: [edit.after] };
  }),
  ...call('its last line and the next one', (edit) => {
    const lines = edit.before.split('\n');
    const at = edit.line + edit.old.length;
    const pair = lines.slice(at - 1, at + 1);
    if (edit.tail === 0 || at >= lines.length - 1 || edit.before.split(joined(pair)).length !== 2) return undefined;
    const [last = '', next = ''] = pair;
    const now = edit.after.split('\n');
    const rest = lines.length - at;
    const right = joined([...now.slice(0, now.length - rest), 'between', ...now.slice(now.length - rest)]);
    return {
      edits: [
        [joined(edit.old), joined(edit.new)],
        [joined(pair), joined([last, 'between', next])],
      ],
      right: [right],
    };
  }),
  ...call('its old text again with another new one', (edit) => ({
    edits: [
      [joined(edit.old), joined(edit.new)],
      [joined(edit.old), `${joined(edit.new)}\nanother`],
    ],
    right: [],
  })),
  ...call('its lines, each alone', (edit) => {
    const [old, fresh] = [edit.old.slice(edit.head, edit.old.length - edit.tail), edit.new.slice(edit.head, edit.new.length - edit.tail)];
    if (old.length < 2 || old.length !== fresh.length) return undefined;
    const edits = old.flatMap((line, index) => (line === fresh[index] ? [] : [[line, fresh[index] ?? ''] as const]));
    return edits.length < 2 || edits.some(([line, now]) => line.trim() === '' || now.trim() === '') ? undefined : { edits, right: [edit.after] };
  }),
];
