import { SynapseError, isSynapseError } from '@synapse/protocol';
import type { Redact } from '../../store/audit/redact.ts';
import { displayText } from '../../workspace/byte-name.ts';

/** Characters of what a server says that are repeated in a message. */
const MAX_SAID = 2_000;
/** JSON-RPC 2.0, and the MCP SDK's own for a connection that closed. */
const INVALID_PARAMS = -32602;

/** A stranger's words as part of a message: without secrets, bounded, nothing in them that a terminal acts on. */
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

/** The HTTP status that an error of the SDK tells of. */
export function httpStatus(error: unknown): number | undefined {
  for (const status of [fieldOf(error, 'status'), fieldOf(fieldOf(error, 'data'), 'status'), fieldOf(error, 'code')]) {
    if (typeof status === 'number' && status >= 100 && status < 600) return status;
  }
  return undefined;
}

/** The code of a JSON-RPC error that the server itself sent. */
export function rpcCode(error: unknown): number | undefined {
  const code = fieldOf(error, 'code');
  return error instanceof Error && error.name === 'ProtocolError' && typeof code === 'number' ? code : undefined;
}

/** Answers of servers that know no `initialize` any more: JSON-RPC's unknown method, and MCP's unsupported version. */
const MODERN_ONLY: ReadonlySet<unknown> = new Set([-32601, -32022]);

/** Whether a server knows only the protocol of 2026, which has no `initialize`; over HTTP it says so in the body of a refusal. */
export function isModernOnly(error: unknown): boolean {
  if (MODERN_ONLY.has(rpcCode(error))) return true;
  const body = fieldOf(fieldOf(error, 'data'), 'text');
  if (typeof body !== 'string') return false;
  try {
    return MODERN_ONLY.has(fieldOf(fieldOf(JSON.parse(body), 'error'), 'code'));
  } catch {
    // No JSON: a page of some other server.
    return false;
  }
}

/** Whether a failure means that nobody is there (any more), rather than that somebody said no. */
export function isGone(error: unknown): boolean {
  const code = fieldOf(error, 'code');
  if (code === 'CONNECTION_CLOSED' || code === 'NOT_CONNECTED') return true;
  if (isSynapseError(error)) return error.retryable;
  // What `fetch` throws where there is nobody, and what a session answers that was forgotten.
  return error instanceof TypeError || [404, 502, 503, 504].includes(httpStatus(error) ?? 0);
}

/** Why there is no connection to a server. Nothing was called yet: it says no word of that. */
export function openError(error: unknown, server: string, redact: Redact): SynapseError {
  if (isSynapseError(error) || !isGone(error)) return remoteError(error, server, redact);
  return new SynapseError('unavailable', `The MCP server ${server} cannot be reached.`, { retryable: true, cause: error });
}

/** What went wrong between us and a server, in words that a model can act on. */
export function remoteError(error: unknown, server: string, redact: Redact): SynapseError {
  if (isSynapseError(error)) return error;
  const said = error instanceof Error ? foreignText(error.message, redact) : '';
  const code = rpcCode(error);
  if (code === INVALID_PARAMS) {
    return new SynapseError('invalid_arguments', `The MCP server ${server} refused the arguments: ${said}`, { cause: error });
  }
  if (code !== undefined) return new SynapseError('tool_failed', `The MCP server ${server} answered with an error: ${said}`, { cause: error });
  const status = httpStatus(error);
  if (status === 401 || status === 403) {
    return new SynapseError('unavailable', `The MCP server ${server} does not let us in (HTTP ${status}).`, {
      hint: 'A person can set its "headers" in the configuration, such as Authorization.',
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
