import type { SynapseError } from '@synapse/protocol';
import type { Chunk, FilePatch, PatchLine } from './patch.ts';
import { patchError, quoted } from './patch-error.ts';
import { dropBlankEnd, isNoLineEnd, markNoLineEnd, parseHunkLine, type PatchReader } from './patch-text.ts';
import { emptyHeader, type Header, parseGitHeader, parseNames, refuseBinary } from './unified-header.ts';

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/u;
/** Text allowed between files: mail headers and signatures of git, and marks of other systems. */
const BETWEEN = /^(?:diff |Index: |={10,}|From |-- ?$|Only in |```|\s*$)/u;

/** A file header of the other form, even if the mark is not at the start of the line. */
const ENVELOPE_FILE = /^\s*\*\*\* (?:Add|Update|Delete) File: /u;
/** A hunk of a merge diff. It has one column per parent, so its lines would be misread. */
const COMBINED = /^@@@+ -/u;

/** A mail signature, the next mail of a series, or the end of a fence. Text of all kinds may follow. */
const TEXT_FOLLOWS = /^(?:-- ?$|From |```)/u;

/** Creates the error for a hunk without a file, for example if the first line of the other form is missing. */
function hunkWithoutFile({ lines, index }: PatchReader): SynapseError {
  const header = lines.findLastIndex((line, at) => at < index && ENVELOPE_FILE.test(line));
  if (header === -1) return patchError(index + 1, 'begins a hunk before any file was named');
  return patchError(header + 1, `is ${quoted((lines[header] ?? '').trim())} without *** Begin Patch alone on a line before it`);
}

/** Whether the next lines begin another file, and are not similar lines of a hunk. */
function beginsFile(reader: PatchReader): boolean {
  const [first = '', second = '', third = ''] = reader.lines.slice(reader.index, reader.index + 3);
  return first.startsWith('diff --git ') || (first.startsWith('--- ') && second.startsWith('+++ ') && third.startsWith('@@'));
}

/** Whether more lines of a hunk follow an empty one, which may be an unchanged line that lost its space. */
function goesOn(reader: PatchReader): boolean {
  for (let at = reader.index + 1; at < reader.lines.length; at += 1) {
    const line = reader.lines[at] ?? '';
    if (line.trim() === '' && !line.startsWith(' ')) continue;
    return /^[-+ ]/u.test(line) && !TEXT_FOLLOWS.test(line) && !beginsFile({ lines: reader.lines, index: at });
  }
  return false;
}

/** Whether a hunk ends before a line although its header states no more lines: the counts of models are often wrong. */
function endsBefore(reader: PatchReader, line: string): boolean {
  if (TEXT_FOLLOWS.test(line)) return true;
  return line.trim() === '' && !line.startsWith(' ') ? !goesOn(reader) : BETWEEN.test(line) && !line.startsWith(' ');
}

interface Counts {
  old: number;
  new: number;
}

/** Number of unchanged lines that git and diff(1) put at each end of a hunk. */
const USUAL_CONTEXT = 3;

/**
 * Whether the end of a hunk with less lines than stated may be missing. A hunk has as many unchanged lines at its end as at its
 * beginning, so one that has them already, and would then go on with a change, lacks that change and as many unchanged lines again.
 */
function maybeCut(lines: readonly PatchLine[], stated: Counts, found: Counts, start: number): boolean {
  const missing = [stated.old - found.old, stated.new - found.new] as const;
  if (Math.min(...missing) < 0 || Math.max(...missing) === 0) return false;
  const head = lines.findIndex(({ kind }) => kind !== 'context');
  const tail = lines.length - 1 - lines.findLastIndex(({ kind }) => kind !== 'context');
  // A hunk at the beginning of a file has less lines before it.
  const isLonger = tail > head && (start > 1 || tail > USUAL_CONTEXT || (head === 0 && tail !== USUAL_CONTEXT));
  if (tail < head || tail === 0 || isLonger) return true;
  return Math.min(...missing) >= tail && missing[0] + missing[1] > 2 * tail;
}

/** A header with numbers that git does not write, or with dots in place of them. */
const NO_LINE = /^(?:[\s.…]*|[-+\d, ]+)$/u;

/** The line that the header of a hunk names: git writes the one that begins the function, and models write one without numbers. */
function anchorsOf(header: string, isNumbered: boolean): string[] {
  const named = isNumbered ? header.replace(HUNK, '') : header.slice(2).replace(/\s*@@\s*$/u, '');
  return NO_LINE.test(named) ? [] : [named.replace(/^ /u, '').trimEnd()];
}

/** The lines of a hunk. */
interface HunkLines {
  readonly lines: PatchLine[];
  /** Which of them are blank, without even the mark of an unchanged line. */
  readonly blank: boolean[];
  readonly found: Counts;
}

/** Reads all lines up to the next header. What the header of the hunk states only tells where text after the patch begins. */
function readHunkLines(reader: PatchReader, stated: Counts | undefined): HunkLines {
  const lines: PatchLine[] = [];
  const blank: boolean[] = [];
  const found: Counts = { old: 0, new: 0 };
  for (let line = reader.lines[reader.index]; line !== undefined; line = reader.lines[reader.index]) {
    if (isNoLineEnd(line)) markNoLineEnd(lines.at(-1));
    else {
      const missing = stated && { old: stated.old - found.old, new: stated.new - found.new };
      if (endsHunk(reader, line, missing)) break;
      const parsed = parseHunkLine(line);
      // After the last line this may be text between files; within the hunk it is an unchanged line without its mark.
      if (parsed.unmarked === true && !isOpen(missing)) break;
      lines.push(parsed);
      blank.push(line === '' || line === '\r');
      if (parsed.kind !== 'add') found.old += 1;
      if (parsed.kind !== 'remove') found.new += 1;
    }
    reader.index += 1;
  }
  return { lines, blank, found };
}

/** Whether a hunk has fewer lines so far than its header states. */
const isOpen = (missing: Counts | undefined): boolean => missing !== undefined && Math.max(missing.old, missing.new) > 0;

/** Whether a line begins something else than a line of the hunk, of which some are missing as its header states. */
function endsHunk(reader: PatchReader, line: string, missing: Counts | undefined): boolean {
  const isLastPair = missing?.old === 1 && missing.new === 1;
  if (line.startsWith('@@') || (beginsFile(reader) && !isLastPair)) return true;
  return !isOpen(missing) && (missing !== undefined || line.trim() !== '') && endsBefore(reader, line);
}

const isMiscounted = (stated: Counts | undefined, found: Counts): boolean =>
  stated !== undefined && (stated.old !== found.old || stated.new !== found.new);

/** Parses a hunk: all lines up to the next header. */
export function parseHunk(reader: PatchReader): Chunk {
  const patchLine = reader.index + 1;
  const headerLine = reader.lines[reader.index] ?? '';
  if (COMBINED.test(headerLine)) throw patchError(patchLine, 'begins a hunk of a merge against several parents', 'Send a diff against one of them.');
  const [, start, oldCount = '1', , newCount = '1'] = HUNK.exec(headerLine) ?? [];
  const stated = start === undefined ? undefined : { old: Number(oldCount), new: Number(newCount) };
  reader.index += 1;
  const { lines, blank, found } = readHunkLines(reader, stated);
  const isLast = reader.index >= reader.lines.length;
  if (stated === undefined || found.old > stated.old) dropBlankEnd(lines, blank, 0);
  else if (isLast && maybeCut(lines, stated, found, Number(start))) {
    throw patchError(
      patchLine,
      `begins a hunk of ${stated.old} old and ${stated.new} new lines, and the patch ends after ${found.old} and ${found.new}`,
      `If nothing is missing, the header must be @@ -${start},${found.old} +${start},${found.new} @@; else send the whole patch.`,
    );
  }
  if (lines.every(({ kind }) => kind === 'context')) {
    throw patchError(patchLine, 'begins a hunk that adds and removes nothing', 'Put + before each line to add, and - before each line to remove.');
  }
  return {
    patchLine,
    anchors: anchorsOf(headerLine, start !== undefined),
    start: start === undefined ? undefined : Number(start),
    atEnd: false,
    lines,
    ...(isMiscounted(stated, found) ? { miscounted: true } : {}),
  };
}

function toNewFile(path: string, { patchLine, mode }: Header, chunks: readonly Chunk[]): FilePatch {
  const lines = chunks.flatMap((chunk) => chunk.lines);
  if (chunks.length > 1 || lines.some(({ kind }) => kind !== 'add')) throw patchError(patchLine, 'adds a file, so all its lines must begin with +');
  return { kind: 'add', path, patchLine, lines, mode };
}

function toFilePatch(header: Header, chunks: readonly Chunk[]): FilePatch {
  const { patchLine, mode } = header;
  const path = header.from ?? header.before ?? header.after;
  if (path === undefined) throw patchError(patchLine, 'begins a file without a name', 'Give the names in lines that begin with --- and +++.');
  if (header.isNew) return toNewFile(header.after ?? path, header, chunks);
  if (header.isDeleted) return { kind: 'delete', path, patchLine, chunks };
  const to = header.to ?? header.after;
  if (header.from === undefined && to !== path) {
    throw patchError(
      patchLine,
      `has two names for one file, ${quoted(path)} and ${quoted(to ?? '')}`,
      'To rename a file, add the lines "rename from" and "rename to" behind a diff --git line.',
    );
  }
  if (chunks.length === 0 && to === path && mode === undefined) throw patchError(patchLine, `names ${quoted(path)} and no change of it`);
  return { kind: 'update', path, patchLine, to: to === path ? undefined : to, chunks, mode };
}

/** Parses a unified diff from git or diff(1). */
export function parseUnified(reader: PatchReader): FilePatch[] {
  const files: FilePatch[] = [];
  // Text outside the patch, as in a mail. Not allowed directly after a hunk, where it would be a line without its mark.
  let isText = true;
  for (let line = reader.lines[reader.index]; line !== undefined; line = reader.lines[reader.index]) {
    const isGit = line.startsWith('diff --git ');
    if (line.startsWith('@@')) throw hunkWithoutFile(reader);
    if (line.startsWith('Binary files ')) refuseBinary(emptyHeader(reader.index + 1), reader.index + 1);
    if (!isGit && !(line.startsWith('--- ') && reader.lines[reader.index + 1]?.startsWith('+++ ') === true)) {
      isText ||= TEXT_FOLLOWS.test(line);
      if (!isText && !BETWEEN.test(line)) {
        throw patchError(reader.index + 1, `is no line of a hunk: ${quoted(line)}. Each begins with a space (unchanged), - (removed) or + (added)`);
      }
      reader.index += 1;
      continue;
    }
    const header = isGit ? parseGitHeader(reader) : emptyHeader(reader.index + 1);
    parseNames(reader, header);
    const chunks: Chunk[] = [];
    while (reader.lines[reader.index]?.startsWith('@@') === true) chunks.push(parseHunk(reader));
    files.push(toFilePatch(header, chunks));
    isText = false;
  }
  return files;
}
