import type { Replacement, Unclear } from '../edit/changed-part.ts';
import type { SearchedFile } from '../edit/edit-errors.ts';
import { unclearMatch } from '../edit/edit-errors.ts';
import { fileStyle, type FileStyle } from '../edit/file-style.ts';
import { fitIndentation } from '../edit/fit-indentation.ts';
import type { Neighbor, Replaced } from '../edit/indent-evidence.ts';
import { followFile } from '../edit/follow-file.ts';
import { type LineEnd, mostLineEnds, isText } from '../edit/lines.ts';
import { assertAdded } from './added-slips.ts';
import { oldLines, type Chunk, type PatchLine } from './patch.ts';
import type { PlacedChunk } from './chunk-search.ts';

/** Lines of the file that a run of `-` and `+` lines replaces. */
interface Run {
  readonly from: number;
  readonly removed: number;
  readonly added: readonly string[];
}

function* runs({ chunk, line }: PlacedChunk, addedText: (line: PatchLine) => string): Generator<Run> {
  let from = line;
  let removed = 0;
  let added: string[] = [];
  for (const patchLine of chunk.lines) {
    if (patchLine.kind === 'remove') removed += 1;
    else if (patchLine.kind === 'add') added.push(addedText(patchLine));
    else {
      if (removed > 0 || added.length > 0) yield { from, removed, added };
      from += removed + 1;
      removed = 0;
      added = [];
    }
  }
  if (removed > 0 || added.length > 0) yield { from, removed, added };
}

/** Whether the file ends with a line end after a chunk that reaches its end. */
function endsWithLineEnd(chunk: Chunk, before: boolean): boolean {
  const marked = chunk.lines.filter(({ noLineEnd }) => noLineEnd);
  if (marked.some(({ kind }) => kind !== 'remove')) return false;
  // Only the old last line was marked, so the new one has a line end. Without a mark, it stays as before.
  return marked.length > 0 || before;
}

/** Whether the line ends of a chunk equal those of the file, so that the line ends of its new lines are intended too. */
function lineEndsAgree({ lines }: SearchedFile, { chunk, line }: PlacedChunk, text: string): boolean {
  let number = line;
  for (const { kind, carriageReturn, noLineEnd } of chunk.lines) {
    if (kind === 'add') continue;
    const end = lines.contentEnd(number);
    if (end < text.length && !noLineEnd && (text[end] === '\r') !== carriageReturn) return false;
    number += 1;
  }
  return true;
}

/** Returns the added lines of a chunk, with the removed ones that they replace and the unchanged ones beside them. */
function replacedParts({ lines }: Chunk, wanted: readonly string[], found: readonly string[]): Replaced[] {
  const parts: Replaced[] = [];
  const texts = wanted.flatMap((line, index) => (isText(line) ? [index] : []));
  // The next text line at or behind the lines of the part.
  let next = 0;
  let old = 0;
  for (let index = 0; index < lines.length;) {
    if (lines[index]?.kind === 'context') {
      old += 1;
      index += 1;
      continue;
    }
    let end = index;
    while (end < lines.length && lines[end]?.kind !== 'context') end += 1;
    const run = lines.slice(index, end);
    const removed = run.filter(({ kind }) => kind === 'remove').length;
    const neighbor = (at = -1): Neighbor | undefined => (wanted[at] === undefined ? undefined : { given: wanted[at], found: found[at] ?? '' });
    while ((texts[next] ?? old) < old) next += 1;
    const before = neighbor(texts[next - 1]);
    while ((texts[next] ?? wanted.length) < old + removed) next += 1;
    const after = neighbor(texts[next]);
    parts.push({
      given: wanted.slice(old, old + removed),
      found: found.slice(old, old + removed),
      fresh: run.flatMap(({ kind, text }) => (kind === 'add' ? [text] : [])),
      isMinimal: true,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
    old += removed;
    index += run.length;
  }
  return parts.filter(({ fresh }) => fresh.length > 0);
}

/** Whether the added lines of a chunk are the removed ones, in the same order. */
function changesNothing({ lines }: Chunk, found: readonly string[], added: readonly string[]): boolean {
  const old = lines.filter(({ kind }) => kind !== 'add');
  const removed = found.filter((_, index) => old[index]?.kind === 'remove');
  return removed.length > 0 && removed.length === added.length && removed.every((line, index) => line === added[index]);
}

/** Returns the new lines in the file's style and indentation, if the old lines did not match exactly. */
function addedTexts(file: SearchedFile, { chunk, line, tier, raw, reindent }: PlacedChunk): ReadonlyMap<PatchLine, string> {
  const added = chunk.lines.filter(({ kind }) => kind === 'add');
  if ((tier === 'exact' && reindent === undefined) || added.length === 0) return new Map();
  const wanted = oldLines(chunk, raw);
  const refuse = (unclear: Unclear): never => {
    const place = { start: file.lines.start(line), end: file.lines.start(line + wanted.length) };
    throw unclearMatch(file, { old: `The hunk on line ${chunk.patchLine} of the patch`, new: 'the new lines', ...place }, tier, unclear);
  };
  const given = added.map(({ text }) => text).join('\n');
  const indented =
    reindent === undefined
      ? given
      : (fitIndentation(reindent, replacedParts(chunk, wanted, reindent.found.split('\n')))
          ?.flat()
          .join('\n') ?? refuse('indentation'));
  // The new lines are there already, as the old ones: how far the hunk is to move them is not clear.
  if (reindent !== undefined && changesNothing(chunk, reindent.found.split('\n'), indented.split('\n'))) refuse('indentation');
  const old = reindent?.found ?? wanted.join('\n');
  const now = wanted.map((_, index) => file.lines.text(line + index)).join('\n');
  const texts = (followFile(old, now, indented)(0, indented.length) ?? refuse('typography')).split('\n');
  return new Map(added.map((one, index) => [one, texts[index] ?? '']));
}

function chunkReplacements(file: SearchedFile, style: FileStyle, placed: PlacedChunk, isExact: boolean, majority: LineEnd): Replacement[] {
  const { text, lines } = file;
  const { chunk, line } = placed;
  const oldCount = chunk.lines.filter(({ kind }) => kind !== 'add').length;
  const region = mostLineEnds(text, lines.start(line), lines.start(line + oldCount)) ?? majority;
  const agrees = isExact && lineEndsAgree(file, placed, text);
  const lineEnd = (patchLine: PatchLine): string => (agrees ? (patchLine.carriageReturn ? '\r\n' : '\n') : region);
  const added = addedTexts(file, placed);
  assertAdded(file, style, placed, added);
  const content = (patchLine: PatchLine): string => (added.get(patchLine) ?? patchLine.text) + lineEnd(patchLine);
  const hasLineEnd = text === '' || text.endsWith('\n');
  const keepsLineEnd = endsWithLineEnd(chunk, hasLineEnd);
  return [...runs(placed, content)].map(({ from, removed, added }) => {
    const [start, end] = [lines.start(from), lines.start(from + removed)];
    const joined = added.join('');
    if (from + removed < lines.count) return { start, end, text: joined };
    if (added.length === 0) return { start: keepsLineEnd || from === 0 ? start : lines.contentEnd(from - 1), end, text: '' };
    const body = keepsLineEnd ? joined : joined.replace(/\r?\n$/u, '');
    // The previous line had no line end, and is no longer the last one.
    return { start, end, text: start === text.length && !hasLineEnd ? region + body : body };
  });
}

/**
 * Converts the placed chunks of a file to replacements. Unchanged lines are not touched, so they keep their white
 * space and line ends.
 * @param isExact whether the patch has the line ends of the files; otherwise new lines get the surrounding ones
 */
export function chunksToReplacements(file: SearchedFile, placed: readonly PlacedChunk[], isExact: boolean): Replacement[] {
  const majority = mostLineEnds(file.text) ?? '\n';
  const style = fileStyle(file.text);
  return placed.flatMap((one) => chunkReplacements(file, style, one, isExact, majority));
}

/** Whether any line of a patch ends with CRLF, so that the patch has the line ends of the files. */
export function tellsLineEnds(lines: Iterable<PatchLine>): boolean {
  for (const { carriageReturn } of lines) if (carriageReturn) return true;
  return false;
}
