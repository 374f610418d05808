import { errorText, toSynapseError, type CallError, type CallResult, type ContentBlock } from '@synapse/protocol';
import type { CallOptions } from '../pipeline/call.ts';
import { stripNulls } from './strip-nulls.ts';
import { toolCatalogue, type ToolCatalogue } from './tool-catalogue.ts';
import type { OpenAiNativeTool, ToolDescription } from './tool-description.ts';

/** Calls of one response that are run. No model asks for so many; a forged response might. */
const MAX_CALLS = 128;
/** Reading calls at a time. */
const MAX_PARALLEL = 8;
/** Characters of arguments that are parsed here; the pipeline refuses more anyway. */
const MAX_ARGUMENT_CHARACTERS = 8 * 1024 * 1024;

/** What a dialect answers: the text for a model in that system's own words. */
export interface SpokenResult {
  readonly output: string;
  readonly isError: boolean;
  /** The same in that system's own shape, for call items that have one. */
  readonly value?: unknown;
  /** The canonical result behind it, for its images. */
  readonly result?: CallResult;
}

/** Whoever runs calls: hands, or a dialect of them. */
export interface ToolCaller {
  tools(format: 'json-schema'): readonly ToolDescription[];
  call(name: string, input?: unknown, options?: CallOptions): Promise<CallResult | SpokenResult>;
}

/** What may be said about the calls of a response. */
export interface HandleOptions extends Omit<CallOptions, 'callId'> {
  /** False for a model that takes no images: a line of text says what it does not see. Default true. */
  readonly images?: boolean;
}

/** A call as a provider's response has it. */
export interface ResponseCall {
  readonly id: string | undefined;
  /** As on the wire, or of a call item of its own the type that OpenAI knows the tool by. */
  readonly name: string;
  readonly native?: OpenAiNativeTool['type'];
  /** A value, or its JSON text. */
  readonly input: unknown;
  /** Whether the response ended within the call, so that what there is of the input may be a part of it. */
  readonly cutOff?: boolean;
}

/** What came of a call, before it is written for a provider. */
export interface ToolAnswer {
  readonly content: readonly ContentBlock[];
  readonly isError: boolean;
  /** In the shape of a dialect, where one was spoken. */
  readonly value?: unknown;
}

const textAnswer = (text: string, isError: boolean): ToolAnswer => ({ content: [{ type: 'text', text }], isError });
const errorAnswer = (error: Pick<CallError, 'message' | 'hint'>): ToolAnswer =>
  textAnswer(errorText({ code: 'invalid_arguments', retryable: false, ...error }), true);

function describeFailure(error: unknown): Pick<CallError, 'message' | 'hint'> {
  const { message, hint } = toSynapseError(error);
  return hint === undefined ? { message } : { message, hint };
}

function answer(result: CallResult | SpokenResult): ToolAnswer {
  if (!('ok' in result)) {
    const images = result.result?.ok === true ? result.result.content.filter(({ type }) => type === 'image') : [];
    return { content: [{ type: 'text', text: result.output }, ...images], isError: result.isError, value: result.value };
  }
  return result.ok ? { content: result.content, isError: false } : errorAnswer(result.error);
}

/** The value of an input that may be JSON text. What cannot be parsed stays text: the pipeline says what is wrong with it. */
function parsed(input: unknown): unknown {
  if (typeof input !== 'string' || input.length > MAX_ARGUMENT_CHARACTERS) return input;
  // Some models send nothing where there are no arguments.
  if (input.trim() === '') return {};
  try {
    return JSON.parse(input);
  } catch {
    // The call is made with the text, so that its failure is recorded like any other.
    return input;
  }
}

/** The tool's own name. */
function ownName(catalogue: ToolCatalogue, { name, native }: ResponseCall): string {
  return native === undefined ? catalogue.names.fromWire(name) : (catalogue.openAiNative(native) ?? name);
}

async function run(hands: ToolCaller, catalogue: ToolCatalogue, call: ResponseCall, options: HandleOptions): Promise<ToolAnswer> {
  const { images: _, ...callOptions } = options;
  const own = ownName(catalogue, call);
  try {
    return answer(await hands.call(own, stripNulls(parsed(call.input), catalogue.get(own)?.inputSchema), callOptions));
  } catch (error) {
    return errorAnswer(describeFailure(error));
  }
}

/** Why a call is not run, where it is not. */
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
    // SDKs close what is open, and half of a list of edits, or a command without its folder, looks like a whole one.
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
 * Runs the calls of one response and gives their answers in order. Calls that only read run side by
 * side; one that changes something waits for those before it, and those after it for it. Never throws.
 */
export async function runToolCalls(
  hands: ToolCaller,
  calls: readonly ResponseCall[],
  options: HandleOptions,
  needsId: boolean,
): Promise<readonly ToolAnswer[]> {
  if (calls.length === 0) return [];
  let catalogue: ToolCatalogue;
  try {
    catalogue = toolCatalogue(hands.tools('json-schema'));
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
