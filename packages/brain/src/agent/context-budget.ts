import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

/** Approximate characters per token of English text and code. */
const CHARACTERS_A_TOKEN = 4;
/** Tokens of an image, by the highest of the providers' rules. */
const IMAGE_TOKENS = 1_600;
/** The newest results, which are always kept. */
const KEPT_RESULTS = 4;
/** Shorter results are not replaced. */
const WORTH_CHARACTERS = 400;

const SPILL = /\bspill:[\w-]+/u;

function resultLength({ output }: LanguageModelV4ToolResultPart): number {
  if (output.type === 'content') {
    return output.value.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : IMAGE_TOKENS * CHARACTERS_A_TOKEN), 0);
  }
  return 'value' in output ? (typeof output.value === 'string' ? output.value.length : JSON.stringify(output.value).length) : 0;
}

function messageLength(message: LanguageModelV4Message): number {
  if (typeof message.content === 'string') return message.content.length;
  let sum = 0;
  for (const part of message.content) {
    if (part.type === 'text' || part.type === 'reasoning') sum += part.text.length;
    else if (part.type === 'tool-call') sum += JSON.stringify(part.input ?? null).length;
    else if (part.type === 'tool-result') sum += resultLength(part);
  }
  return sum;
}

/** Estimates the tokens of a prompt. */
export function estimateTokens(prompt: LanguageModelV4Prompt): number {
  return Math.ceil(prompt.reduce((sum, message) => sum + messageLength(message), 0) / CHARACTERS_A_TOKEN);
}

function shorten(part: LanguageModelV4ToolResultPart, summary: string | undefined): LanguageModelV4ToolResultPart {
  const { output } = part;
  const text = output.type === 'text' || output.type === 'error-text' ? output.value : '';
  const spill = SPILL.exec(text)?.[0];
  const again = spill === undefined ? 'Call the tool again where you need it.' : `All of it: read_file ${spill}`;
  return { ...part, output: { type: 'text', value: `[Result removed to save context: ${summary ?? part.toolName}. ${again}]` } };
}

/**
 * Shortens a prompt: replaces the oldest tool results by one line each until it fits.
 *
 * @param summaries of results, by the id of their call
 * @returns undefined if nothing is left to replace
 */
export function makeRoom(prompt: LanguageModelV4Prompt, tokens: number, summaries: ReadonlyMap<string, string>): LanguageModelV4Prompt | undefined {
  const results = prompt.flatMap((message) => (message.role === 'tool' ? message.content.filter((part) => part.type === 'tool-result') : []));
  const candidates = results.slice(0, Math.max(0, results.length - KEPT_RESULTS)).filter((part) => resultLength(part) >= WORTH_CHARACTERS);
  let over = estimateTokens(prompt) - tokens;
  const gone = new Set<string>();
  for (const part of candidates) {
    if (over <= 0) break;
    gone.add(part.toolCallId);
    over -= Math.floor(resultLength(part) / CHARACTERS_A_TOKEN);
  }
  if (gone.size === 0) return undefined;
  return prompt.map((message) =>
    message.role === 'tool'
      ? {
          ...message,
          content: message.content.map((part) =>
            part.type === 'tool-result' && gone.has(part.toolCallId) ? shorten(part, summaries.get(part.toolCallId)) : part,
          ),
        }
      : message,
  );
}
