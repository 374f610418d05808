import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { expect, it } from 'vitest';
import { shownChanges } from '../file-changes.ts';
import type { Shown } from '../shown.ts';
import { sessionUpdate } from './updates.ts';

const block = { type: 'text', text: 'x' } as const;
const facts = { title: 'T', name: 'edit_file', kind: 'edit', locations: [], rawInput: {} } as const;
const changes = [
  ...shownChanges([{ kind: 'changed', path: 'a', diff: '--- a\n+++ a\n@@ -1 +1 @@\n-a\n+b\n' }], '/ws').files,
  ...shownChanges([{ kind: 'created', path: 'c', diff: '--- c\n+++ c\n@@ -0,0 +1 @@\n+c\n' }], '/ws').files,
];

it.each<[string, Shown, SessionUpdate | undefined]>([
  ['text', { kind: 'text', from: 'agent', messageId: 'm', content: block, replaces: true }, { sessionUpdate: 'agent_message_chunk', content: block }],
  ['a thought', { kind: 'text', from: 'thought', messageId: 'm', content: block }, { sessionUpdate: 'agent_thought_chunk', content: block }],
  ['a replayed prompt', { kind: 'text', from: 'user', messageId: 'm', content: block }, { sessionUpdate: 'user_message_chunk', content: block }],
  ['a prompt that was taken', { kind: 'prompt', messageId: 'm', content: [block] }, undefined],
  ['an activity', { kind: 'activity', activity: { state: 'running' } }, undefined],
  [
    'the start of a call',
    { kind: 'call-start', call: { callId: '1', status: 'in_progress', ...facts, locations: [] } },
    { sessionUpdate: 'tool_call', toolCallId: '1', status: 'in_progress', ...facts, locations: [] },
  ],
  [
    'the end of a call',
    {
      kind: 'call-update',
      call: {
        callId: '1',
        status: 'completed',
        content: [
          { type: 'changes', changes },
          { type: 'block', block },
        ],
      },
    },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: '1',
      status: 'completed',
      content: [
        { type: 'diff', path: '/ws/a', oldText: 'a\n', newText: 'b\n' },
        { type: 'diff', path: '/ws/c', oldText: null, newText: 'c\n' },
        { type: 'content', content: block },
      ],
    },
  ],
])('%s', (_, shown, expected) => expect(sessionUpdate(shown)).toEqual(expected));
