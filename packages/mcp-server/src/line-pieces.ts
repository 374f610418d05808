import { randomUUID } from 'node:crypto';

/** Characters from which a text is written in pieces, and of one piece. */
export const PIECE_LENGTH = 64 * 1024;
/** Stands for a text that is written in pieces; nobody else knows it, so that no other text can be taken for it. */
const MARK = randomUUID();
const MARKED = new RegExp(`"${MARK}"`, 'u');

/** Whether a message has a text that is long: those of answers stand in their content. */
export function isLong(message: object): boolean {
  const { result } = message as { readonly result?: { readonly content?: unknown } };
  const content = result?.content;
  return (
    Array.isArray(content) &&
    content.some((block: { readonly text?: unknown }) => typeof block.text === 'string' && block.text.length >= PIECE_LENGTH)
  );
}

/**
 * The JSON of a message as a line, its long texts in pieces: the other side reads one while the next is made. A pair of
 * surrogates that is cut is written as two escapes, which is the same text.
 */
export function* linePieces(message: object): Generator<string> {
  const texts: string[] = [];
  const frame = JSON.stringify(message, (_, value: unknown) => {
    if (typeof value !== 'string' || value.length < PIECE_LENGTH) return value;
    texts.push(value);
    return MARK;
  });
  for (const [index, between] of frame.split(MARKED).entries()) {
    const text = index === 0 ? undefined : texts[index - 1];
    if (text !== undefined) {
      for (let start = 0; start < text.length; start += PIECE_LENGTH) yield JSON.stringify(text.slice(start, start + PIECE_LENGTH)).slice(1, -1);
    }
    yield `${text === undefined ? '' : '"'}${between}${index < texts.length ? '"' : '\n'}`;
  }
}
