import { SynapseError } from '@synapse/protocol';

/** Characters of the input shown on each side of the place where it goes wrong. */
const CONTEXT = 24;
const EXAMPLE = `synapse call read_file '{"path":"README.md"}'`;

/** V8 says `Unexpected token` without a place, and quotes the input after it. */
const PLACELESS = 'Unexpected token';

function isPlaceless(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return error instanceof SyntaxError && error.message.startsWith(PLACELESS);
  }
}

/** How much of a text parses before the unexpected token: the longest beginning that fails for its end only. */
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

/** Where the parser stopped. */
function position(text: string, { message }: SyntaxError): number {
  if (message.startsWith(PLACELESS)) return tokenPosition(text);
  const place = /at position (\d+)/u.exec(message)?.[1];
  return place === undefined ? text.length : Number(place);
}

/** Parses a tool's arguments as a person typed them. */
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
