/** A `tools/call` with nothing unusual about it, as nearly all are. */
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
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const field of Object.keys(value)) if (!fields.has(field)) return false;
  return true;
}

function isIdentifier(value: unknown): boolean {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

/**
 * Whether a parsed message is a plain call. Everything that has more to it, or less, is for the SDK to
 * judge: with its schemas it takes as long to look at a message as a small file to read.
 */
export function isPlainCall(value: unknown): value is PlainCall {
  if (!isObjectOf(value, FIELDS) || value['method'] !== 'tools/call' || value['jsonrpc'] !== '2.0' || !isIdentifier(value['id'])) return false;
  const params = value['params'];
  if (!isObjectOf(params, PARAMETERS) || typeof params['name'] !== 'string') return false;
  const meta = params['_meta'];
  return meta === undefined || (isObjectOf(meta, META) && (meta['progressToken'] === undefined || isIdentifier(meta['progressToken'])));
}
