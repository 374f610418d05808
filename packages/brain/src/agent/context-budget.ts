import type { LanguageModelV4Message, LanguageModelV4Prompt, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';

/** English text and code have about so many characters a token; an estimate is all this is for. */
const CHARACTERS_A_TOKEN = 4;
/** What an image costs, by the larger of the providers' rules. */
const IMAGE_TOKENS = 1_600;
/** The newest results are what the model works with now. */
const KEPT_RESULTS = 4;
/** A result shorter than this is not worth replacing. */
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

/** About how many tokens a prompt has. */
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
 * Makes room: the oldest results of tools give way to one line each, until a prompt is short enough.
 *
 * @param summaries what a result was, by the id of its call
 * @returns undefined where nothing is left to give way
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
