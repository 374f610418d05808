import { visibleSpan, type Line, type Span } from '../output/styled-line.ts';
import { textWidth, visibleCharacters } from '../output/text-width.ts';

/** The cells of a line. */
export const lineWidth = (line: Line): number => line.reduce((sum, span) => sum + textWidth(visibleSpan(span).text), 0);

/** The beginning of a line that fits into a width, with a mark where it is cut. */
export function clipLine(line: Line, width: number): Line {
  const seen = line.map(visibleSpan);
  if (lineWidth(seen) <= width) return seen;
  const kept: Span[] = [];
  let room = width - 1;
  for (const span of seen) {
    let text = '';
    for (const character of visibleCharacters(span.text)) {
      const cells = textWidth(character);
      if (cells > room) return [...kept, { ...span, text: `${text}…` }];
      text += character;
      room -= cells;
    }
    kept.push({ ...span, text });
  }
  return kept;
}
