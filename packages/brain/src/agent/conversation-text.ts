import type { LanguageModelV4Message } from '@ai-sdk/provider';

/** Characters of a result or of arguments, from generous to tight: the first that lets the conversation fit is taken. */
const RESULT_CHARACTERS = [4_000, 1_000, 200] as const;

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()} … ${text.length - most} more characters`;
}

type ResultOutput = Extract<Extract<LanguageModelV4Message, { role: 'tool' }>['content'][number], { type: 'tool-result' }>['output'];

function resultText(output: ResultOutput): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type === 'content') return output.value.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  return 'value' in output ? JSON.stringify(output.value) : '';
}

function messageText(message: LanguageModelV4Message, most: number): string[] {
  if (message.role === 'system') return [];
  return message.content.flatMap((part) => {
    if (part.type === 'text') return [`${message.role === 'user' ? 'Person' : 'Agent'}: ${part.text}`];
    if (part.type === 'file') return [`Person: [a file of type ${part.mediaType}]`];
    if (part.type === 'tool-call') return [`Agent calls ${part.toolName}: ${cut(JSON.stringify(part.input ?? null), most)}`];
    return part.type === 'tool-result' ? [`Result of ${part.toolName}: ${cut(resultText(part.output), most)}`] : [];
  });
}

/** A conversation as one text of a bounded length. Results are shortened first; then the beginning is left out. */
export function conversationText(messages: readonly LanguageModelV4Message[], maxCharacters: number): string {
  let text = '';
  for (const most of RESULT_CHARACTERS) {
    text = messages.flatMap((message) => messageText(message, most)).join('\n\n');
    if (text.length <= maxCharacters) return text;
  }
  return `[The beginning is left out.]\n${text.slice(-maxCharacters).toWellFormed()}`;
}
