import { displayPath } from '../workspace/byte-name.ts';
import type { OpenFile } from '../workspace/open-file.ts';
import type { WorkspaceReader } from '../workspace/workspace-reader.ts';
import type { MatchRecord } from './match-record.ts';

/** Maximum number of characters shown of a line. */
const LINE_CHARACTERS = 500;
/** Maximum number of these characters before the match in a cut line. */
const BEFORE_CHARACTERS = 120;

/** Unpaired surrogates at the ends of a cut line. */
const HALVES = /^[\udc00-\udfff]|[\ud800-\udbff]$/g;
const CONTINUATION = 0b1000_0000;

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}

/** Cuts the end of a long line. */
export function cutLine(line: string): string {
  const text = withoutReturn(line);
  return text.length <= LINE_CHARACTERS ? text : `${text.slice(0, LINE_CHARACTERS).replace(HALVES, '')}…`;
}

/** Skips the rest of a character that the bytes begin in. */
function fromWholeCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0b1100_0000) === CONTINUATION) start += 1;
  return bytes.subarray(start);
}

/**
 * Formats a line: whole, or the part around its match.
 *
 * @param before the part of the line before the match
 * @param rest the part of the line from the match on
 * @param isCut whether the line begins before `before`
 */
export function lineAround(before: Buffer, rest: Buffer, isCut: boolean): string {
  const left = (isCut ? fromWholeCharacter(before) : before).toString();
  const right = withoutReturn(rest.toString());
  if (!isCut && left.length + right.length <= LINE_CHARACTERS) return left + right;
  const shownLeft = isCut || left.length > BEFORE_CHARACTERS ? `…${left.slice(-BEFORE_CHARACTERS).replace(HALVES, '')}` : left;
  return shownLeft + cutAt(right, LINE_CHARACTERS - shownLeft.length);
}

function cutAt(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters).replace(HALVES, '')}…`;
}

/** A line of a file. */
export interface Line {
  readonly line: number;
  readonly text: string;
}

/** A matching line whose position was verified. */
export interface VerifiedMatch extends Line {
  readonly path: string;
  /** Byte offset of the match in the line, from 1. */
  readonly column: number;
  readonly before: readonly Line[];
  readonly after: readonly Line[];
}

/** The text of a file with ripgrep's byte offsets: UTF-8, without a byte order mark. */
interface TextBytes {
  read(position: number, length: number): Promise<Buffer>;
}

const UTF8_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const UTF16 = [
  { mark: Buffer.from([0xff, 0xfe]), encoding: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), encoding: 'utf-16be' },
] as const;
/** Maximum size of a UTF-16 file in bytes. It must be decoded from its start to find an offset. */
const MAX_UTF16_BYTES = 16 * 1024 * 1024;
/** Maximum size, in bytes, of a file that is read at once: one system call instead of several per match. */
const WHOLE_BYTES = 32 * 1024;
/** Bytes read on each side of a match to show its line and the lines around it. */
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

/** A found file, opened by handle. Verifies its lines one by one. */
export class VerifiedFile implements Disposable {
  readonly #path: string;
  readonly #file: OpenFile | undefined;
  readonly #text: TextBytes;

  private constructor(path: string, file: OpenFile | undefined, text: TextBytes) {
    this.#path = path;
    this.#file = file;
    this.#text = text;
  }

  /** Takes a file that was just read by handle as a whole, and has no byte order mark. */
  static read(path: string, bytes: Buffer): VerifiedFile {
    return new VerifiedFile(path, undefined, inMemory(bytes));
  }

  /** Opens a file. Returns undefined if the path no longer leads to a file of the workspace by exactly these names. */
  static async open(workspace: WorkspaceReader, path: string): Promise<VerifiedFile | undefined> {
    let file: OpenFile;
    try {
      file = workspace.openFile(path);
    } catch {
      // Deleted, replaced by a link or unreadable: not a result in any case.
      return undefined;
    }
    const text = displayPath(file.location) === path ? await textBytes(file) : undefined;
    if (text !== undefined) return new VerifiedFile(path, file, text);
    file[Symbol.dispose]();
    return undefined;
  }

  /**
   * Proves that this file contains the line that ripgrep read. ripgrep opens files by name, and a folder
   * that is replaced with a link during its walk leads it outside. The shown text is therefore read here,
   * by handle, and must agree with ripgrep's bytes.
   *
   * @param context number of lines before and after
   */
  async verify(record: MatchRecord, context: number): Promise<VerifiedMatch | undefined> {
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
    this.#file?.[Symbol.dispose]();
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
    // The first line may be the end of a longer one.
    const shown = lines.slice(-context).map((text, index, { length }) => ({ line: line - length + index, text: cutLine(text) }));
    const [first] = shown;
    return from > 0 && lines.length <= context && first !== undefined ? [{ line: first.line, text: `…${first.text}` }, ...shown.slice(1)] : shown;
  }

  async #after(matchStart: number, line: number, context: number): Promise<Line[]> {
    const bytes = await this.#text.read(matchStart, CONTEXT_BYTES);
    const lines = bytes.toString().split('\n').slice(1);
    // The text after the file's last line end is not a line; the last text read may be the start of one.
    const last = lines.pop();
    if (last !== undefined && bytes.length === CONTEXT_BYTES) lines.push(`${last}…`);
    else if (last !== undefined && last !== '') lines.push(last);
    return lines.slice(0, context).map((text, index) => ({ line: line + index + 1, text: cutLine(text) }));
  }
}
