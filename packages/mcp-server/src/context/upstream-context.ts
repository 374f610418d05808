import type { CompleteRequestParams, GetPromptResult, InputRequiredResult, ReadResourceResult } from '@modelcontextprotocol/server';
import type { CallOptions } from '@synapse/hands';
import {
  COMPLETION_DATA,
  PROMPT_DATA,
  readResourceAddress,
  requestToolName,
  RESOURCE_DATA,
  resourceAddress,
  type OfferedPrompt,
  type OfferedResource,
  type ServedHands,
} from '@synapse/hands/internal';
import { ERROR_CODES, type CallError, type CallSuccess } from '@synapse/protocol';
import type { CallApproval } from '../approval/ask-by-retry.ts';
import type { CallContext } from '../call-context.ts';
import { questionFor, watch } from '../call-tool.ts';
import { RpcError } from '../rpc-error.ts';
import { upstreamBlock } from '../content-block.ts';
import { markedBlock, markedContents } from './marked-content.ts';

/** Who requests something from an upstream server. */
export interface UpstreamRequest {
  readonly context: CallContext;
  readonly approval: CallApproval;
  readonly sessionId: string;
}

type RequestKind = Parameters<typeof requestToolName>[1];

/** Sample arguments per kind. Rules match the tool name, so one decision holds for all requests of a kind. */
const SAMPLES: Readonly<Record<RequestKind, object>> = {
  getPrompt: { name: 'x' },
  readResource: { uri: 'x:' },
  watchResource: { uri: 'x:' },
  complete: { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'x', value: '' } },
};

function refusal({ code, message, hint }: CallError): RpcError {
  return new RpcError(ERROR_CODES[code].jsonRpcCode, hint === undefined ? message : `${message} ${hint}`, { code });
}

/**
 * The prompts and resources of upstream servers. Each request is a call under the usual rules; lists omit what
 * a rule denies.
 */
export class UpstreamContext {
  readonly #hands: ServedHands;
  readonly #isOffered: (tool: string) => boolean;
  readonly #onError: (error: Error) => void;

  /** @param isOffered whether our tool for such requests is among the offered ones */
  constructor(hands: ServedHands, isOffered: (tool: string) => boolean, onError: (error: Error) => void) {
    this.#hands = hands;
    this.#isOffered = isOffered;
    this.#onError = onError;
  }

  async prompts(): Promise<OfferedPrompt[]> {
    return await this.#allowed(await this.#hands.mcp.offers.prompts(), 'getPrompt');
  }

  async resources(): Promise<OfferedResource[]> {
    return await this.#allowed(await this.#hands.mcp.offers.resources(), 'readResource');
  }

  async templates(): Promise<OfferedResource[]> {
    return await this.#allowed(await this.#hands.mcp.offers.templates(), 'readResource');
  }

  /** @throws RpcError if the request is refused or fails */
  async getPrompt(
    prompt: OfferedPrompt,
    values: Readonly<Record<string, string>>,
    request: UpstreamRequest,
  ): Promise<GetPromptResult | InputRequiredResult> {
    const { server, ownName } = prompt;
    const answer = await this.#call(server, 'getPrompt', { name: ownName, arguments: values }, request);
    if (!('ok' in answer)) return answer;
    const { description = prompt.description, messages } = PROMPT_DATA.parse(answer.data);
    return {
      description,
      messages: messages.map(({ role, content }) => ({
        role,
        content: markedBlock(upstreamBlock(content, server) ?? { type: 'text', text: JSON.stringify(content) }, server),
      })),
    };
  }

  /** @throws RpcError if the request is refused or fails */
  async read(address: string, request: UpstreamRequest): Promise<ReadResourceResult | InputRequiredResult | undefined> {
    const read = readResourceAddress(address);
    if (read === undefined) return undefined;
    const answer = await this.#call(read.server, 'readResource', { uri: read.uri }, request);
    if (!('ok' in answer)) return answer;
    const contents: ReadResourceResult['contents'] = [];
    for (const { uri, mimeType, text, blob } of RESOURCE_DATA.parse(answer.data).contents) {
      const about = { uri: resourceAddress(read.server, uri), ...(mimeType === undefined ? {} : { mimeType }) };
      if (text !== undefined) contents.push({ ...about, text });
      else if (blob !== undefined) contents.push({ ...about, blob });
    }
    return { contents: markedContents(contents, read.server, read.uri) };
  }

  /** Subscribes to a resource. @throws RpcError if it is refused */
  async watch(address: string, request: UpstreamRequest): Promise<void> {
    const read = readResourceAddress(address);
    if (read === undefined) throw new RpcError(ERROR_CODES.invalid_arguments.jsonRpcCode, 'This resource cannot be watched.');
    const answer = await this.#call(read.server, 'watchResource', { uri: read.uri }, request);
    if (!('ok' in answer)) throw new RpcError(ERROR_CODES.approval_required.jsonRpcCode, 'To watch this resource needs approval.');
  }

  async unwatch(address: string): Promise<void> {
    await this.#hands.mcp.offers.unwatch(address);
  }

  /** Completes a value, only if a rule allows it: asking at each key press is no option. Undefined if no upstream server is meant. */
  async complete(
    { ref, argument, context }: CompleteRequestParams,
    request: Omit<UpstreamRequest, 'approval'>,
  ): Promise<{ values: string[]; hasMore: boolean } | undefined> {
    const meant = await this.#referred(ref);
    if (meant === undefined) return undefined;
    const { server, ref: own } = meant;
    if ((await this.#verdict(server, 'complete')) !== 'allow') return { values: [], hasMore: false };
    const input = { ref: own, argument, ...(context === undefined ? {} : { context }) };
    const answer = await this.#call(server, 'complete', input, { ...request, approval: { options: {}, question: async () => undefined } });
    return 'ok' in answer ? COMPLETION_DATA.parse(answer.data) : { values: [], hasMore: false };
  }

  async #referred(ref: CompleteRequestParams['ref']): Promise<{ server: string; ref: object } | undefined> {
    if (ref.type === 'ref/resource') {
      const read = readResourceAddress(ref.uri);
      return read && { server: read.server, ref: { type: ref.type, uri: read.uri } };
    }
    const prompt = (await this.prompts()).find(({ name }) => name === ref.name);
    return prompt && { server: prompt.server, ref: { type: ref.type, name: prompt.ownName } };
  }

  async #verdict(server: string, kind: RequestKind): Promise<'allow' | 'ask' | 'deny'> {
    const tool = requestToolName(server, kind);
    if (!this.#isOffered(tool)) return 'deny';
    try {
      return (await this.#hands.explain(tool, SAMPLES[kind])).verdict;
    } catch {
      // The server does not support it.
      return 'deny';
    }
  }

  async #allowed<Offer extends OfferedPrompt | OfferedResource>(offers: readonly Offer[], kind: RequestKind): Promise<Offer[]> {
    const verdicts = new Map<string, string>();
    for (const server of new Set(offers.map((offer) => offer.server))) verdicts.set(server, await this.#verdict(server, kind));
    return offers.filter(({ server }) => verdicts.get(server) !== 'deny');
  }

  async #call(
    server: string,
    kind: RequestKind,
    input: object,
    { context, approval, sessionId }: UpstreamRequest,
  ): Promise<CallSuccess | InputRequiredResult> {
    const tool = requestToolName(server, kind);
    if (!this.#isOffered(tool)) throw new RpcError(ERROR_CODES.denied.jsonRpcCode, `The server ${server} is not offered here.`);
    using watching = watch(context, this.#onError);
    const options: CallOptions = { signal: context.signal, sessionId, ...watching.options, ...approval.options };
    const result = await this.#hands.call(tool, input, options);
    if (result.ok) return result;
    const question = await questionFor(result, approval);
    if (question !== undefined) return question;
    throw refusal(result.error);
  }
}
