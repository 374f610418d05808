import { SUMMED } from './frame-sum.ts';

/** The fields that can be appended: of a frame, and the sealed part of any. */
type Appended = 'body' | 'data' | 'box';

/**
 * Formats a value as JSON and a long text of it after a line break, as it is. As a part of the JSON, each party on its way would escape it, or read
 * the escapes, which takes longer than all else that is done with it.
 *
 * @param value has an empty text in its place
 */
export const appendedText = (value: object, name: Appended, text: string): string => `${JSON.stringify({ ...value, appended: name })}\n${text}`;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Puts a text back into its value; undefined if it has no place there. */
function withAppended(value: unknown, text: string): unknown {
  if (!isObject(value) || !('appended' in value)) return undefined;
  const { appended: name } = value;
  if (name === 'body' || name === 'data') return { ...value, [name]: text };
  return name === 'box' && 'auth' in value && isObject(value.auth) ? { ...value, auth: { ...value.auth, box: text } } : undefined;
}

/** Parses JSON, or JSON with a text that is appended to it. JSON of this program has no line break. @throws SyntaxError */
export function parseAppended(text: string): unknown {
  const end = text.indexOf('\n');
  return end < 0 ? JSON.parse(text) : withAppended(JSON.parse(text.slice(0, end)), text.slice(end + 1));
}

/** Reads the text of a frame; undefined if it is none. */
export function readFrameText(text: string): unknown {
  try {
    // A side without the protocol may break the lines of its JSON. It sends no sums.
    return text.startsWith(SUMMED) ? parseAppended(text) : (JSON.parse(text) as unknown);
  } catch {
    // Not JSON. No schema accepts undefined, so it is rejected as malformed.
    return undefined;
  }
}
