import type { JSONRPCMessage } from '@modelcontextprotocol/server';

/** Why a line is no message, as JSON-RPC says it. */
export interface Refusal {
  readonly id: string | number | null;
  readonly code: -32700 | -32600;
  readonly message: string;
}

/** Either a message, or what to answer in its place. */
export type ParsedLine = { readonly message: JSONRPCMessage } | { readonly refusal: Refusal };

function refuse(id: Refusal['id'], code: Refusal['code'], message: string): ParsedLine {
  return { refusal: { id, code, message } };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** MCP allows no other: not null, no fractions. */
function validId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/**
 * Parses a line of JSON-RPC. What the SDK would drop in silence is refused here with a reason: a
 * client that gets no answer waits for one.
 *
 * @param accepts the SDK's own check of a message
 */
export function parseMessage(line: string, accepts: (value: unknown) => value is JSONRPCMessage): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The parser's own words quote the input; where it went wrong is of no use to a program.
    return refuse(null, -32700, 'Parse error: a message must be one JSON object.');
  }
  if (Array.isArray(value)) return refuse(null, -32600, 'Invalid request: MCP has no batches; send one message at a time.');
  if (!isPlainObject(value)) return refuse(null, -32600, 'Invalid request: a message is a JSON object.');
  const id = validId(value['id']) ? value['id'] : null;
  if (value['jsonrpc'] !== '2.0') return refuse(id, -32600, 'Invalid request: "jsonrpc" must be "2.0".');
  if ('id' in value && id === null && 'method' in value) return refuse(null, -32600, 'Invalid request: "id" must be a string or an integer.');
  if (accepts(value)) return { message: value };
  return refuse(id, -32600, 'Invalid request: "method" must be a string, and "params", where given, an object with a valid "_meta".');
}

const ID = String.raw`"id"\s*:\s*(?<id>-?\d{1,15}|"[^"\\]{0,64}")\s*`;
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}[,}]`, 'u');
const ID_LAST = new RegExp(String.raw`,\s*${ID}\}\s*$`, 'u');

/** Refuses a message that was too long to keep; its id stands at one of its ends, as every known client writes it. */
export function refuseTooLong(head: string, tail: string, limitBytes: number): Refusal {
  const id = (ID_FIRST.exec(head) ?? ID_LAST.exec(tail))?.groups?.['id'];
  return {
    id: id === undefined ? null : (JSON.parse(id) as string | number),
    code: -32600,
    message: `Invalid request: a message may have ${limitBytes.toLocaleString('en')} bytes at most.`,
  };
}
