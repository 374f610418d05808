import { SynapseError, isSynapseError } from '@synapse/protocol';
import type { Redact } from '../../audit/redact.ts';
import { displayText } from '../../workspace/byte-name.ts';

/** Maximum number of characters of server text repeated in a message. */
const MAX_SAID = 2_000;
/** JSON-RPC 2.0, and the MCP SDK's code for a closed connection. */
const INVALID_PARAMS = -32602;

/** Makes untrusted text safe for a message: without secrets, bounded, and without terminal control characters. */
export function foreignText(text: string, redact: Redact, most = MAX_SAID): string {
  const short = text.length > 2 * most ? text.slice(0, 2 * most) : text;
  const lines = redact(short)
    .split(/\r?\n/u)
    .map((line) => displayText(line.replaceAll('\t', '    ')));
  const shown = lines.join('\n').trim();
  return shown.length > most ? `${shown.slice(0, most).toWellFormed()}…` : shown;
}

function fieldOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null && name in error ? (error as Record<string, unknown>)[name] : undefined;
}

/** Returns the HTTP status in an error of the SDK. */
export function httpStatus(error: unknown): number | undefined {
  for (const status of [fieldOf(error, 'status'), fieldOf(fieldOf(error, 'data'), 'status'), fieldOf(error, 'code')]) {
    if (typeof status === 'number' && status >= 100 && status < 600) return status;
  }
  return undefined;
}

/** Returns the code of a JSON-RPC error sent by the server. */
export function rpcCode(error: unknown): number | undefined {
  const code = fieldOf(error, 'code');
  return error instanceof Error && error.name === 'ProtocolError' && typeof code === 'number' ? code : undefined;
}

/** Errors of servers without `initialize`: JSON-RPC's unknown method, and MCP's unsupported version. */
const MODERN_ONLY: ReadonlySet<unknown> = new Set([-32601, -32022]);

/** Codes of the SDK if a server gave no usable answer about its protocol. */
const NEGOTIATION_FAILURES: ReadonlySet<unknown> = new Set(['ERA_NEGOTIATION_FAILED', 'REQUEST_TIMEOUT']);

/** Whether a server supports only the protocol of 2026, which has no `initialize`; over HTTP, the error body says so. */
export function isModernOnly(error: unknown): boolean {
  if (MODERN_ONLY.has(rpcCode(error))) return true;
  const body = fieldOf(fieldOf(error, 'data'), 'text');
  if (typeof body !== 'string') return false;
  try {
    return MODERN_ONLY.has(fieldOf(fieldOf(JSON.parse(body), 'error'), 'code'));
  } catch {
    // Not JSON: a page of another server.
    return false;
  }
}

/** Whether a server refuses access until a user logs in, whatever the protocol. */
export function refusesAccess(error: unknown): boolean {
  return [401, 403].includes(httpStatus(error) ?? 0);
}

/** Whether a server failed when asked for its protocol, and may still support `initialize`. */
export function isNegotiationFailure(error: unknown): boolean {
  return !refusesAccess(error) && NEGOTIATION_FAILURES.has(fieldOf(error, 'code'));
}

/** Whether a failure means that the server is gone or unreachable, rather than that it refused. */
export function isGone(error: unknown): boolean {
  const code = fieldOf(error, 'code');
  if (code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED') return true;
  if (isSynapseError(error)) return error.retryable;
  // `fetch` throws a TypeError if it reaches no server; 404 means an unknown session, 502 to 504 an unavailable server.
  return error instanceof TypeError || [404, 502, 503, 504].includes(httpStatus(error) ?? 0);
}

/** Returns why a connection failed. No call was made yet, so the error does not mention one. */
export function openError(error: unknown, server: string, redact: Redact): SynapseError {
  if (isSynapseError(error) || !isGone(error)) return remoteError(error, server, redact);
  return new SynapseError('unavailable', `The MCP server ${server} cannot be reached.`, { retryable: true, cause: error });
}

/** Converts a failure of a server to an error that helps a model. */
export function remoteError(error: unknown, server: string, redact: Redact): SynapseError {
  if (isSynapseError(error)) return error;
  const said = error instanceof Error ? foreignText(error.message, redact) : '';
  const code = rpcCode(error);
  if (code === INVALID_PARAMS) {
    return new SynapseError('invalid_arguments', `The MCP server ${server} refused the arguments: ${said}`, { cause: error });
  }
  if (code !== undefined) return new SynapseError('tool_failed', `The MCP server ${server} answered with an error: ${said}`, { cause: error });
  if (error instanceof Error && error.name === 'InsufficientScopeError') {
    return new SynapseError(
      'unavailable',
      `The MCP server ${server} wants you to log in again, for more than it was allowed: synapse mcp login ${server}`,
      {
        hint: `A person can do that: synapse mcp login ${server}`,
        cause: error,
      },
    );
  }
  if (refusesAccess(error)) {
    return new SynapseError('unavailable', `The MCP server ${server} does not let us in (HTTP ${httpStatus(error)}).`, {
      hint: `A person can set its "headers" in the configuration, such as Authorization, or log in: synapse mcp login ${server}`,
      cause: error,
    });
  }
  if (isGone(error)) {
    return new SynapseError('unavailable', `The MCP server ${server} is gone; whether the call had an effect is not known.`, {
      retryable: true,
      hint: 'It is started again by itself: look what the call did, then repeat it in a moment.',
      cause: error,
    });
  }
  return new SynapseError('tool_failed', `The MCP server ${server} answered in a way that is not understood${said === '' ? '' : `: ${said}`}`, {
    cause: error,
  });
}
