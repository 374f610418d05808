import { errorText, toSynapseError, type CallError, type CallResult, type ContentBlock } from '@synapse/protocol';
import type { CallOptions } from '../call/call.ts';
import { stripNulls } from '../tool/strip-nulls.ts';
import { toolCatalogue, type ToolCatalogue } from './tool-catalogue.ts';
import type { OpenAiNativeTool, ToolDescription } from './tool-description.ts';

/** Maximum number of calls of one response that run. No model makes this many; a forged response might. */
const MAX_CALLS = 128;
/** Maximum number of read-only calls in parallel. */
const MAX_PARALLEL = 8;
/** Maximum number of characters of arguments that are parsed here. The pipeline rejects longer ones anyway. */
const MAX_ARGUMENT_CHARACTERS = 8 * 1024 * 1024;

/** The answer of a dialect: text for the model, in the format of the other system. */
export interface DialectOutput {
  readonly output: string;
  readonly isError: boolean;
  /** The answer as a value in the format of that system, for call items that have one. */
  readonly value?: unknown;
  /** The canonical result, for its images. */
  readonly result?: CallResult;
}

/** An object on this machine that runs calls: hands, or a dialect of it. */
export interface ToolCaller extends ToolRunner {
  tools(format: 'json-schema'): readonly ToolDescription[];
}

/** An object that runs calls, here or on another machine. Hands on another machine return a promise of their tools. */
export interface ToolRunner {
  tools(format: 'json-schema'): readonly ToolDescription[] | Promise<readonly ToolDescription[]>;
  call(name: string, input?: unknown, options?: CallOptions): Promise<CallResult | DialectOutput>;
}

/** Options for the calls of a response. */
export interface HandleOptions extends Omit<CallOptions, 'callId'> {
  /** False for a model that accepts no images: a line of text replaces each image. Default true. */
  readonly images?: boolean;
}

/** A call in a provider's response. */
export interface ResponseCall {
  readonly id: string | undefined;
  /** The name on the wire; for a call item with a special type, OpenAI's type of the tool. */
  readonly name: string;
  readonly native?: OpenAiNativeTool['type'];
  /** A value, or JSON text. */
  readonly input: unknown;
  /** Whether the response ended inside the call, so the input may be incomplete. */
  readonly cutOff?: boolean;
}

/** The answer to a call, before it is written for a provider. */
export interface ToolAnswer {
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
  /** The value in the dialect's format, if a dialect was used. */
  readonly value?: unknown;
}

const textAnswer = (text: string, isError: boolean): ToolAnswer => ({ content: [{ type: 'text', text }], isError });
const errorAnswer = (error: Pick<CallError, 'message' | 'hint'>): ToolAnswer =>
  textAnswer(errorText({ code: 'invalid_arguments', retryable: false, ...error }), true);

function describeFailure(error: unknown): Pick<CallError, 'message' | 'hint'> {
  const { message, hint } = toSynapseError(error);
  return hint === undefined ? { message } : { message, hint };
}

function answer(result: CallResult | DialectOutput): ToolAnswer {
  if (!('ok' in result)) {
    const images = result.result?.ok === true ? result.result.content.filter(({ type }) => type === 'image') : [];
    return { content: [{ type: 'text', text: result.output }, ...images], isError: result.isError, value: result.value };
  }
  return result.ok ? { content: result.content, isError: false } : errorAnswer(result.error);
}

/** Parses an input that may be JSON text. Text that cannot be parsed stays text: the pipeline reports the error. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string' || input.length > MAX_ARGUMENT_CHARACTERS) return input;
  // Some models send an empty string if there are no arguments.
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input);
  } catch {
    // The call runs with the text, so that its failure is recorded like any other.
    return input;
  }
}

/** Returns the tool's name. */
function ownName(catalogue: ToolCatalogue, { name, native }: ResponseCall): string {
  return native === undefined ? catalogue.names.fromWire(name) : (catalogue.openAiNative(native) ?? name);
}

async function run(hands: ToolRunner, catalogue: ToolCatalogue, call: ResponseCall, options: HandleOptions): Promise<ToolAnswer> {
  const { images: _, ...callOptions } = options;
  const own = ownName(catalogue, call);
  try {
    return answer(await hands.call(own, stripNulls(parsed(call.input), catalogue.get(own)?.inputSchema), callOptions));
  } catch (error) {
    return errorAnswer(describeFailure(error));
  }
}

/** Returns the error for each call that must not run; undefined for the others. */
function refusals(calls: readonly ResponseCall[], needsId: boolean): readonly (ToolAnswer | undefined)[] {
  const seen = new Set<string>();
  return calls.map(({ id, name, cutOff }, index) => {
    const label = name.slice(0, 64) || 'a tool';
    if (index >= MAX_CALLS) return errorAnswer({ message: `More than ${MAX_CALLS} calls at once: this one was not run.`, hint: 'Make fewer calls.' });
    if (id === undefined) {
      return needsId ? errorAnswer({ message: `The call of ${label} has no id, so it was not run.`, hint: 'Make the call again.' }) : undefined;
    }
    if (seen.has(id)) {
      return errorAnswer({ message: `Another call has the same id, so this one of ${label} was not run.`, hint: 'Make the call again.' });
    }
    seen.add(id);
    // SDKs close incomplete JSON, and half of a list of edits, or a command without its folder, looks complete.
    if (cutOff === true) {
      return errorAnswer({
        message: `The response ended within the call of ${label}, so it was not run.`,
        hint: 'Make the call again, with less in it: several smaller calls instead of a large one.',
      });
    }
    return undefined;
  });
}

/**
 * Runs the calls of one response and returns their answers in order. Read-only calls run in parallel. A call
 * that changes something waits for earlier calls, and later calls wait for it. Never throws.
 */
export async function runToolCalls(
  hands: ToolRunner,
  calls: readonly ResponseCall[],
  options: HandleOptions,
  needsId: boolean,
): Promise<readonly ToolAnswer[]> {
  if (calls.length === 0) return [];
  let catalogue: ToolCatalogue;
  try {
    catalogue = toolCatalogue(await hands.tools('json-schema'));
  } catch (error) {
    const failure = errorAnswer(describeFailure(error));
    return calls.map(() => failure);
  }
  const reads = (call: ResponseCall): boolean => catalogue.get(ownName(catalogue, call))?.annotations?.readOnlyHint === true;
  const answers: (ToolAnswer | undefined)[] = [...refusals(calls, needsId)];
  let running: Promise<unknown>[] = [];
  for (const [index, call] of calls.entries()) {
    if (answers[index] !== undefined) continue;
    if (!reads(call) || running.length >= MAX_PARALLEL) {
      await Promise.all(running);
      running = [];
    }
    const work = run(hands, catalogue, call, options).then((done) => (answers[index] = done));
    if (reads(call)) running.push(work);
    else await work;
  }
  await Promise.all(running);
  return answers.filter((each) => each !== undefined);
}

/** Runs one call for a framework that runs tools. Never throws. */
export async function runToolCall(hands: ToolCaller, name: string, input: unknown, signal: AbortSignal | undefined): Promise<ToolAnswer> {
  const [answer] = await runToolCalls(hands, [{ id: undefined, name, input }], signal === undefined ? {} : { signal }, false);
  return answer ?? { content: [], isError: true };
}
