import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';

/** The JSON-RPC error for a line that is no message. */
export interface Refusal {
  readonly id: string | number | null;
  readonly code: -32700 | -32600;
  readonly message: string;
}

/** A message, or the error to answer with. */
type ParsedLine = { readonly message: JSONRPCMessage } | { readonly refusal: Refusal };

function refuse(id: Refusal['id'], code: Refusal['code'], message: string): ParsedLine {
  return { refusal: { id, code, message } };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether an id is valid: MCP allows neither null nor fractions. */
function isValidId(id: unknown): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/**
 * Parses a line of JSON-RPC. Invalid messages that the SDK would drop silently are refused with a reason: a
 * client waits for an answer.
 *
 * @param accepts the SDK's check of a message
 */
export function parseMessage(line: string, accepts: (value: unknown) => value is JSONRPCMessage): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    // The parser's message quotes the input, and the position of the error does not help a program.
    return refuse(null, -32700, 'Parse error: a message must be one JSON object.');
  }
  if (Array.isArray(value)) return refuse(null, -32600, 'Invalid request: MCP has no batches; send one message at a time.');
  if (!isPlainObject(value)) return refuse(null, -32600, 'Invalid request: a message is a JSON object.');
  const id = isValidId(value['id']) ? value['id'] : null;
  if (value['jsonrpc'] !== '2.0') return refuse(id, -32600, 'Invalid request: "jsonrpc" must be "2.0".');
  if ('id' in value && id === null && 'method' in value) return refuse(null, -32600, 'Invalid request: "id" must be a string or an integer.');
  if (accepts(value)) return { message: value };
  return refuse(id, -32600, 'Invalid request: "method" must be a string, and "params", where given, an object with a valid "_meta".');
}

const ID = String.raw`"id"\s*:\s*(?<id>-?\d{1,15}|"[^"\\]{0,64}")\s*`;
const ID_FIRST = new RegExp(String.raw`^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?${ID}[,}]`, 'u');
const ID_LAST = new RegExp(String.raw`,\s*${ID}\}\s*$`, 'u');

/** Refuses a message that was too long to keep; known clients write its id at one of its ends. */
export function refuseTooLong(head: string, tail: string, limitBytes: number): Refusal {
  const id = (ID_FIRST.exec(head) ?? ID_LAST.exec(tail))?.groups?.['id'];
  return {
    id: id === undefined ? null : (JSON.parse(id) as string | number),
    code: -32600,
    message: `Invalid request: a message may have ${limitBytes.toLocaleString('en')} bytes at most.`,
  };
}

/** A `tools/call` with only the usual fields; nearly all calls are. */
export interface PlainCall {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly method: 'tools/call';
  readonly params: { readonly name: string; readonly arguments?: unknown; readonly _meta?: { readonly progressToken?: string | number } };
}

const FIELDS = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMETERS = new Set(['name', 'arguments', '_meta']);
const META = new Set(['progressToken']);

function isObjectOf(value: unknown, fields: ReadonlySet<string>): value is Record<string, unknown> {
  return isPlainObject(value) && Object.keys(value).every((field) => fields.has(field));
}

/**
 * Whether a parsed message is a plain call. The SDK checks everything else: its schemas take as long to check
 * a message as reading a small file.
 */
export function isPlainCall(value: unknown): value is PlainCall {
  if (!isObjectOf(value, FIELDS) || value['method'] !== 'tools/call' || value['jsonrpc'] !== '2.0' || !isValidId(value['id'])) return false;
  const params = value['params'];
  if (!isObjectOf(params, PARAMETERS) || typeof params['name'] !== 'string') return false;
  const meta = params['_meta'];
  return meta === undefined || (isObjectOf(meta, META) && (meta['progressToken'] === undefined || isValidId(meta['progressToken'])));
}

/** Returns a map key: a number and a string are different ids. */
const keyOf = (id: RequestId): string => `${typeof id} ${id}`;

const isId = (value: unknown): value is RequestId => typeof value === 'string' || typeof value === 'number';

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function listed(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

/** Returns the requests that a body cancels. */
export function cancelledIds(body: unknown): RequestId[] {
  return listed(body).flatMap((message) => {
    const cancelled = field(message, 'method') === 'notifications/cancelled' ? field(field(message, 'params'), 'requestId') : undefined;
    return isId(cancelled) ? [cancelled] : [];
  });
}

/** Maximum number of ids kept besides the counted range: enough for clients with random ids. */
const MAX_REMEMBERED = 10_000;

/**
 * The ids of the requests of a session. Each may be used once: the SDK finds the stream for an answer by the
 * id alone, and so does a client for its request, so with duplicate ids the answers could be swapped.
 */
export class RequestIds {
  readonly #used = new Set<string>();
  /** All integers from here up to `#next` were used: sequential ids need no memory. */
  #first = 0;
  #next = 0;

  /**
   * Records the ids of the requests in a body.
   *
   * @returns the first id that was used before; in that case nothing is recorded
   */
  take(body: unknown): RequestId | undefined {
    const fresh = new Map<string, RequestId>();
    for (const message of listed(body)) {
      const [id, method] = [field(message, 'id'), field(message, 'method')];
      if (typeof method !== 'string' || !isId(id)) continue;
      if (fresh.has(keyOf(id)) || this.#isUsed(id)) return id;
      fresh.set(keyOf(id), id);
    }
    for (const id of fresh.values()) this.#use(id);
    return undefined;
  }

  /** Releases the ids of a body that was refused before it began. */
  release(body: unknown): void {
    for (const message of listed(body)) {
      const id = field(message, 'id');
      if (!isId(id)) continue;
      if (id === this.#next - 1 && this.#next > this.#first) this.#next -= 1;
      else this.#used.delete(keyOf(id));
    }
  }

  #isUsed(id: RequestId): boolean {
    return (typeof id === 'number' && id >= this.#first && id < this.#next) || this.#used.has(keyOf(id));
  }

  #use(id: RequestId): void {
    if (typeof id === 'number' && Number.isSafeInteger(id) && (id === this.#next || this.#next === this.#first)) {
      if (this.#next === this.#first) this.#first = id;
      this.#next = id + 1;
      return;
    }
    this.#used.add(keyOf(id));
    const [oldest] = this.#used;
    if (this.#used.size > MAX_REMEMBERED && oldest !== undefined) this.#used.delete(oldest);
  }
}
