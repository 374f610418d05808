import type { LanguageModelV4Message } from '@ai-sdk/provider';

/** The state of a call in a session. `started` is saved before the call runs, so that it never runs twice. */
export type SessionCall =
  | { readonly state: 'started' }
  /** The process ended while the call ran, so its outcome is unknown. */
  | { readonly state: 'interrupted' }
  | { readonly state: 'done'; readonly message: string };

/**
 * The session state of a loop. A killed process loses nothing once a method has returned. A power failure loses at most
 * what came after the last {@link AgentSession.startCall}.
 */
export interface AgentSession {
  readonly id: string;
  /** All messages so far, except the system prompt. */
  readonly messages: readonly LanguageModelV4Message[];
  /** The number of messages of the model on record. Never decreases: {@link AgentSession.replace} does not change it. */
  readonly turns: number;
  add(message: LanguageModelV4Message): void;
  /** Replaces messages by shortened ones; the originals stay on record. */
  replace(messages: readonly LanguageModelV4Message[]): void;
  call(callId: string): SessionCall | undefined;
  startCall(callId: string, tool: string): void;
  /** @param message the result part, as JSON */
  endCall(callId: string, message: string): void;
}

/**
 * The id of a call in the records. It includes the turn, because some providers restart their ids each turn. A summary restarts no turns.
 *
 * @param turn the number of messages of the model, with the one that wants the call
 * @param index its place among the calls of that message
 */
export const sessionCallId = (session: string, turn: number, index: number, id: string): string => `${session}:${turn}:${index}:${id}`.slice(0, 200);

/** A session in memory. */
export function temporarySession(id: string): AgentSession {
  let messages: LanguageModelV4Message[] = [];
  let turns = 0;
  const calls = new Map<string, SessionCall>();
  return {
    id,
    get messages() {
      return messages;
    },
    get turns() {
      return turns;
    },
    add(message) {
      messages.push(message);
      if (message.role === 'assistant') turns += 1;
    },
    replace: (given) => void (messages = [...given]),
    call: (callId) => calls.get(callId),
    startCall: (callId) => void calls.set(callId, { state: 'started' }),
    endCall: (callId, message) => void calls.set(callId, { state: 'done', message }),
  };
}
