import { styleText } from 'node:util';
import type { WriteStream } from 'node:tty';
import { beginning } from './cells.ts';
import { visibleText } from './visible-text.ts';

/** A colour or weight, from {@link styleText}. */
export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** A stream that a person or a program reads. */
export interface Output {
  readonly isTerminal: boolean;
  /** Characters of a line. */
  readonly columns: number;
  /** Writes text: exactly where a program reads it, with control characters made visible where a person does. */
  write(text: string, style?: Style): void;
  /**
   * Shows one line in place of the one before, until something is written or an empty one wipes it off. Where no line can
   * be taken back, nothing is shown.
   */
  show(line: string): void;
}

type OutputStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;

/** Of a terminal that does not say how large it is: as large as terminals were. */
const UNTOLD = { columns: 80, rows: 24 } as const;
const CLEAR_LINE = '\r\u001b[2K';

/** How large a terminal is now. One that does not know, such as that of a container, says 0. */
export function sizeOf({ columns = 0, rows = 0 }: OutputStream): { readonly columns: number; readonly rows: number } {
  return { columns: columns > 0 ? columns : UNTOLD.columns, rows: rows > 0 ? rows : UNTOLD.rows };
}

/** Makes an output of a stream of this process. Colours follow NO_COLOR and FORCE_COLOR, and appear on a terminal only. */
export function streamOutput(stream: OutputStream, environment: NodeJS.ProcessEnv = process.env): Output {
  const isTerminal = stream.isTTY === true;
  // One such as that of an editor writes sequences out, or swallows the lines that they were meant to wipe.
  const canRepaint = isTerminal && environment['TERM'] !== 'dumb';
  const styled = (text: string, style: Style): string => styleText(style, text, { stream, validateStream: true });
  let shown = false;
  const wipe = (): void => {
    if (shown) stream.write(CLEAR_LINE);
    shown = false;
  };
  return {
    isTerminal,
    get columns() {
      return sizeOf(stream).columns;
    },
    write: (text, style) => {
      wipe();
      if (!isTerminal) stream.write(text);
      else stream.write(style === undefined ? visibleText(text) : styled(visibleText(text), style));
    },
    show: (line) => {
      wipe();
      if (!canRepaint || line === '') return;
      shown = true;
      // Of what can be seen: a line that is wrapped cannot be wiped off.
      stream.write(styled(beginning(visibleText(line.replaceAll(/\s+/gu, ' ')), sizeOf(stream).columns - 1), 'dim'));
    },
  };
}
