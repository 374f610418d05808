import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Printable ASCII: one cell each. */
const PLAIN = /^[ -~]*$/u;

/** The cells that text takes on a terminal. Expects visible text. */
export function textWidth(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** The characters of a text as a reader sees them. */
export function* visibleCharacters(text: string): Generator<string> {
  if (PLAIN.test(text)) yield* text;
  else for (const { segment } of graphemes.segment(text)) yield segment;
}
