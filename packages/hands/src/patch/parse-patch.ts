import { parseHunk, parseUnified } from './parse-unified.ts';
import type { Chunk, FilePatch, PatchLine } from './patch.ts';
import { patchError, quoted } from './patch-error.ts';
import { dropBlankEnd, isNoLineEnd, markNoLineEnd, parseHunkLine, type PatchReader, readPatchText } from './patch-text.ts';

const BEGIN = /^\*\*\* Begin Patch\s*$/u;
const END = /^\*\*\* End Patch\s*$/u;
const FILE = /^\*\*\* (Add|Update|Delete) File: (.*\S)\s*$/u;
const MOVE = /^\*\*\* Move to: (.*\S)\s*$/u;
const END_OF_FILE = /^\*\*\* End of File\s*$/u;
const NUMBERED = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/u;
/** Text that models add around a patch: a Markdown fence, or a shell command that would read it. */
const WRAPPING = /^\s*(?:```.*|.*<<-?\s*['"]?\w+['"]?|\w+|["')]+)?\s*$/u;

/** Whether a patch has the form that OpenAI's models write. */
function isEnvelope(reader: PatchReader): boolean {
  return reader.lines.some((line) => BEGIN.test(line));
}

const MAX_WRAPPING = 200;

function next(reader: PatchReader): string | undefined {
  return reader.lines[reader.index];
}

function assertWrapping(reader: PatchReader, from: number, to: number): void {
  for (let index = from; index < to; index += 1) {
    const line = reader.lines[index] ?? '';
    if (line.length > MAX_WRAPPING || !WRAPPING.test(line))
      throw patchError(index + 1, `is outside of *** Begin Patch and *** End Patch: ${quoted(line)}`);
  }
}

function parseAdd(reader: PatchReader): PatchLine[] {
  const lines: PatchLine[] = [];
  const blank: boolean[] = [];
  for (let line = next(reader); line !== undefined && !line.startsWith('*** '); line = next(reader)) {
    if (isNoLineEnd(line)) markNoLineEnd(lines.at(-1));
    else {
      const parsed = parseHunkLine(line);
      if (parsed.kind !== 'add' && line.trim() !== '') {
        throw patchError(reader.index + 1, `is no line of a new file: ${quoted(line)}. Each begins with +`);
      }
      lines.push({ ...parsed, kind: 'add' });
      blank.push(parsed.kind !== 'add');
    }
    reader.index += 1;
  }
  dropBlankEnd(lines, blank, 0);
  return lines;
}

function parseChunk(reader: PatchReader): Chunk {
  const patchLine = reader.index + 1;
  const anchors: string[] = [];
  let start: number | undefined;
  for (let line = next(reader); line?.startsWith('@@') === true; line = next(reader)) {
    const number = NUMBERED.exec(line)?.[1];
    const anchor = line.slice(2).replace(/^ /u, '').trimEnd();
    if (number !== undefined) start = Number(number);
    else if (anchor !== '') anchors.push(anchor);
    reader.index += 1;
  }
  const lines: PatchLine[] = [];
  const blank: boolean[] = [];
  let atEnd = false;
  for (let line = next(reader); line !== undefined && !line.startsWith('@@'); line = next(reader)) {
    if (END_OF_FILE.test(line)) {
      atEnd = true;
      reader.index += 1;
      break;
    }
    if (line.startsWith('*** ')) break;
    if (isNoLineEnd(line)) markNoLineEnd(lines.at(-1));
    else {
      lines.push(parseHunkLine(line));
      blank.push(line.trim() === '' && !line.startsWith(' '));
    }
    reader.index += 1;
  }
  dropBlankEnd(lines, blank, 0);
  if (lines.every(({ kind }) => kind === 'context')) throw patchError(patchLine, 'begins a part that adds and removes nothing');
  return { patchLine, anchors, start, atEnd, lines };
}

function parseUpdate(reader: PatchReader, path: string, patchLine: number): FilePatch {
  const to = MOVE.exec(next(reader) ?? '')?.[1];
  if (to !== undefined) reader.index += 1;
  const chunks: Chunk[] = [];
  for (let line = next(reader); line !== undefined && (!line.startsWith('*** ') || END_OF_FILE.test(line)); line = next(reader)) {
    if (line.trim() === '') reader.index += 1;
    else chunks.push(parseChunk(reader));
  }
  if (chunks.length === 0 && to === undefined) throw patchError(patchLine, `names ${quoted(path)} and no change of it`);
  return { kind: 'update', path, patchLine, to, chunks, mode: undefined };
}

/** Parses the `*** Begin Patch` form. */
function parseEnvelope(reader: PatchReader): FilePatch[] {
  const begin = reader.lines.findIndex((line) => BEGIN.test(line));
  assertWrapping(reader, 0, begin);
  reader.index = begin + 1;
  const files: FilePatch[] = [];
  for (let line = next(reader); ; line = next(reader)) {
    if (line === undefined) throw patchError(undefined, 'does not end with *** End Patch, so a part of it may be missing', 'Send the whole patch.');
    const patchLine = reader.index + 1;
    reader.index += 1;
    if (END.test(line)) break;
    if (line.trim() === '') continue;
    const [, action, path = ''] = FILE.exec(line) ?? [];
    if (action === undefined) {
      throw patchError(patchLine, `is ${quoted(line)}, where *** Add File:, *** Update File:, *** Delete File: or *** End Patch must follow`);
    }
    if (action === 'Add') files.push({ kind: 'add', path, patchLine, lines: parseAdd(reader), mode: undefined });
    else if (action === 'Delete') files.push({ kind: 'delete', path, patchLine, chunks: [] });
    else files.push(parseUpdate(reader, path, patchLine));
  }
  assertWrapping(reader, reader.index, reader.lines.length);
  return files;
}

/** Whether a patch begins with a hunk, without the header of a file. */
function isBare({ lines }: PatchReader): boolean {
  return lines.find((line) => line.trim() !== '' && !BEGIN.test(line) && !/^\s*```/u.test(line))?.startsWith('@@') === true;
}

/** Parses hunks of one file that is named beside the patch. */
function parseBare({ lines }: PatchReader, path: string): FilePatch[] {
  const chunks: Chunk[] = [];
  const first = lines.findIndex((line) => line.startsWith('@@'));
  const last = lines.findLastIndex((line) => line.trim() !== '');
  const patchLine = first + 1;
  const reader: PatchReader = { lines: /^\s*```/u.test(lines[last] ?? '') ? lines.slice(0, last) : lines, index: first };
  for (let line = next(reader); line !== undefined; line = next(reader)) {
    if (NUMBERED.test(line)) chunks.push(parseHunk(reader));
    else if (line.startsWith('@@')) chunks.push(parseChunk(reader));
    else if (END.test(line) || END_OF_FILE.test(line) || WRAPPING.test(line)) reader.index += 1;
    else throw patchError(reader.index + 1, `is no line of a hunk: ${quoted(line)}. Each begins with a space (unchanged), - (removed) or + (added)`);
  }
  return [{ kind: 'update', path, patchLine, to: undefined, chunks, mode: undefined }];
}

/**
 * Parses a patch in either form. Pure: it uses only the text.
 * @param path the file of a patch that consists of hunks alone; not used if the patch names files
 * @throws SynapseError `invalid_arguments` with the line, `binary_file` or `wrong_type`
 */
export function parsePatch(text: string, path?: string): FilePatch[] {
  const reader = readPatchText(text);
  if (path !== undefined && isBare(reader)) return parseBare(reader, path);
  const files = isEnvelope(reader) ? parseEnvelope(reader) : parseUnified(reader);
  if (files.length === 0) {
    const escaped = reader.lines.length === 1 && text.includes(String.raw`\n`);
    throw escaped
      ? patchError(undefined, String.raw`is one line, in which its line breaks are written as \n`, 'Send it with real line breaks.')
      : path === undefined
        ? patchError(undefined, 'names no file')
        : patchError(undefined, `has no line that begins with @@ before the changes of ${quoted(path)}`);
  }
  return files;
}
