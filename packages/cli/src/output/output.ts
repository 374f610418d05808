import { styleText } from 'node:util';
import type { WriteStream } from 'node:tty';
import { beginning } from './columns.ts';
import { wrapLines } from './wrap-lines.ts';
import { hyperlink } from './hyperlink.ts';
import { visibleText } from './visible-text.ts';

/** A color or weight from {@link styleText}. */
export type Style = 'bold' | 'dim' | 'italic' | 'underline' | 'strikethrough' | 'red' | 'green' | 'yellow' | 'cyan' | 'magenta';

/** An output stream. */
export interface Output {
  readonly isTerminal: boolean;
  /** The width in characters. */
  readonly columns: number;
  /**
   * Writes text: unchanged for a program, with visible control characters for a person.
   *
   * @param address the link target on terminals that support links
   */
  write(text: string, style?: Style, address?: string): void;
  /** Writes bytes as they are, for a program that reads them. Default: {@link write}, as UTF-8. */
  writeBytes?(bytes: Uint8Array): void;
  /**
   * Shows a temporary line, which the next text replaces and an empty text erases. Shows nothing if lines cannot be
   * erased.
   */
  show(line: string): void;
}

type OutputStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;

/** The size of a terminal that does not report one. */
const UNTOLD = { columns: 80, rows: 24 } as const;
const CLEAR_LINE = '\r\u001b[2K';

/** The current size of a terminal. Some, such as in containers, report 0. */
export function sizeOf({ columns = 0, rows = 0 }: OutputStream): { readonly columns: number; readonly rows: number } {
  return { columns: columns > 0 ? columns : UNTOLD.columns, rows: rows > 0 ? rows : UNTOLD.rows };
}

/**
 * Creates an output for a stream of this process. Colors follow NO_COLOR and FORCE_COLOR, and only appear on a terminal.
 *
 * @param wraps whether whole lines are sentences, which a terminal shows wrapped at spaces
 */
export function streamOutput(stream: OutputStream, environment: NodeJS.ProcessEnv = process.env, wraps = false): Output {
  const isTerminal = stream.isTTY === true;
  // Dumb terminals print escape sequences, or do not erase lines.
  const canRepaint = isTerminal && environment['TERM'] !== 'dumb';
  const styled = (text: string, style: Style): string => styleText(style, text, { stream, validateStream: true });
  let shown = false;
  const wipe = (): void => {
    if (shown) stream.write(CLEAR_LINE);
    shown = false;
  };
  let isAtLineStart = true;
  /** A part of a line is left as it is: what comes before or after it is not known. */
  const wrapped = (text: string): string => {
    const isWhole = isAtLineStart && text.endsWith('\n');
    isAtLineStart = text.endsWith('\n');
    return wraps && isWhole ? wrapLines(text, sizeOf(stream).columns) : text;
  };
  const write = (text: string, style?: Style, address?: string): void => {
    wipe();
    if (!isTerminal) {
      stream.write(text);
      return;
    }
    if (text === '') return;
    const plain = wrapped(visibleText(text));
    const seen = style === undefined ? plain : styled(plain, style);
    const isLinked = address !== undefined && canRepaint && environment['NO_COLOR'] === undefined;
    stream.write(isLinked ? hyperlink(seen, address) : seen);
  };
  return {
    isTerminal,
    get columns() {
      return sizeOf(stream).columns;
    },
    write,
    writeBytes: (bytes) => {
      wipe();
      stream.write(isTerminal ? visibleText(Buffer.from(bytes).toString()) : bytes);
    },
    show: (line) => {
      wipe();
      if (!canRepaint || line === '') return;
      shown = true;
      // Visible characters only: a wrapped line cannot be erased.
      stream.write(styled(beginning(visibleText(line.replaceAll(/\s+/gu, ' ')), sizeOf(stream).columns - 1), 'dim'));
    },
  };
}
