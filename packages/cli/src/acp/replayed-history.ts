import type { AgentSession } from '@synapse/brain';
import { plainBlock } from './plain-block.ts';
import { promptId } from './prompt-id.ts';
import type { Block, CallContent, Shown } from './shown.ts';
import { describeCall, type KnownTool } from './tool-calls.ts';

type Message = AgentSession['messages'][number];
type ToolPart = Extract<Message, { role: 'tool' }>['content'][number];
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

/** The messages of a session as updates, for an editor that shows it again. */
export function replayedHistory(messages: readonly Message[], { root, known }: Place): Shown[] {
  const results = new Map<string, ToolPart>();
  /** Providers may use an id again in a later turn, so each result belongs to the last call of its id. */
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
      for (const part of content) {
        const shown = userContent(part);
        if (shown !== undefined) say('user', id, shown);
      }
    }
    if (role !== 'assistant') continue;
    turn += 1;
    prompts = 0;
    const messageId = `replayed-${turn}`;
    results.clear();
    const next = messages[index + 1];
    if (next?.role === 'tool') for (const part of next.content) if (part.type === 'tool-result') results.set(part.toolCallId, part);
    for (const part of content) {
      if (part.type === 'text') say('agent', messageId, { type: 'text', text: part.text });
      else if (part.type === 'reasoning') say('thought', messageId, { type: 'text', text: part.text });
      else if (part.type === 'tool-call') {
        const result = results.get(part.toolCallId);
        const { text, ok } = result === undefined ? { text: 'This call was interrupted.', ok: false } : outputOf(result);
        const shown: CallContent[] = text === '' ? [] : [plainBlock(text)];
        updates.push({
          kind: 'call-start',
          call: {
            callId: `replayed-${turn}-${part.toolCallId}`,
            status: ok ? 'completed' : 'failed',
            content: shown,
            ...describeCall({ tool: part.toolName, input: part.input, known: known(part.toolName) }, root),
          },
        });
      }
    }
  }
  return updates;
}
