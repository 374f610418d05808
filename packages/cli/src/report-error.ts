import { ERROR_CODES, errorText, toSynapseError, type CallError } from '@synapse/protocol';
import { inspect } from 'node:util';
import type { Output } from './output.ts';
import { visibleJson } from './visible-text.ts';

/** Tells a failure: what happened, and what to do next. */
export function tellError(err: Output, error: CallError): void {
  const [first = '', ...rest] = errorText(error).split('\n');
  err.write(`${first}\n`, 'red');
  if (rest.length > 0) err.write(`${rest.join('\n')}\n`);
}

/** Whether a command line asks for JSON, also where the rest of it cannot be read. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? undefined : end).includes('--json');
}

/** A program that asked for JSON gets some for a failure too, in the shape of a call that failed. */
export function printErrorJson(out: Output, error: CallError): void {
  out.write(`${visibleJson(JSON.stringify({ ok: false, error }))}\n`);
}

/** Tells what was thrown, without a stack, and gives the exit code. SYNAPSE_DEBUG asks for everything. */
export function reportThrown({ out, err, json }: { out: Output; err: Output; json: boolean }, thrown: unknown): number {
  const { code, message, hint, retryable } = toSynapseError(thrown);
  const error: CallError = { code, message, retryable, ...(hint === undefined ? {} : { hint }) };
  tellError(err, error);
  if (json) printErrorJson(out, error);
  if (process.env['SYNAPSE_DEBUG'] !== undefined) err.write(`${inspect(thrown, { depth: 5 })}\n`);
  return ERROR_CODES[code].exitCode;
}
