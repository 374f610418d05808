import type {
  AvailableCommand,
  Diff,
  DiffChange,
  SessionUpdate,
  StateUpdate,
  ToolCallContent,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk/experimental/v2';
import type { AvailableCommand as ShownCommand, StopReason } from '@agentclientprotocol/sdk';
import type { ShownChange } from '../file-changes.ts';
import type { Activity, CallContent, Shown, ShownCall } from '../shown.ts';
import { gitPatch } from './git-patch.ts';

type Piece = Extract<Shown, { kind: 'text' }>;
type Written = (piece: Pick<Piece, 'messageId' | 'content'>) => SessionUpdate;

/** Replaces a message. */
const MESSAGES: Record<Piece['from'], Written> = {
  user: ({ messageId, content }) => ({ sessionUpdate: 'user_message', messageId, content: [content] }),
  agent: ({ messageId, content }) => ({ sessionUpdate: 'agent_message', messageId, content: [content] }),
  thought: ({ messageId, content }) => ({ sessionUpdate: 'agent_thought', messageId, content: [content] }),
};
/** Appends to a message. */
const CHUNKS: Record<Piece['from'], Written> = {
  user: (piece) => ({ sessionUpdate: 'user_message_chunk', ...piece }),
  agent: (piece) => ({ sessionUpdate: 'agent_message_chunk', ...piece }),
  thought: (piece) => ({ sessionUpdate: 'agent_thought_chunk', ...piece }),
};

const ENDINGS: Record<StopReason, StateUpdate> = {
  end_turn: { state: 'idle', stopReason: 'end_turn' },
  max_tokens: { state: 'idle', stopReason: 'max_tokens' },
  max_turn_requests: { state: 'idle', stopReason: 'max_turn_requests' },
  refusal: { state: 'idle', stopReason: 'refusal' },
  cancelled: { state: 'idle', stopReason: 'cancelled' },
};
const BUSY: Record<'running' | 'requires_action', StateUpdate> = { running: { state: 'running' }, requires_action: { state: 'requires_action' } };

function changeOf({ kind, whole: path, wholeFrom = path }: ShownChange): DiffChange {
  const moved: DiffChange = { operation: 'move', oldPath: wholeFrom, path };
  const all: Record<ShownChange['kind'], DiffChange> = {
    created: { operation: 'add', path },
    changed: wholeFrom === path ? { operation: 'modify', path } : moved,
    // A file that was moved before stood at its first path.
    deleted: { operation: 'delete', path: wholeFrom },
    moved,
  };
  return all[kind];
}

function diffOf(changes: readonly ShownChange[]): Diff {
  const text = gitPatch(changes);
  return { changes: changes.map(changeOf), ...(text === undefined ? {} : { patch: { format: 'git_patch', text } }) };
}

function contentOf(content: CallContent): ToolCallContent {
  return content.type === 'block' ? { type: 'content', content: content.block } : { type: 'diff', ...diffOf(content.changes) };
}

/** A call in version 2: what is missing stays as it is. */
export function toolCall({ callId, content, ...facts }: ShownCall): ToolCallUpdate {
  return { toolCallId: callId, ...facts, ...(content === undefined ? {} : { content: content.map(contentOf) }) };
}

/** Commands in version 2. */
export function commandsOf(commands: readonly ShownCommand[]): AvailableCommand[] {
  return commands.map(({ name, description, input }) => ({
    type: 'command',
    name,
    description,
    ...(input === undefined || input === null ? {} : { input: { type: 'text', hint: input.hint } }),
  }));
}

function stateOf(activity: Activity): StateUpdate {
  if (activity.state !== 'idle') return BUSY[activity.state];
  const { stopReason, error } = activity;
  if (stopReason === undefined) return { state: 'idle' };
  return stopReason === 'error' ? { state: 'idle', stopReason, error: error ?? null } : ENDINGS[stopReason];
}

/** What a session shows, as an update of version 2. */
export function sessionUpdate(shown: Shown): SessionUpdate {
  switch (shown.kind) {
    case 'text': {
      const { from, messageId, content, replaces = false } = shown;
      return (replaces ? MESSAGES : CHUNKS)[from]({ messageId, content });
    }
    case 'prompt':
      return { sessionUpdate: 'user_message', messageId: shown.messageId, content: [...shown.content] };
    case 'call-start':
    case 'call-update':
      return { sessionUpdate: 'tool_call_update', ...toolCall(shown.call) };
    case 'plan':
      return { sessionUpdate: 'plan_update', plan: { type: 'items', planId: shown.planId, entries: shown.entries } };
    case 'commands':
      return { sessionUpdate: 'available_commands_update', availableCommands: commandsOf(shown.commands) };
    case 'activity':
      return { sessionUpdate: 'state_update', ...stateOf(shown.activity) };
    default:
      return shown satisfies never;
  }
}
