import type { CallError, CallResult, CallSuccess } from '@synapse/protocol';
import type * as z from 'zod';
import type { Limits } from '../output/limits.ts';
import { size } from '../text/amounts.ts';
import type { ToolDefinition } from '../tool/tool.ts';
import { readFile } from '../tools/read-file.ts';
import type { CanonicalCall, DialectAnswer, Steps } from './dialect.ts';

/** A failure that a dialect's tool does not handle; the dialect formats it. */
export class FailedStep extends Error {
  readonly error: CallError;

  constructor(error: CallError) {
    super(error.message);
    this.error = error;
  }
}

/** Limits for texts that a contract promises in full. Longer texts are cut, with a note. */
export const WHOLE: Limits = { outputBytes: 16 * 1024 * 1024, outputLines: 16 * 1024 * 1024, lineCharacters: 16 * 1024 * 1024 };

/** Yields a call of a canonical tool and returns its typed result. */
export function* attempt<Input extends z.ZodObject, Output extends z.ZodType>(
  tool: ToolDefinition<Input, Output>,
  input: z.input<Input>,
  limits: Partial<Limits> = {},
): Generator<CanonicalCall, CallResult<z.output<Output>>, CallResult> {
  // The pipeline has parsed the data with this schema.
  return (yield { tool: tool.name, input, limits }) as CallResult<z.output<Output>>;
}

/** Like {@link attempt}, but a failure ends the steps, and the dialect formats it. */
export function* need<Input extends z.ZodObject, Output extends z.ZodType>(
  tool: ToolDefinition<Input, Output>,
  input: z.input<Input>,
  limits: Partial<Limits> = {},
): Generator<CanonicalCall, CallSuccess<z.output<Output>>, CallResult> {
  return succeeded(yield* attempt(tool, input, limits));
}

/** Returns a successful result; otherwise throws {@link FailedStep}. */
export function succeeded<Data>(result: CallResult<Data>): CallSuccess<Data> {
  if (!result.ok) throw new FailedStep(result.error);
  return result;
}

/** Calls a tool that this package does not know, such as one of an MCP server, and returns its answer as text. */
export function* relay(tool: string, input: unknown): Steps {
  const result = succeeded(yield { tool, input });
  // A model reads the marks around what a server says; a program needs the value alone.
  return { value: bodyText(result), output: result.output, isError: false };
}

/** Returns a text answer. */
export function text(value: string): DialectAnswer {
  return { value, output: value, isError: false };
}

/** Returns a text error. */
export function errorAnswer(value: string): DialectAnswer {
  return { value, output: value, isError: true };
}

/** Returns a value as the answer; models read its JSON. */
export function json(value: unknown, isError = false): DialectAnswer {
  return { value, output: JSON.stringify(value), isError };
}

/** Returns the text blocks of a result, without notes. */
export function bodyText(result: CallSuccess): string {
  return result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}

/** Returns a text with a last line that says if it was cut: a part must not look like the whole. */
export function withCutNote(body: string, result: CallSuccess): string {
  const { truncation } = result.meta;
  if (truncation === undefined) return body;
  const note = result.content.findLast((block) => block.type === 'note');
  return `${body}${body === '' || body.endsWith('\n') ? '' : '\n'}${note?.text ?? '[Truncated.]'}\n`;
}

/** Reads the text of a file. An image is an error: a model cannot read its bytes as text. */
export function* fileText(path: string): Generator<CanonicalCall, string, CallResult> {
  const file = yield* need(readFile, { path }, WHOLE);
  if (file.data.kind === 'image') {
    const message = `${file.data.path} is an image of ${size(file.data.size)} and has no text to read`;
    throw new FailedStep({ code: 'binary_file', message, retryable: false });
  }
  return withCutNote(file.data.content, file);
}

/** Joins the message and the hint of an error. */
export function reason({ message, hint }: CallError): string {
  if (hint === undefined) return message;
  // A message that ends with its subject has no period.
  return /[.!?…:]$/u.test(message) ? `${message} ${hint}` : `${message}. ${hint}`;
}
