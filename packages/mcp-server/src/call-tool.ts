import type { InputRequiredResult, JSONRPCRequest } from '@modelcontextprotocol/server';
import type { CallOptions } from '@synapse/hands';
import { MCP_DATA, type ServedHands } from '@synapse/hands/internal';
import type { DialectOutput, ToolCaller } from '@synapse/hands/providers';
import type { ToolRegistry } from '@synapse/hands/tools';
import { type CallError, type CallResult, type CallSuccess, type ContentBlock, ERROR_CODES, errorText, toSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import type { CallApproval } from './approval/ask-by-retry.ts';
import type { CallContext, ClientTraits } from './call-context.ts';
import { type McpContentBlock, upstreamBlock, withoutImages } from './content-block.ts';
import { progressUpdates } from './progress-updates.ts';
import { RpcError } from './rpc-error.ts';
import { cutFields } from './structured-content.ts';

/** The result of `tools/call`. */
export interface McpCallResult {
  content: McpContentBlock[];
  /** The result for programs. Required if the output schema of the tool is listed, except in errors. */
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
}

/** Keys for programs; a model sees only the content. */
const META_CODE = 'synapse/code';
const META_COMPLETION = 'synapse/completion';

/**
 * Merges consecutive text blocks: a client short of space drops whole items, and the status of the call
 * must not be one of them.
 */
export function mergedBlocks(blocks: readonly ContentBlock[]): McpContentBlock[] {
  const merged: McpContentBlock[] = [];
  for (const block of blocks) {
    const last = merged.at(-1);
    if (block.type === 'image') merged.push(block);
    // Providers refuse empty text blocks, and they carry no information.
    else if (block.text === '') continue;
    else if (last?.type !== 'text') merged.push({ type: 'text', text: block.text });
    else merged.splice(-1, 1, { type: 'text', text: `${last.text}${last.text.endsWith('\n') ? '' : '\n'}${block.text}` });
  }
  return merged;
}

const FIELDS = z.record(z.string(), z.unknown());
const isOfServer = ({ type }: ContentBlock): boolean => type !== 'note';

/**
 * Returns the result of an upstream server unchanged, with our notes. If it was truncated or has a block that cannot be passed on,
 * it has the text for models instead, and still the structured value.
 */
function upstreamAnswer(result: CallSuccess, server: string): McpCallResult | undefined {
  const parsed = MCP_DATA.safeParse(result.data);
  if (!parsed.success) return undefined;
  const structured = FIELDS.safeParse(parsed.data.structured);
  const typed = structured.success ? { structuredContent: structured.data } : {};
  const shown = new Set(result.content.flatMap((block) => (block.type === 'image' ? [block.data] : [])));
  const blocks = parsed.data.content.map((block) => upstreamBlock(block, server, (data) => shown.has(data)));
  const whole = blocks.filter((block) => block !== undefined);
  const isText = whole.some(({ type }) => type === 'text' || type === 'resource');
  if (result.meta.truncation !== undefined || whole.length < blocks.length || (structured.success && !isText)) {
    return { content: mergedBlocks(result.content), ...typed };
  }
  // The notes around it keep their sides: among them are the marks of text from elsewhere.
  const [first, last] = [result.content.findIndex(isOfServer), result.content.findLastIndex(isOfServer)];
  const [before, after] = first === -1 ? [result.content, []] : [result.content.slice(0, first), result.content.slice(last + 1)];
  return { content: [...mergedBlocks(before), ...whole, ...mergedBlocks(after)], ...typed };
}

/** Maximum characters of a structured value as JSON, for a client with no limit of its own: the text of a result, and its escapes. */
const MAX_CHARACTERS = 100_000;
/** The most that JSON needs for a UTF-16 unit (`\u0000`), and for a number, a boolean or null. */
const [UNIT_CHARACTERS, SCALAR_CHARACTERS] = [6, 25];

/**
 * Whether a value has at most so many characters as JSON, as far as a quick look tells: most results are far below the limit, and to encode each
 * twice takes longer than all else here.
 */
export function surelyFits(value: unknown, characters: number): boolean {
  let room = characters;
  const fits = (one: unknown): boolean => {
    if (typeof one === 'string') return (room -= one.length * UNIT_CHARACTERS + 2) >= 0;
    if (typeof one !== 'object' || one === null) return typeof one !== 'bigint' && (room -= SCALAR_CHARACTERS) >= 0;
    if ('toJSON' in one || (room -= 2) < 0) return false;
    if (Array.isArray(one)) return one.every((item) => (room -= 1) >= 0 && fits(item));
    for (const [name, field] of Object.entries(one)) if (!fits(name) || (room -= 2) < 0 || !fits(field)) return false;
    return true;
  };
  return fits(value);
}

const isFields = (data: unknown): data is Readonly<Record<string, unknown>> => typeof data === 'object' && data !== null && !Array.isArray(data);

/**
 * The data of a result for a program, and the notes about the call: some clients show their model nothing else. Undefined if the data
 * is not an object.
 */
function structuredContent({ data, content }: CallSuccess, characters = MAX_CHARACTERS): Record<string, unknown> | undefined {
  if (!isFields(data)) return undefined;
  // The content has the images already, in a form that a model sees.
  const images = new Set<unknown>(content.flatMap((block) => (block.type === 'image' ? [block.data] : [])));
  const notes = content.flatMap((block) => (block.type === 'note' ? [block.text] : []));
  const shown = images.size === 0 ? data : Object.fromEntries(Object.entries(data).map(([name, value]) => [name, images.has(value) ? '' : value]));
  const fields = notes.length === 0 ? shown : { ...shown, notes: notes.join('\n') };
  return surelyFits(fields, characters) || JSON.stringify(fields).length <= characters ? fields : cutFields(fields, characters);
}

/** How a result is written. */
interface Written {
  /** The upstream MCP server of the tool, whose result is passed on in its original form. */
  readonly upstream?: string | undefined;
  /** Whether the tool's output schema is listed. */
  readonly structured?: boolean;
  readonly client?: ClientTraits;
}

/** Converts the result of a call to MCP. */
export function callResult(result: CallResult, { upstream, structured = false, client = {} }: Written = {}): McpCallResult {
  if (!result.ok) return { content: [{ type: 'text', text: errorText(result.error) }], isError: true, _meta: { [META_CODE]: result.error.code } };
  const passedOn = upstream === undefined ? undefined : upstreamAnswer(result, upstream);
  if (passedOn !== undefined) return client.images === 'none' ? { ...passedOn, content: withoutImages(passedOn.content) } : passedOn;
  const merged = mergedBlocks(result.content);
  const content = client.images === 'none' ? withoutImages(merged) : merged;
  const { completion } = result.meta;
  const data = structured ? structuredContent(result, client.readerLimits?.jsonCharacters) : undefined;
  return {
    content,
    ...(data === undefined ? {} : { structuredContent: data }),
    ...(completion === 'ok' ? {} : { _meta: { [META_COMPLETION]: completion } }),
  };
}

/** Converts the result of a dialect to MCP: its text, and any images. */
export function dialectResult({ output, isError, result }: DialectOutput, client: ClientTraits = {}): McpCallResult {
  const images = result?.ok === true ? result.content.filter((block) => block.type === 'image') : [];
  const blocks: McpContentBlock[] = [...(output === '' ? [] : [{ type: 'text' as const, text: output }]), ...images];
  const content = client.images === 'none' ? withoutImages(blocks) : blocks;
  if (!isError) return { content };
  return { content, isError: true, ...(result?.ok === false ? { _meta: { [META_CODE]: result.error.code } } : {}) };
}

/** Returns the error for an unknown tool. The protocol requires a request error, not a call result. */
function unknownTool({ code, hint, message, details }: Pick<CallError, 'code' | 'message'> & { hint?: unknown; details?: unknown }): RpcError {
  const data = { code, ...(details === undefined ? {} : { details }) };
  return new RpcError(ERROR_CODES[code].jsonRpcCode, typeof hint === 'string' ? `${message} ${hint}` : message, data);
}

/** Returns the name of the requested tool. */
function toolName(params: JSONRPCRequest['params']): string {
  const name = params?.['name'];
  if (typeof name === 'string') return name;
  throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, 'tools/call needs params.name, the name of a tool.');
}

/** Forwards the progress of a call to a client that asked for it. */
export function watch(
  { report }: Pick<CallContext, 'report'>,
  onError: (error: Error) => void,
): Disposable & { options: Pick<CallOptions, 'onProgress'> } {
  if (report === undefined) return { options: {}, [Symbol.dispose]() {} };
  // Sending to a disconnected client fails; the call does not.
  const updates = progressUpdates((update) => void report(update).catch(onError));
  return { options: { onProgress: updates.report }, [Symbol.dispose]: () => updates[Symbol.dispose]() };
}

/** Returns the question that a call ended with, if the client can ask its user. */
export async function questionFor(result: CallResult, approval: CallApproval): Promise<InputRequiredResult | undefined> {
  return !result.ok && result.error.code === 'approval_required' ? await approval.question() : undefined;
}

/** The options of a call that depend on its client. */
function readingOptions({ signal, client: { readerLimits } }: CallContext): Pick<CallOptions, 'signal' | 'readerLimits'> {
  return { signal, ...(readerLimits === undefined ? {} : { readerLimits }) };
}

/** Milliseconds that a call waits for a person without a sign to its client. Many clients give up after 60 s, and miss where to answer. */
const QUIET_MS = 45_000;

/** Limits the wait of a call whose client neither asks its user nor shows progress: its result says where the person is asked. */
function quietly({ report }: CallContext, { options }: CallApproval): Pick<CallOptions, 'approvalTimeoutMs'> {
  return report === undefined && options.approver === undefined ? { approvalTimeoutMs: QUIET_MS } : {};
}

/** Dependencies of {@link callTool}. */
interface OwnCaller {
  readonly hands: ServedHands;
  /** Set if only some tools of the hands are offered. */
  readonly offered: ToolRegistry | undefined;
  /** The tools that its calls may call. Default: all. */
  readonly mayCall: readonly string[] | undefined;
  /** Maps a tool name on the wire to the internal name. */
  readonly ownName: (name: string) => string;
  /** The upstream MCP server of a tool, by internal name; undefined for our tools. */
  readonly upstreamOf: (name: string) => string | undefined;
  /** Whether the output schema of a tool is listed for clients that take structured values, by internal name. */
  readonly hasSchema: (name: string) => boolean;
  readonly onError: (error: Error) => void;
}

/** Answers `tools/call`. Arguments go to the pipeline unchecked: its errors are written for models. */
export async function callTool(
  { hands, offered, mayCall, ownName, upstreamOf, hasSchema, onError }: OwnCaller,
  params: JSONRPCRequest['params'],
  context: CallContext,
  approval: CallApproval,
  sessionId: string,
): Promise<McpCallResult | InputRequiredResult> {
  const name = ownName(toolName(params));
  try {
    offered?.get(name);
  } catch (error) {
    throw unknownTool(toSynapseError(error));
  }
  using watching = watch(context, onError);
  const result = await hands.call(name, params?.['arguments'], {
    ...readingOptions(context),
    sessionId,
    // A tool that is not offered is not offered through another one either.
    ...(mayCall === undefined ? {} : { mayCall }),
    ...watching.options,
    ...quietly(context, approval),
    ...approval.options,
  });
  if (!result.ok && result.error.code === 'unknown_tool') throw unknownTool(result.error);
  const { client } = context;
  const { tool } = result.meta;
  const written: Written = { upstream: upstreamOf(tool), structured: client.reads !== 'text' && hasSchema(tool), client };
  return (await questionFor(result, approval)) ?? callResult(result, written);
}

/** Dependencies of {@link callOther}. */
interface OtherCaller {
  readonly hands: Pick<ToolCaller, 'call'>;
  /** Maps a tool name on the wire to the internal name; undefined if the tool is not offered. */
  readonly ownName: (name: string) => string | undefined;
  readonly onError: (error: Error) => void;
}

/**
 * Answers `tools/call` in a dialect, or with a call on another machine, which decides what is allowed. A dialect also answers
 * unknown names: models know its wording.
 */
export async function callOther(
  { hands, ownName, onError }: OtherCaller,
  params: JSONRPCRequest['params'],
  context: CallContext,
  approval: CallApproval,
  sessionId: string,
): Promise<McpCallResult | InputRequiredResult> {
  const given = toolName(params);
  const name = ownName(given);
  if (name === undefined) throw unknownTool({ code: 'unknown_tool', message: `Unknown tool: ${given.slice(0, 64)}` });
  using watching = watch(context, onError);
  const options = { ...readingOptions(context), sessionId, ...watching.options, ...quietly(context, approval), ...approval.options };
  const answer = await hands.call(name, params?.['arguments'], options);
  const result = 'ok' in answer ? answer : answer.result;
  const question = result === undefined ? undefined : await questionFor(result, approval);
  return question ?? ('ok' in answer ? callResult(answer, { client: context.client }) : dialectResult(answer, context.client));
}
