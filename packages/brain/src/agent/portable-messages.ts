import type { LanguageModelV4Message } from '@ai-sdk/provider';

function plain<Part extends { readonly providerOptions?: unknown }>(part: Part): Omit<Part, 'providerOptions'> {
  const { providerOptions: _, ...rest } = part;
  return rest;
}

/** Messages for a model of another provider, which rejects the signed thoughts and the ids of this one. */
export function portableMessages(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  return messages.map((given): LanguageModelV4Message => {
    const { providerOptions: _, ...message } = given;
    if (message.role !== 'assistant') return message;
    const kept = message.content.filter(({ type }) => type !== 'reasoning' && type !== 'reasoning-file' && type !== 'custom');
    return { ...message, content: kept.map((part) => plain(part) as typeof part) };
  });
}
