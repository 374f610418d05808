import { SynapseError } from '@synapse/protocol';

/** Characters shown on each side of a syntax error. */
const CONTEXT = 24;
const EXAMPLE = `synapse call read_file '{"path":"README.md"}'`;

/** V8 reports `Unexpected token` without a position, but quotes the input after it. */
const PLACELESS = 'Unexpected token';

function isPlaceless(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return error instanceof SyntaxError && error.message.startsWith(PLACELESS);
  }
}

/** The length of the valid part of a text: the longest prefix that fails only because it ends. */
function tokenPosition(text: string): number {
  let good = 0;
  let bad = text.length;
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isPlaceless(text.slice(0, middle))) bad = middle;
    else good = middle;
  }
  return good;
}

/** The position where the parser stopped. */
function position(text: string, { message }: SyntaxError): number {
  if (message.startsWith(PLACELESS)) return tokenPosition(text);
  const place = /at position (\d+)/u.exec(message)?.[1];
  return place === undefined ? text.length : Number(place);
}

/** Parses a tool's arguments. */
export function parseJsonInput(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const at = position(text, error);
    const before = text.slice(0, at);
    const line = before.split('\n').length;
    const column = at - before.lastIndexOf('\n');
    const shown = JSON.stringify(text.slice(Math.max(0, at - CONTEXT), at)).slice(1, -1);
    const rest = JSON.stringify(text.slice(at, at + CONTEXT)).slice(1, -1);
    throw new SynapseError('invalid_arguments', `The input is not JSON: line ${line}, column ${column}, at ${shown}⟨here⟩${rest}`, {
      hint: `Give a JSON object, in single quotes so that the shell leaves it alone: ${EXAMPLE}`,
      cause: error,
    });
  }
}
