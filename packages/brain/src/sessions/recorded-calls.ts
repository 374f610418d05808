import type { LanguageModelV4Message, LanguageModelV4ToolResultPart } from '@ai-sdk/provider';
import { sessionCallId } from '../agent/agent-session.ts';

/** A call in the messages of a session. */
export interface RecordedCall {
  /** Its id, as in the audit log. */
  readonly id: string;
  /** The name of the tool, as the model wrote it. */
  readonly tool: string;
  readonly input: unknown;
  /** What the model saw; undefined if the session ended before. */
  readonly output: LanguageModelV4ToolResultPart['output'] | undefined;
}

/** Returns the calls of a session in order, with their whole arguments and answers. */
export function recordedCalls(session: string, messages: readonly LanguageModelV4Message[]): RecordedCall[] {
  const calls: RecordedCall[] = [];
  let turn = 0;
  // Some providers restart their ids each turn, so an answer belongs to the turn before it.
  let open = new Map<string, number>();
  for (const { role, content } of messages) {
    if (role === 'assistant') {
      turn += 1;
      open = new Map();
      let index = 0;
      for (const part of content) {
        if (part.type !== 'tool-call') continue;
        open.set(part.toolCallId, calls.length);
        calls.push({ id: sessionCallId(session, turn, index, part.toolCallId), tool: part.toolName, input: part.input, output: undefined });
        index += 1;
      }
    } else if (role === 'tool') {
      for (const part of content) {
        if (part.type !== 'tool-result') continue;
        const at = open.get(part.toolCallId);
        const call = at === undefined ? undefined : calls[at];
        if (at !== undefined && call !== undefined) calls[at] = { ...call, output: part.output };
      }
    }
  }
  return calls;
}
