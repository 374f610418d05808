import { SynapseError } from '@synapse/protocol';
import type { SearchedFile } from '../edit/edit-errors.ts';
import type { FileStyle } from '../edit/file-style.ts';
import { depthOf } from '../edit/indent-unit.ts';
import { type Slip, slipOf } from '../edit/slips.ts';
import { indentOf } from '../edit/tiers.ts';
import type { PatchLine } from './patch.ts';
import type { PlacedChunk } from './chunk-search.ts';
import { isText, MIN_TELLING_CHARACTERS } from '../edit/lines.ts';

/** Whether a line stands at a level of the file, or where other lines do. */
function fits(line: string, style: FileStyle): boolean {
  const unit = style.unit();
  return style.hasStartOf(line) || (unit !== undefined && line.trimStart()[0] !== '*' && depthOf(indentOf(line), unit)?.rest === 0);
}

/** The mark of an item of a list. */
const MARK = /^\s*([-*+]|\d+\.) /u;

/**
 * Finds a space between the + and each line. Lines that they replace tell best how the new ones are indented; without such
 * lines, they must not fit the file with the space, and fit without it.
 */
function oneSpace(added: readonly string[], removed: readonly string[], beside: readonly string[], style: FileStyle): Slip | undefined {
  const lines = added.filter(isText);
  if (lines.length === 0 || !lines.every((line) => line.startsWith(' '))) return undefined;
  const [first = ''] = lines;
  // The stars of a block comment have a column of their own.
  const isStar = (line: string): boolean => line.trimStart().startsWith('*');
  const old = removed.find((line) => isText(line) && isStar(line) === isStar(first)) ?? removed.find(isText);
  const known = new Map(removed.map((line) => [line.trim(), indentOf(line)]));
  const pairs = lines.flatMap((line): Array<[string, string]> => (known.has(line.trim()) ? [[indentOf(line), known.get(line.trim()) ?? '']] : []));
  if (old !== undefined) pairs.push([indentOf(first), indentOf(old)]);
  // An item of a list stands where the items beside it do.
  const marked = lines.find((line) => MARK.test(line));
  const item = marked === undefined ? undefined : beside.find((line) => MARK.exec(line)?.[1] === MARK.exec(marked)?.[1]);
  if (marked !== undefined && item !== undefined) pairs.push([indentOf(marked), indentOf(item)]);
  if (pairs.some(([own, other]) => own === other)) return undefined;
  const isSpaced = pairs.some(([own, other]) => own === ` ${other}`);
  if (!isSpaced && (lines.every((line) => fits(line, style)) || !lines.some((line) => fits(line.slice(1), style) || !/^ {2}/u.test(line))))
    return undefined;
  return {
    problem: 'has a space before each line that does not belong to its indentation',
    hint: `Put the line directly behind the +, for example ${JSON.stringify(`+${first.slice(1, 80)}`)}.`,
  };
}

/** Whether a hunk that only adds lines was applied before: they stand at their places already. Returns the line of the first, from 0. */
function placeOfAdded({ lines }: SearchedFile, { chunk, line }: PlacedChunk, text: (line: PatchLine) => string): number | undefined {
  // Lines at a stated place, between the lines that the patch has around them, are meant.
  if (chunk.start === line + 1) return undefined;
  let at = line;
  let first: number | undefined;
  for (let index = 0; index < chunk.lines.length;) {
    const kind = chunk.lines[index]?.kind;
    if (kind === 'remove') return undefined;
    if (kind === 'context') {
      at += 1;
      index += 1;
      continue;
    }
    let end = index;
    while (chunk.lines[end]?.kind === 'add') end += 1;
    const run = chunk.lines.slice(index, end).map(text);
    const isAt = (start: number): boolean =>
      start >= 0 && start + run.length <= lines.count && run.every((one, offset) => lines.text(start + offset) === one);
    const place = [at - run.length, at].find(isAt);
    if (place === undefined) return undefined;
    if (run.join('').trim().length >= MIN_TELLING_CHARACTERS) first ??= place;
    index += run.length;
  }
  return first;
}

/** A line of the file that begins with a +, which was read as an added one, as its hunk has no space before unchanged lines. */
function unmarkedPlus(added: readonly PatchLine[], { raw }: PlacedChunk, style: FileStyle): Slip | undefined {
  const line = raw ? added.find(({ text }) => isText(text) && style.hasLine(`+${text}`.trim())) : undefined;
  if (line === undefined) return undefined;
  return {
    problem: `has ${JSON.stringify(`+${line.text.slice(0, 80)}`)}, which is in the file with its +`,
    hint: 'Put a space before each unchanged line.',
  };
}

/**
 * Refuses added lines of a hunk that are hardly meant as they are: the same checks as for edits.
 * @param texts the lines as they would be written
 * @throws SynapseError `invalid_arguments`
 */
export function assertAdded(file: SearchedFile, style: FileStyle, placed: PlacedChunk, texts: ReadonlyMap<PatchLine, string>): void {
  const { chunk, line } = placed;
  const added = chunk.lines.filter(({ kind }) => kind === 'add');
  if (added.length === 0 || file.lines.count === 0) return;
  const old = chunk.lines.filter(({ kind }) => kind !== 'add');
  const now = old.map((_, index) => file.lines.text(line + index));
  const written = added.map((one) => texts.get(one) ?? one.text);
  const slip =
    unmarkedPlus(added, placed, style) ??
    slipOf({
      path: file.path,
      style,
      given: old.map(({ text }) => text),
      old: [...now, ...old.map(({ text }) => text)],
      fresh: chunk.lines.flatMap(({ kind, text }) => (kind === 'remove' ? [] : [text])),
      written,
      isWhole: true,
    }) ??
    (placed.reindent === undefined
      ? oneSpace(
          written,
          now.filter((_, index) => old[index]?.kind === 'remove'),
          now.filter((_, index) => old[index]?.kind === 'context'),
          style,
        )
      : undefined);
  if (slip === undefined) {
    const place = placeOfAdded(file, placed, (one) => texts.get(one) ?? one.text);
    if (place === undefined) return;
    throw new SynapseError(
      'conflict',
      `The lines that the hunk on line ${chunk.patchLine} of the patch adds are in ${file.path} already; nothing was changed.`,
      {
        hint: `They begin on line ${place + 1}, so the patch may have been applied before. To have them twice, use edit_file.`,
        details: { path: file.path, patch_line: chunk.patchLine, line: place + 1 },
      },
    );
  }
  throw new SynapseError(
    'invalid_arguments',
    `The new text of the hunk on line ${chunk.patchLine} of the patch ${slip.problem}; nothing was changed.`,
    {
      hint: slip.hint,
      details: { path: file.path, patch_line: chunk.patchLine },
    },
  );
}
