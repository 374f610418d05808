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

type PartType = LanguageModelV4StreamPart['type'];
type PartOf<Type extends PartType> = Extract<LanguageModelV4StreamPart, { type: Type }>;
/** What is done with each part of a stream. */
type Takes = { readonly [Type in PartType]: (part: PartOf<Type>) => void };

/** Ignores a part that later turns do not need. */
const notNeeded = (): void => {};

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

  readonly #takes: Takes = {
    'text-start': (part) => this.#grow('text', part.id, '', part.providerMetadata),
    'text-delta': (part) => {
      this.#text += part.delta;
      this.#request.onText(part.delta);
      this.#grow('text', part.id, part.delta, part.providerMetadata);
    },
    'text-end': (part) => this.#grow('text', part.id, '', part.providerMetadata),
    'reasoning-start': (part) => this.#grow('reasoning', part.id, '', part.providerMetadata),
    'reasoning-delta': (part) => {
      this.#request.onReasoning(part.delta);
      this.#grow('reasoning', part.id, part.delta, part.providerMetadata);
    },
    'reasoning-end': (part) => this.#grow('reasoning', part.id, '', part.providerMetadata),
    'tool-call': (part) => this.#call(part),
    finish: ({ finishReason: { unified: reason, raw }, usage }) => {
      this.#finish = { reason, raw, usage };
    },
    error: ({ error }) => {
      throw error instanceof Error ? error : new Error(typeof error === 'string' ? error : JSON.stringify(error));
    },
    'stream-start': notNeeded,
    'response-metadata': notNeeded,
    ping: notNeeded,
    raw: notNeeded,
    source: notNeeded,
    file: notNeeded,
    'reasoning-file': notNeeded,
    custom: notNeeded,
    'tool-input-start': notNeeded,
    'tool-input-delta': notNeeded,
    'tool-input-end': notNeeded,
    'tool-approval-request': notNeeded,
    'tool-result': notNeeded,
  };

  add<Type extends PartType>(part: PartOf<Type> & { readonly type: Type }): void {
    // A provider may be newer than the types, and name a part as it likes, such as `__proto__`.
    if (Object.hasOwn(this.#takes, part.type)) this.#takes[part.type](part);
  }

  #call({ toolCallId, toolName, input, providerMetadata }: PartOf<'tool-call'>): void {
    this.#calls.push({ id: toolCallId, name: toolName, input });
    // Providers reject calls whose input is not an object. The result reports the model's mistake.
    const value = parsedInput(input);
    const sent = typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
    this.#put(`call ${toolCallId}`, {
      type: 'tool-call',
      toolCallId,
      toolName,
      input: sent,
      ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }),
    });
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
