import { displayPath } from '../workspace/byte-name.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { cutLine, lineAround } from './cut-line.ts';
import type { MatchRecord } from './match-record.ts';

/** A line of a file. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

/** A line that matches, proven to stand where it was found. */
export interface ProvenMatch extends Line {
  readonly path: string;
  /** Where the match begins in the line, in bytes; the first is 1. */
  readonly column: number;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
}

/** A file's text as ripgrep counts it: UTF-8, without a byte order mark. */
interface TextBytes {
  read(position: number, length: number): Promise<Buffer>;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16 = [
  { mark: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
] as const;
/** A UTF-16 file is decoded from its beginning to find an offset in it; larger ones are not, in bytes. */
const MAX_UTF16_BYTES = 16 * 1024 * 1024;
/** Most files are read at once, which is one call of the kernel instead of some for each match. */
const WHOLE_BYTES = 32 * 1024;
/** Read on each side of a match to show its line and the lines around it, in bytes. */
const NEAR_BYTES = 2 * 1024;
const CONTEXT_BYTES = 16 * 1024;
const NEWLINE = 0x0a;

function inMemory(bytes: Buffer): TextBytes {
  return { read: async (position, length) => bytes.subarray(position, position + length) };
}

async function textBytes(file: OpenFile): Promise<TextBytes | undefined> {
  const head = await file.read(0, WHOLE_BYTES);
  const utf16 = UTF16.find(({ mark }) => head.subarray(0, 2).equals(mark));
  if (utf16 !== undefined) {
    if (file.size > MAX_UTF16_BYTES) return undefined;
    return inMemory(Buffer.from(new TextDecoder(utf16.encoding).decode(await file.read(0, file.size))));
  }
  const skip = head.subarray(0, UTF8_MARK.length).equals(UTF8_MARK) ? UTF8_MARK.length : 0;
  if (head.length === file.size) return inMemory(head.subarray(skip));
  return { read: (position, length) => file.read(skip + position, length) };
}

/** Opens a file that a search named, through handles; the lines in it are proven one by one. */
export class ProvableFile implements Disposable {
  readonly #path: string;
  readonly #file: OpenFile;
  readonly #text: TextBytes;

  private constructor(path: string, file: OpenFile, text: TextBytes) {
    this.#path = path;
    this.#file = file;
    this.#text = text;
  }

  /** Undefined where the path does not lead to a file of the workspace by these very names (any more). */
  static async open(workspace: Workspace, path: string): Promise<ProvableFile | undefined> {
    let file: OpenFile;
    try {
      file = workspace.openFile(path);
    } catch {
      // Deleted, swapped for a link, made unreadable: for a result all that means the same.
      return undefined;
    }
    const text = displayPath(file.location) === path ? await textBytes(file) : undefined;
    if (text !== undefined) return new ProvableFile(path, file, text);
    file[Symbol.dispose]();
    return undefined;
  }

  /**
   * Proves that the line that ripgrep read stands in this file. ripgrep goes by names, and a folder
   * swapped for a link during its walk leads it outside; so what is shown is read here, by handle,
   * and ripgrep's own bytes only have to agree with it.
   *
   * @param context lines to give before and after
   */
  async prove(record: MatchRecord, context: number): Promise<ProvenMatch | undefined> {
    const { offset, start, line } = record;
    if (!(await this.#holds(offset, record.text)) || !(await this.#holds(offset + start, record.match))) return undefined;
    const around = await this.#around(offset, offset + start);
    return {
      path: this.#path,
      line,
      column: start + 1,
      text: around,
      before: context === 0 ? [] : await this.#before(offset, line, context),
      after: context === 0 ? [] : await this.#after(offset + start, line, context),
    };
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }

  async #holds(position: number, evidence: Buffer): Promise<boolean> {
    return (await this.#text.read(position, evidence.length)).equals(evidence);
  }

  async #around(lineStart: number, matchStart: number): Promise<string> {
    const from = Math.max(lineStart, matchStart - NEAR_BYTES);
    const before = await this.#text.read(from, matchStart - from);
    const rest = await this.#text.read(matchStart, NEAR_BYTES);
    const end = rest.indexOf(NEWLINE);
    return lineAround(before, end === -1 ? rest : rest.subarray(0, end), from > lineStart);
  }

  async #before(lineStart: number, line: number, context: number): Promise<Line[]> {
    if (lineStart === 0) return [];
    const from = Math.max(0, lineStart - CONTEXT_BYTES);
    const bytes = await this.#text.read(from, lineStart - 1 - from);
    const lines = bytes.toString().split('\n');
    // The first may be the end of a longer line.
    const shown = lines.slice(-context).map((text, index, { length }) => ({ line: line - length + index, text: cutLine(text) }));
    const [first] = shown;
    return from > 0 && lines.length <= context && first !== undefined ? [{ line: first.line, text: `…${first.text}` }, ...shown.slice(1)] : shown;
  }

  async #after(matchStart: number, line: number, context: number): Promise<Line[]> {
    const bytes = await this.#text.read(matchStart, CONTEXT_BYTES);
    const lines = bytes.toString().split('\n').slice(1);
    // What follows the last line end of the file is no line; what was read last may be the beginning of one.
    const last = lines.pop();
    if (last !== undefined && bytes.length === CONTEXT_BYTES) lines.push(`${last}…`);
    else if (last !== undefined && last !== '') lines.push(last);
    return lines.slice(0, context).map((text, index) => ({ line: line + index + 1, text: cutLine(text) }));
  }
}
