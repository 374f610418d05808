import type { Diff, SessionUpdate, ToolCallContent } from '@agentclientprotocol/sdk';
import type { ShownChange } from '../file-changes.ts';
import type { CallContent, Shown, ShownCall } from '../shown.ts';

const CHUNKS = { user: 'user_message_chunk', agent: 'agent_message_chunk', thought: 'agent_thought_chunk' } as const;

/** One diff for each changed part of a file. */
const diffsOf = ({ kind, whole, hunks }: ShownChange): Diff[] =>
  hunks.map(({ oldText, newText }) => ({ path: whole, oldText: kind === 'created' ? null : oldText, newText }));

function contentOf(content: CallContent): ToolCallContent[] {
  if (content.type === 'block') return [{ type: 'content', content: content.block }];
  return content.changes.flatMap(diffsOf).map((diff): ToolCallContent => ({ type: 'diff', ...diff }));
}

/** A call in version 1, as a start, an update or the subject of a question. */
export function toolCall<Call extends ShownCall>({ callId, content, ...facts }: Call) {
  return { toolCallId: callId, ...facts, ...(content === undefined ? {} : { content: content.flatMap(contentOf) }) };
}

/** What a session shows, as an update of version 1; undefined if that version has none. */
export function sessionUpdate(shown: Shown): SessionUpdate | undefined {
  switch (shown.kind) {
    case 'text':
      return { sessionUpdate: CHUNKS[shown.from], content: shown.content };
    case 'call-start':
      return { sessionUpdate: 'tool_call', ...toolCall(shown.call) };
    case 'call-update':
      return { sessionUpdate: 'tool_call_update', ...toolCall(shown.call) };
    case 'plan':
      return { sessionUpdate: 'plan', entries: shown.entries };
    case 'commands':
      return { sessionUpdate: 'available_commands_update', availableCommands: [...shown.commands] };
    // Editors show a prompt themselves, and its answer says how it ended.
    case 'prompt':
    case 'activity':
      return undefined;
    default:
      return shown satisfies never;
  }
}
