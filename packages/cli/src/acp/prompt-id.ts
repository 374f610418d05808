import type { AgentSession } from '@synapse/brain';

/**
 * The id of a prompt by its place in the session, so that it has the same one when the session is replayed.
 *
 * @param turns the number of messages of the model before it
 * @param earlier the number of prompts since the last of these
 */
export const promptId = (turns: number, earlier: number): string => `prompt-${turns}-${earlier}`;

/** The id of the next prompt of a session. */
export function nextPromptId({ messages, turns }: Pick<AgentSession, 'messages' | 'turns'>): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return promptId(turns, messages.slice(last + 1).filter(({ role }) => role === 'user').length);
}
