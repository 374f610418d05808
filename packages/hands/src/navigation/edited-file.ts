import type { ServerEdit } from '../lsp/workspace-edit.ts';
import type { ServerPlace } from '../lsp/locations.ts';
import { spliceText } from '../edit/text-file.ts';
import { wordPattern } from '../syntax/read-uses.ts';
import { lineStarts } from './line-starts.ts';
import type { SourceFile } from './source.ts';

/** A replacement in a text. */
interface TextReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A file with its renamed places. */
export interface EditedFile {
  readonly source: SourceFile;
  /** In ascending order, not overlapping. */
  readonly replacements: readonly TextReplacement[];
  readonly newText: string;
  /** Whether a replacement begins at a place: line from 1, column from 0. */
  readonly touches: (line: number, column: number) => boolean;
  /** Where a place before the change is after it. Lines stay: a name has none. */
  readonly moved: (place: ServerPlace['range']['start']) => ServerPlace['range']['start'];
}

/**
 * Applies the edits of a server to a file; a reason if they do not fit it: each must replace the old name, or be beside it.
 *
 * @param name the old name
 * @param to the new name
 */
export function editFile(source: SourceFile, edits: readonly ServerEdit[], name: string, to: string): EditedFile | string {
  const { text, lines, path } = source;
  const starts = lineStarts(text);
  const offset = ({ line, character }: ServerPlace['range']['start']): number | undefined => {
    const start = starts[line];
    return start === undefined || character > (lines[line]?.length ?? -1) ? undefined : start + character;
  };
  const words = new Set(Array.from(text.matchAll(wordPattern(name)), ({ index }) => index));
  const replacements: TextReplacement[] = [];
  const seen = new Set<string>();
  for (const { range, newText } of edits) {
    const [start, end] = [offset(range.start), offset(range.end)];
    const isOnName = start !== undefined && end !== undefined && [...around(start, end, name.length)].some((at) => words.has(at));
    if (start === undefined || end === undefined || end < start || !isOnName)
      return `the place ${path}:${range.start.line + 1} of the server does not hold ${name}: the file is another than the server knows`;
    // A file of two projects may be named once for each.
    if (!isNameOnly(newText, name, to)) return `the server would write ${JSON.stringify(newText.slice(0, 40))} at ${path}:${range.start.line + 1}`;
    const key = `${start}:${end}:${newText}`;
    if (seen.has(key)) continue;
    seen.add(key);
    replacements.push({ start, end, text: newText });
  }
  const touched = new Set(edits.map(({ range: { start } }) => `${start.line + 1}:${start.character}`));
  const sorted = replacements.toSorted((a, b) => a.start - b.start || a.end - b.end);
  if (sorted.some((one, index) => one.start < (sorted[index - 1]?.end ?? 0))) return `two places of the server overlap in ${path}`;
  return {
    source,
    replacements: sorted,
    newText: spliceText(text, sorted),
    touches: (line, column) => touched.has(`${line}:${column}`),
    moved({ line, character }) {
      let shift = 0;
      for (const one of sorted) {
        const start = starts[line] ?? 0;
        if (one.start < start || one.start >= start + character) continue;
        shift += one.text.length - (one.end - one.start);
      }
      return { line, character: character + shift };
    },
  };
}

/** What may be beside a name in its place, as in `{ old: new }`, `old as new` and `r#new`. */
const BESIDE = /^(?: |:|=|#|@|\bas\b|\br(?=#))*$/u;

/** Whether a text is the new name, perhaps with the old one where both are needed. */
function isNameOnly(text: string, name: string, to: string): boolean {
  const [old, now] = [name, to].map((one) => wordPattern(one.replace(/^#/u, '')));
  if (old === undefined || now === undefined) return false;
  const rest = text.replaceAll(now, '');
  return rest !== text && BESIDE.test(rest.replaceAll(old, ''));
}

/** Offsets at which the name may begin that a replacement is about: within it, or right beside it. */
function* around(start: number, end: number, length: number): Generator<number> {
  for (let at = start - length; at <= end && at <= start + 40; at += 1) yield at;
}
