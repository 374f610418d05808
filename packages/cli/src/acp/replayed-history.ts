import type { AgentSession } from '@synapse/brain';
import { plainBlock } from './plain-block.ts';
import { promptId } from './prompt-id.ts';
import type { Block, CallContent, Shown } from './shown.ts';
import { describeCall, type KnownTool } from './tool-calls.ts';

type Message = AgentSession['messages'][number];
type ToolPart = Extract<Message, { role: 'tool' }>['content'][number];
type CallPart = Extract<Extract<Message, { role: 'assistant' }>['content'][number], { type: 'tool-call' }>;
type UserPart = Extract<Message, { role: 'user' }>['content'][number];

interface Place {
  readonly root: string;
  readonly known: (tool: string) => KnownTool | undefined;
}

function userContent(part: UserPart): Block | undefined {
  if (part.type === 'text') return { type: 'text', text: part.text };
  const { mediaType, data } = part;
  // Stored as JSON, so bytes are base64.
  if (data.type !== 'data' || typeof data.data !== 'string' || !mediaType.startsWith('image/')) return undefined;
  return { type: 'image', mimeType: mediaType, data: data.data };
}

/** The text of a result. */
function outputOf(part: ToolPart): { readonly text: string; readonly ok: boolean } {
  if (part.type !== 'tool-result') return { text: '', ok: true };
  const { output } = part;
  if (output.type === 'text' || output.type === 'error-text') return { text: output.value, ok: output.type === 'text' };
  if (output.type !== 'content') return { text: '', ok: output.type === 'json' };
  return { text: output.value.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('\n'), ok: true };
}

/** The results in a message, by call. Providers may use an id again in a later turn, so those of other turns do not count. */
function resultsIn(message: Message | undefined): ReadonlyMap<string, ToolPart> {
  const parts = message?.role === 'tool' ? message.content : [];
  return new Map(parts.flatMap((part) => (part.type === 'tool-result' ? [[part.toolCallId, part] as const] : [])));
}

/** A call as it ended. */
function callUpdate(part: CallPart, turn: number, result: ToolPart | undefined, { root, known }: Place): Shown {
  const { text, ok } = result === undefined ? { text: 'This call was interrupted.', ok: false } : outputOf(result);
  const content: CallContent[] = text === '' ? [] : [plainBlock(text)];
  return {
    kind: 'call-start',
    call: {
      callId: `replayed-${turn}-${part.toolCallId}`,
      status: ok ? 'completed' : 'failed',
      content,
      ...describeCall({ tool: part.toolName, input: part.input, known: known(part.toolName) }, root),
    },
  };
}

/** The messages of a session as updates, for an editor that shows it again. */
export function replayedHistory(messages: readonly Message[], place: Place): Shown[] {
  const updates: Shown[] = [];
  const begun = new Set<string>();
  const say = (from: 'user' | 'agent' | 'thought', messageId: string, content: Block): void => {
    const id = `${from} ${messageId}`;
    updates.push({ kind: 'text', from, messageId, content, replaces: !begun.has(id) });
    begun.add(id);
  };
  let turn = 0;
  let prompts = 0;
  for (const [index, { role, content }] of messages.entries()) {
    if (role === 'user') {
      const id = promptId(turn, prompts);
      prompts += 1;
      const shown = content.map(userContent).filter((block) => block !== undefined);
      for (const block of shown) say('user', id, block);
    }
    if (role !== 'assistant') continue;
    turn += 1;
    prompts = 0;
    const messageId = `replayed-${turn}`;
    const results = resultsIn(messages[index + 1]);
    for (const part of content) {
      if (part.type === 'text') say('agent', messageId, { type: 'text', text: part.text });
      else if (part.type === 'reasoning') say('thought', messageId, { type: 'text', text: part.text });
      else if (part.type === 'tool-call') updates.push(callUpdate(part, turn, results.get(part.toolCallId), place));
    }
  }
  return updates;
}
