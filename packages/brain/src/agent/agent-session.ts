import type { LanguageModelV4Message } from '@ai-sdk/provider';

/** Where a call of a session stands. `started` is written down before it runs, so that it never runs twice. */
export type SessionCall =
  | { readonly state: 'started' }
  /** It was running when the process ended: what it did is not known. */
  | { readonly state: 'interrupted' }
  | { readonly state: 'done'; readonly message: string };

/** What a loop keeps of a session. Everything is durable when a method returns. */
export interface AgentSession {
  readonly id: string;
  /** All messages so far but the system prompt. */
  readonly messages: readonly LanguageModelV4Message[];
  add(message: LanguageModelV4Message): void;
  /** Puts shortened messages in place of the ones that are there; a record of all of them stays. */
  replace(messages: readonly LanguageModelV4Message[]): void;
  call(callId: string): SessionCall | undefined;
  startCall(callId: string, tool: string): void;
  /** @param message the result part, as JSON */
  endCall(callId: string, message: string): void;
}

/** A session that ends with the process. */
export function temporarySession(id: string): AgentSession {
  let messages: LanguageModelV4Message[] = [];
  const calls = new Map<string, SessionCall>();
  return {
    id,
    get messages() {
      return messages;
    },
    add: (message) => void messages.push(message),
    replace: (given) => void (messages = [...given]),
    call: (callId) => calls.get(callId),
    startCall: (callId) => void calls.set(callId, { state: 'started' }),
    endCall: (callId, message) => void calls.set(callId, { state: 'done', message }),
  };
}
