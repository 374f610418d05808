import type { AgentSession } from '@synapse/brain';
import { expect, it } from 'vitest';
import { nextPromptId } from './prompt-id.ts';
import { replayedHistory } from './replayed-history.ts';

const said = (text: string) => [{ type: 'text' as const, text }];

it('a replay gives prompts the ids that they had', () => {
  const messages: Array<AgentSession['messages'][number]> = [];
  const session = {
    messages,
    get turns() {
      return messages.filter(({ role }) => role === 'assistant').length;
    },
    add: (message: AgentSession['messages'][number]) => void messages.push(message),
  };
  const ids: string[] = [];
  const prompt = (text: string): void => {
    ids.push(nextPromptId(session));
    session.add({ role: 'user', content: said(text) });
  };
  prompt('one');
  session.add({ role: 'assistant', content: said('1') });
  prompt('two, whose model failed');
  prompt('three');
  session.add({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} }] });
  session.add({ role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'text', value: '' } }] });
  prompt('four');
  const replayed = replayedHistory(messages, { root: '/ws', known: () => undefined });
  expect(replayed.flatMap((one) => (one.kind === 'text' && one.from === 'user' ? [one.messageId] : []))).toEqual(ids);
  expect(new Set(ids).size).toBe(4);
});
