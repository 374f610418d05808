/** JSON-RPC 2.0. */
const INTERNAL_ERROR = -32603;

/** A JSON-RPC error of a request; the SDK sends its `code`, `message` and `data`. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Converts a failure to a JSON-RPC error. */
export function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!(error instanceof RpcError)) return { code: INTERNAL_ERROR, message: 'Internal error' };
  const { code, message, data } = error;
  return { code, message, ...(data === undefined ? {} : { data }) };
}
