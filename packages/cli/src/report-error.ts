import { ERROR_CODES, errorText, toSynapseError, type CallError } from '@synapse/protocol';
import { inspect } from 'node:util';
import type { Output } from './output.ts';

/** Tells a failure: what happened, and what to do next. */
export function tellError(err: Output, error: CallError): void {
  const [first = '', ...rest] = errorText(error).split('\n');
  err.write(`${first}\n`, 'red');
  if (rest.length > 0) err.write(`${rest.join('\n')}\n`);
}

/** Tells what was thrown, without a stack, and gives the exit code. SYNAPSE_DEBUG asks for everything. */
export function reportThrown(err: Output, thrown: unknown): number {
  const { code, message, hint, retryable } = toSynapseError(thrown);
  tellError(err, { code, message, retryable, ...(hint === undefined ? {} : { hint }) });
  if (process.env['SYNAPSE_DEBUG'] !== undefined) err.write(`${inspect(thrown, { depth: 5 })}\n`);
  return ERROR_CODES[code].exitCode;
}
