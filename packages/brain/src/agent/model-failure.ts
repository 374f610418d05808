import { APICallError } from '@ai-sdk/provider';

/** The kind of a failure between the loop and the model. It decides how the loop reacts. */
export type ModelFailureKind = 'network' | 'busy' | 'context' | 'key' | 'no-model' | 'rejected';

/** A failure of a model's server. */
export interface ModelFailure {
  readonly kind: ModelFailureKind;
  /** One line. */
  readonly message: string;
  /** Milliseconds that the server asked to wait. */
  readonly retryAfterMs?: number;
}

/** Messages of large providers and local servers for a request over the model's context limit. */
const CONTEXT =
  /context.{0,20}(?:length|window|size)|maximum.{0,20}tokens|prompt is too long|too many tokens|exceeds?.{0,40}(?:token|context)|input token count/iu;
const TOOLS = /does not support tools|tool(?:s| use| calling).{0,30}not (?:supported|available)/iu;
const MAX_MESSAGE = 300;

/** Makes a server's message safe: one line, bounded, without control characters or a period at its end. */
function oneLine(text: string): string {
  const line = text
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .trim()
    .replace(/[.!]+$/u, '');
  return line.length > MAX_MESSAGE ? `${line.slice(0, MAX_MESSAGE).toWellFormed()}…` : line;
}

/** `retry-after` in seconds or as a date, and `retry-after-ms`. */
export function retryAfter(headers: Readonly<Record<string, string>> | undefined, now = Date.now()): number | undefined {
  const milliseconds = Number(headers?.['retry-after-ms']);
  if (headers?.['retry-after-ms'] !== undefined && milliseconds >= 0) return milliseconds;
  const value = headers?.['retry-after'];
  if (value === undefined) return undefined;
  const wait = /^\d+(?:\.\d+)?$/u.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(0, wait) : undefined;
}

function ofStatus(status: number, text: string): ModelFailureKind {
  if (status === 401 || status === 403) return 'key';
  if (status === 404) return 'no-model';
  if (status === 408 || status === 409 || status === 429 || status >= 500) return 'busy';
  return CONTEXT.test(text) || status === 413 ? 'context' : 'rejected';
}

const DO: Record<ModelFailureKind, string> = {
  network: 'Check the network and --base-url.',
  busy: 'Try again later.',
  context: 'Start a new session, or take a model with a larger context window.',
  key: 'Set the right key in the environment variable of the provider, such as OPENAI_API_KEY.',
  'no-model': 'Set --model to one that the server has, and check --base-url.',
  rejected: 'Check --model and --base-url.',
};

/** Reads an error that a provider threw or sent in its stream. */
export function readModelFailure(error: unknown): ModelFailure {
  if (!APICallError.isInstance(error)) {
    const message = error instanceof Error ? error.message : typeof error === 'string' ? error : JSON.stringify(error ?? 'unknown error');
    // An error inside a stream is passed on as it is, with a message but without a status.
    const kind = CONTEXT.test(message) ? 'context' : /overloaded|rate.?limit|unavailable|internal server error/iu.test(message) ? 'busy' : 'network';
    return { kind, message: `Model request failed: ${oneLine(message)}. ${DO[kind]}` };
  }
  const { statusCode, message, responseBody = '', responseHeaders } = error;
  if (statusCode === undefined) return { kind: 'network', message: `Model not reachable: ${oneLine(message)}. ${DO.network}` };
  if (statusCode < 300) return { kind: 'network', message: `The answer of the model broke off: ${oneLine(message)}. ${DO.network}` };
  const text = `${message} ${responseBody}`;
  const kind = ofStatus(statusCode, text);
  const wait = retryAfter(responseHeaders);
  const advice = TOOLS.test(text) ? 'Set --model to one that can call tools.' : DO[kind];
  return {
    kind,
    message: `Model request failed with status ${statusCode}: ${oneLine(message)}. ${advice}`,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}
