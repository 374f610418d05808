import type { CallError, CallResult, CallSuccess } from '@synapse/protocol';
import type * as z from 'zod';
import type { Limits } from '../limits.ts';
import type { ToolDefinition } from '../tool.ts';
import type { CanonicalCall, DialectAnswer, Steps } from './dialect.ts';

/** A failure that a tool of a dialect has no words of its own for; the dialect itself words it. */
export class FailedStep extends Error {
  readonly error: CallError;

  constructor(error: CallError) {
    super(error.message);
    this.error = error;
  }
}

/** How far a text may go where a contract promises it whole: what is longer is cut, and says so. */
export const WHOLE: Limits = { outputBytes: 16 * 1024 * 1024, outputLines: 16 * 1024 * 1024, lineCharacters: 16 * 1024 * 1024 };

/** Yields a call of a canonical tool and gives its result, typed as that tool has it. */
export function* attempt<Input extends z.ZodObject, Output extends z.ZodType>(
  tool: ToolDefinition<Input, Output>,
  input: z.input<Input>,
  limits: Partial<Limits> = {},
): Generator<CanonicalCall, CallResult<z.output<Output>>, CallResult> {
  // The pipeline has parsed the data by the very schema whose type is stated here.
  return (yield { tool: tool.name, input, limits }) as CallResult<z.output<Output>>;
}

/** As {@link attempt}; a failure ends the steps in the dialect's own words. */
export function* need<Input extends z.ZodObject, Output extends z.ZodType>(
  tool: ToolDefinition<Input, Output>,
  input: z.input<Input>,
  limits: Partial<Limits> = {},
): Generator<CanonicalCall, CallSuccess<z.output<Output>>, CallResult> {
  return succeeded(yield* attempt(tool, input, limits));
}

/** A result that must be a success. */
export function succeeded<Data>(result: CallResult<Data>): CallSuccess<Data> {
  if (!result.ok) throw new FailedStep(result.error);
  return result;
}

/** A call of a tool that these hands may have and this package does not know, with its answer as text. */
export function* relay(tool: string, input: unknown): Steps {
  return text(bodyText(succeeded(yield { tool, input })));
}

/** An answer that is a text. */
export function text(value: string): DialectAnswer {
  return { value, output: value, isError: false };
}

/** An error that is a text. */
export function errorAnswer(value: string): DialectAnswer {
  return { value, output: value, isError: true };
}

/** An answer that is a value; a model reads its JSON. */
export function json(value: unknown, isError = false): DialectAnswer {
  return { value, output: JSON.stringify(value), isError };
}

/** The texts of an answer without the notes about it. */
export function bodyText(result: CallSuccess): string {
  return result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** A text as a dialect shows it; where it was cut, a last line tells so: a part must not pass for the whole. */
export function told(body: string, result: CallSuccess): string {
  const { truncation } = result.meta;
  if (truncation === undefined) return body;
  const note = result.content.findLast((block) => block.type === 'note');
  return `${body}${body === '' || body.endsWith('\n') ? '' : '\n'}${note?.text ?? '[Truncated.]'}\n`;
}

/** What happened and what to do about it, in one text. */
export function reason({ message, hint }: CallError): string {
  if (hint === undefined) return message;
  // A message that ends with what it is about has no full stop of its own.
  return /[.!?…:]$/u.test(message) ? `${message} ${hint}` : `${message}. ${hint}`;
}
