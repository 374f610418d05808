import { styleText } from 'node:util';
import { hyperlink } from './hyperlink.ts';
import { inLine, visibleText } from './visible-text.ts';
import type { Style } from './output.ts';

/** A piece of a line in one style. Its text may come from anywhere: painting makes it safe. */
export interface Span {
  readonly text: string;
  readonly styles?: readonly Style[] | undefined;
  /** The target of a link, on terminals that support links. */
  readonly address?: string | undefined;
}

/** A line of a screen, without its end. */
export type Line = readonly Span[];

/** A span with the text that the terminal shows, so that it can be measured. */
export function visibleSpan(span: Span): Span {
  return { ...span, text: visibleText(inLine(span.text)) };
}

/** Writes a line for a terminal with colors. The only place that adds control sequences to text from elsewhere. */
export function paintLine(line: Line): string {
  return line
    .map((span) => {
      const { text, styles = [], address } = visibleSpan(span);
      const painted = styles.length === 0 || text === '' ? text : styleText([...styles], text, { validateStream: false });
      return address === undefined ? painted : hyperlink(painted, address);
    })
    .join('');
}

/** The text of a line without styles. */
export function plainLine(line: Line): string {
  return line.map((span) => visibleSpan(span).text).join('');
}
