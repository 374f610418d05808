/** A `tools/call` with nothing unusual about it, as nearly all are. */
export interface PlainCall {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly method: 'tools/call';
  readonly params: { readonly name: string; readonly arguments?: unknown; readonly _meta?: { readonly progressToken?: string | number } };
}

/** A `ping` with nothing to it. */
export interface PlainPing {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly method: 'ping';
}

const FIELDS = new Set(['jsonrpc', 'id', 'method', 'params']);
const PARAMETERS = new Set(['name', 'arguments', '_meta']);
const META = new Set(['progressToken']);
const NONE: ReadonlySet<string> = new Set();

function isObjectOf(value: unknown, fields: ReadonlySet<string>): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const field of Object.keys(value)) if (!fields.has(field)) return false;
  return true;
}

function isIdentifier(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function isRequest(value: unknown, method: string): value is Record<string, unknown> {
  return isObjectOf(value, FIELDS) && value['method'] === method && value['jsonrpc'] === '2.0' && isIdentifier(value['id']);
}

/** Whether a parsed message is a plain ping. */
export function isPlainPing(value: unknown): value is PlainPing {
  return isRequest(value, 'ping') && (value['params'] === undefined || isObjectOf(value['params'], NONE));
}

/**
 * Whether a parsed message is a plain call. Everything that has more to it, or less, is for the SDK to
 * judge: with its schemas it takes as long to look at a message as a small file to read.
 */
export function isPlainCall(value: unknown): value is PlainCall {
  if (!isRequest(value, 'tools/call')) return false;
  const params = value['params'];
  if (!isObjectOf(params, PARAMETERS) || typeof params['name'] !== 'string') return false;
  const meta = params['_meta'];
  return meta === undefined || (isObjectOf(meta, META) && (meta['progressToken'] === undefined || isIdentifier(meta['progressToken'])));
}
