import { type CallError, type CallMeta, type CallResult, ERROR_CODES, errorText, SynapseError, toSynapseError } from '@synapse/protocol';
import { inspect } from 'node:util';
import type { Output } from './output.ts';
import { visibleJson } from './visible-text.ts';

/** Prints an error: what happened, and what to do. */
export function tellError(err: Output, error: CallError): void {
  const [first = '', ...rest] = errorText(error).split('\n');
  err.write(`${first}\n`, 'red');
  if (rest.length > 0) err.write(`${rest.join('\n')}\n`);
}

/** Whether a command line contains `--json`, even if the rest of it is invalid. */
export function asksForJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  return words.slice(0, end === -1 ? undefined : end).includes('--json');
}

/** With `--json`, errors are printed in the format of a failed call. */
export function printErrorJson(out: Output, error: CallError): void {
  out.write(`${visibleJson(JSON.stringify({ ok: false, error }))}\n`);
}

interface Reporting {
  readonly out: Output;
  readonly err: Output;
  readonly json: boolean;
  /** Aborted if a person ended the command. */
  readonly signal?: AbortSignal;
}

/** What ends because a person ended it is no defect. */
const isInterruption = (thrown: unknown, signal: AbortSignal | undefined): boolean =>
  signal?.aborted === true && (thrown === signal.reason || (thrown instanceof Error && thrown.name === 'AbortError'));

/** Prints an error without a stack and returns the exit code. SYNAPSE_DEBUG prints everything. */
export function reportThrown({ out, err, json, signal }: Reporting, thrown: unknown): number {
  const known = isInterruption(thrown, signal) ? new SynapseError('cancelled', 'Interrupted.', { retryable: true }) : thrown;
  const { code, message, hint, retryable } = toSynapseError(known);
  const error: CallError = { code, message, retryable, ...(hint === undefined ? {} : { hint }) };
  tellError(err, error);
  if (json) printErrorJson(out, error);
  if (process.env['SYNAPSE_DEBUG'] !== undefined) err.write(`${inspect(thrown, { depth: 5 })}\n`);
  return ERROR_CODES[code].exitCode;
}

/** A command that ran and failed is a failure of `synapse call` as well. */
const COMPLETION: Record<CallMeta['completion'], number> = {
  ok: 0,
  failed: ERROR_CODES.tool_failed.exitCode,
  timeout: ERROR_CODES.timeout.exitCode,
};

/** The exit code of a call. */
export function exitCode(result: CallResult): number {
  return result.ok ? COMPLETION[result.meta.completion] : ERROR_CODES[result.error.code].exitCode;
}
