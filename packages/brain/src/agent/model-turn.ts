import type {
  LanguageModelV4,
  LanguageModelV4FinishReason,
  LanguageModelV4FunctionTool,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';

/** A call that a model requests. */
export interface WantedCall {
  readonly id: string;
  /** The name on the wire. */
  readonly name: string;
  /** JSON text, as the model wrote it. */
  readonly input: string;
}

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;
type AssistantPart = AssistantMessage['content'][number];

/** The answer of a model in one turn. */
export interface ModelTurn {
  readonly message: AssistantMessage;
  readonly text: string;
  readonly calls: readonly WantedCall[];
  readonly finish: LanguageModelV4FinishReason['unified'];
  readonly usage: LanguageModelV4Usage | undefined;
}

/** The prompt of a turn. */
export interface TurnRequest {
  readonly model: LanguageModelV4;
  readonly prompt: LanguageModelV4Prompt;
  readonly tools: readonly LanguageModelV4FunctionTool[];
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
  readonly onReasoning: (text: string) => void;
}

/** The stream ended in the middle of an answer. */
export class CutStream extends Error {
  override readonly name = 'CutStream';
}

/** Parses JSON text. Invalid JSON stays text, and the pipeline reports it. */
export function parsedInput(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Collects the parts of a stream into one message. Pure except for its listeners. */
class TurnCollector {
  readonly #parts = new Map<string, { part: AssistantPart; order: number }>();
  readonly #calls: WantedCall[] = [];
  readonly #request: TurnRequest;
  #text = '';
  #finish: { reason: ModelTurn['finish']; raw: string | undefined; usage: LanguageModelV4Usage } | undefined;

  constructor(request: TurnRequest) {
    this.#request = request;
  }

  #put(key: string, part: AssistantPart): void {
    const order = this.#parts.get(key)?.order ?? this.#parts.size;
    this.#parts.set(key, { part, order });
  }

  #grow(kind: 'text' | 'reasoning', id: string, delta: string, metadata: AssistantPart['providerOptions']): void {
    const key = `${kind} ${id}`;
    const before = this.#parts.get(key)?.part;
    const text = before?.type === kind ? before.text : '';
    // Signatures of reasoning arrive late, and the provider requires them later.
    const options = metadata ?? before?.providerOptions;
    this.#put(key, { type: kind, text: text + delta, ...(options === undefined ? {} : { providerOptions: options }) });
  }

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'text-end':
        return this.#grow('text', part.id, '', part.providerMetadata);
      case 'text-delta':
        this.#text += part.delta;
        this.#request.onText(part.delta);
        return this.#grow('text', part.id, part.delta, part.providerMetadata);
      case 'reasoning-start':
      case 'reasoning-end':
        return this.#grow('reasoning', part.id, '', part.providerMetadata);
      case 'reasoning-delta':
        this.#request.onReasoning(part.delta);
        return this.#grow('reasoning', part.id, part.delta, part.providerMetadata);
      case 'tool-call': {
        const { toolCallId, toolName, input, providerMetadata } = part;
        this.#calls.push({ id: toolCallId, name: toolName, input });
        // Providers reject calls whose input is not an object. The result reports the model's mistake.
        const value = parsedInput(input);
        const sent = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
        return this.#put(`call ${toolCallId}`, {
          type: 'tool-call',
          toolCallId,
          toolName,
          input: sent,
          ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }),
        });
      }
      case 'finish':
        this.#finish = { reason: part.finishReason.unified, raw: part.finishReason.raw, usage: part.usage };
        return;
      case 'error':
        throw part.error instanceof Error ? part.error : new Error(typeof part.error === 'string' ? part.error : JSON.stringify(part.error));
      // Later turns do not need these.
      case 'stream-start':
      case 'response-metadata':
      case 'ping':
      case 'raw':
      case 'source':
      case 'file':
      case 'reasoning-file':
      case 'custom':
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-approval-request':
      case 'tool-result':
    }
  }

  end(): ModelTurn {
    // Providers report an end without a reason if the server sent none.
    if (this.#finish === undefined || (this.#finish.reason === 'other' && this.#finish.raw === undefined))
      throw new CutStream('The stream ended before the answer did');
    const content = Array.from(this.#parts.values())
      .toSorted((one, other) => one.order - other.order)
      .map(({ part }) => part)
      .filter((part) => part.type !== 'text' || part.text !== '');
    const { reason, usage } = this.#finish;
    return { message: { role: 'assistant', content }, text: this.#text, calls: this.#calls, finish: reason, usage };
  }
}

/**
 * Requests the next turn from a model, and streams it.
 *
 * @throws what the provider throws, or sends as an error; {@link CutStream} if the answer is incomplete
 */
export async function modelTurn(request: TurnRequest): Promise<ModelTurn> {
  const { model, prompt, tools, signal } = request;
  const { stream } = await model.doStream({
    prompt,
    abortSignal: signal,
    ...(tools.length === 0 ? {} : { tools: [...tools], toolChoice: { type: 'auto' } }),
  });
  const collector = new TurnCollector(request);
  for await (const part of stream) collector.add(part);
  signal.throwIfAborted();
  return collector.end();
}
