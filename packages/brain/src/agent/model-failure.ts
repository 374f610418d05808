import { APICallError } from '@ai-sdk/provider';

/** What went wrong between the loop and the model: it decides what is done about it. */
export type ModelFailureKind = 'network' | 'busy' | 'context' | 'key' | 'no-model' | 'rejected';

/** A failure of a model's server, in words. */
export interface ModelFailure {
  readonly kind: ModelFailureKind;
  /** One line. */
  readonly message: string;
  /** Milliseconds that the server asked to wait. */
  readonly retryAfterMs?: number;
}

/** As the large providers and the local servers say that a request is longer than the model takes. */
const CONTEXT =
  /context.{0,20}(?:length|window|size)|maximum.{0,20}tokens|prompt is too long|too many tokens|exceeds?.{0,40}(?:token|context)|input token count/iu;
const TOOLS = /does not support tools|tool(?:s| use| calling).{0,30}not (?:supported|available)/iu;
const MAX_MESSAGE = 300;

/** What a server says is data of strangers: one line, bounded, without control characters. */
function oneLine(text: string): string {
  const line = text.replaceAll(/[\s\p{C}]+/gu, ' ').trim();
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
  key: 'Set the key of the provider in its environment variable, such as OPENAI_API_KEY.',
  'no-model': 'Check --model and --base-url.',
  rejected: 'Check --model and --base-url.',
};

/** Reads what a provider threw, or sent as an error in its stream. */
export function readModelFailure(error: unknown): ModelFailure {
  if (!APICallError.isInstance(error)) {
    const message = error instanceof Error ? error.message : typeof error === 'string' ? error : JSON.stringify(error ?? 'unknown error');
    // Providers put an error that comes within a stream there as it is, with its words but without a status.
    const kind = CONTEXT.test(message) ? 'context' : /overloaded|rate.?limit|unavailable|internal server error/iu.test(message) ? 'busy' : 'network';
    return { kind, message: `Model request failed: ${oneLine(message)}. ${DO[kind]}` };
  }
  const { statusCode, message, responseBody = '', responseHeaders } = error;
  // A status of success: the connection broke within the answer.
  if (statusCode === undefined || statusCode < 300) return { kind: 'network', message: `Model not reachable: ${oneLine(message)}. ${DO.network}` };
  const text = `${message} ${responseBody}`;
  const kind = ofStatus(statusCode, text);
  const wait = retryAfter(responseHeaders);
  const advice = TOOLS.test(text) ? 'Take a model that can call tools.' : DO[kind];
  return {
    kind,
    message: `Model request failed with status ${statusCode}: ${oneLine(message)}. ${advice}`,
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}
