import { styleText } from 'node:util';
import type { WriteStream } from 'node:tty';
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
  /** Writes control sequences of our own, to a terminal only. */
  control(sequence: string): void;
}

/** Makes an output of a stream of this process. Colours follow NO_COLOR and FORCE_COLOR, and appear on a terminal only. */
export function streamOutput(stream: NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns'>>): Output {
  const isTerminal = stream.isTTY === true;
  return {
    isTerminal,
    columns: stream.columns ?? 80,
    write: (text, style) => {
      if (!isTerminal) stream.write(text);
      else stream.write(style === undefined ? visibleText(text) : styleText(style, visibleText(text), { stream, validateStream: true }));
    },
    control: (sequence) => {
      if (isTerminal) stream.write(sequence);
    },
  };
}
