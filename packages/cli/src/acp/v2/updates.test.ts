import type { SessionUpdate } from '@agentclientprotocol/sdk/experimental/v2';
import { expect, it } from 'vitest';
import { shownChanges } from '../file-changes.ts';
import type { Shown } from '../shown.ts';
import { sessionUpdate } from './updates.ts';

const block = { type: 'text', text: 'x' } as const;
const facts = { title: 'T', name: 'edit_file', kind: 'edit', rawInput: {} } as const;
const diff = (hunk: string): string => `--- x\n+++ x\n${hunk}`;
const { files } = shownChanges(
  [
    { kind: 'changed', path: 'a', diff: diff('@@ -1 +1 @@\n-a\n+b\n') },
    { kind: 'created', path: 'new "file"\n', diff: diff('@@ -0,0 +1 @@\n+c\n\\ No newline at end of file\n') },
    { kind: 'deleted', path: 'gone', diff: diff('@@ -1 +0,0 @@\n-c\n') },
    { kind: 'moved', path: 'to', from: 'from', diff: diff('@@ -1 +1 @@\n-a\n+b\n') },
    { kind: 'changed', path: 'there', from: 'here', diff: diff('@@ -1 +1 @@\n-a\n+b\n') },
    { kind: 'deleted', path: 'there', from: 'old', diff: diff('') },
    // As hands show a name with a line end, and one that is no text.
    { kind: 'created', path: 'x\\x0a\\x5cx41', diff: diff('') },
    { kind: 'moved', path: 'y\\xff"', from: 'y' },
    { kind: 'created', path: 'long', diff: diff(`@@ -0,0 +1 @@\n+${'c'.repeat(200_000)}\n`) },
    { kind: 'changed', path: 'mode', diff: diff('') },
    { kind: 'changed', path: 'picture.png', note: 'binary' },
  ],
  '/ws',
);
const PATCH = `diff --git a/a b/a
--- a/a
+++ b/a
@@ -1 +1 @@
-a
+b
diff --git "a/new \\"file\\"\\n" "b/new \\"file\\"\\n"
new file mode 100644
--- /dev/null
+++ "b/new \\"file\\"\\n"
@@ -0,0 +1 @@
+c
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-c
diff --git a/from b/to
rename from from
rename to to
--- a/from
+++ b/to
@@ -1 +1 @@
-a
+b
diff --git a/here b/there
rename from here
rename to there
--- a/here
+++ b/there
@@ -1 +1 @@
-a
+b
diff --git a/old b/old
deleted file mode 100644
diff --git "a/x\\n\\\\x41" "b/x\\n\\\\x41"
new file mode 100644
diff --git a/y "b/y\\377\\""
rename from y
rename to "y\\377\\""
`;

it.each<[string, Shown, SessionUpdate]>([
  ['text', { kind: 'text', from: 'agent', messageId: 'm', content: block }, { sessionUpdate: 'agent_message_chunk', messageId: 'm', content: block }],
  [
    'a thought',
    { kind: 'text', from: 'thought', messageId: 'm', content: block },
    { sessionUpdate: 'agent_thought_chunk', messageId: 'm', content: block },
  ],
  [
    'the first piece of a replayed message',
    { kind: 'text', from: 'user', messageId: 'm', content: block, replaces: true },
    { sessionUpdate: 'user_message', messageId: 'm', content: [block] },
  ],
  [
    'a prompt that was taken',
    { kind: 'prompt', messageId: 'm', content: [block] },
    { sessionUpdate: 'user_message', messageId: 'm', content: [block] },
  ],
  [
    'the start of a call',
    { kind: 'call-start', call: { callId: '1', status: 'in_progress', ...facts, locations: [] } },
    { sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'in_progress', ...facts, locations: [] },
  ],
  [
    'the end of a call',
    { kind: 'call-update', call: { callId: '1', status: 'failed', content: [{ type: 'block', block }] } },
    { sessionUpdate: 'tool_call_update', toolCallId: '1', status: 'failed', content: [{ type: 'content', content: block }] },
  ],
  [
    'changes of files',
    { kind: 'call-update', call: { callId: '1', status: 'completed', content: [{ type: 'changes', changes: files }] } },
    {
      sessionUpdate: 'tool_call_update',
      toolCallId: '1',
      status: 'completed',
      content: [
        {
          type: 'diff',
          changes: [
            { operation: 'modify', path: '/ws/a' },
            { operation: 'add', path: '/ws/new "file"\n' },
            { operation: 'delete', path: '/ws/gone' },
            { operation: 'move', oldPath: '/ws/from', path: '/ws/to' },
            { operation: 'move', oldPath: '/ws/here', path: '/ws/there' },
            { operation: 'delete', path: '/ws/old' },
            { operation: 'add', path: '/ws/x\\x0a\\x5cx41' },
            { operation: 'move', oldPath: '/ws/y', path: '/ws/y\\xff"' },
            { operation: 'add', path: '/ws/long' },
            { operation: 'modify', path: '/ws/mode' },
            { operation: 'modify', path: '/ws/picture.png' },
          ],
          patch: { format: 'git_patch', text: PATCH },
        },
      ],
    },
  ],
  [
    'a plan',
    { kind: 'plan', planId: 'review', entries: [{ content: 'Look', priority: 'medium', status: 'pending' }] },
    {
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId: 'review', entries: [{ content: 'Look', priority: 'medium', status: 'pending' }] },
    },
  ],
  [
    'commands',
    {
      kind: 'commands',
      commands: [
        { name: 'undo', description: 'U' },
        { name: 'review', description: 'R', input: { hint: 'what' } },
      ],
    },
    {
      sessionUpdate: 'available_commands_update',
      availableCommands: [
        { type: 'command', name: 'undo', description: 'U' },
        { type: 'command', name: 'review', description: 'R', input: { type: 'text', hint: 'what' } },
      ],
    },
  ],
  ['work', { kind: 'activity', activity: { state: 'running' } }, { sessionUpdate: 'state_update', state: 'running' }],
  ['a question', { kind: 'activity', activity: { state: 'requires_action' } }, { sessionUpdate: 'state_update', state: 'requires_action' }],
  ['a new session', { kind: 'activity', activity: { state: 'idle' } }, { sessionUpdate: 'state_update', state: 'idle' }],
  [
    'the end of a prompt',
    { kind: 'activity', activity: { state: 'idle', stopReason: 'cancelled' } },
    { sessionUpdate: 'state_update', state: 'idle', stopReason: 'cancelled' },
  ],
  [
    'a failure',
    { kind: 'activity', activity: { state: 'idle', stopReason: 'error', error: { code: -32_603, message: 'No.' } } },
    { sessionUpdate: 'state_update', state: 'idle', stopReason: 'error', error: { code: -32_603, message: 'No.' } },
  ],
])('%s', (_, shown, expected) => expect(sessionUpdate(shown)).toEqual(expected));
