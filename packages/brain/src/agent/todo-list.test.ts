import type { ToolCaller } from '@synapse/hands/providers';
import { expect, it } from 'vitest';
import { TodoList, type TodoItem } from './todo-list.ts';

const DESCRIBED = { name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' } };
const nothing: ToolCaller = {
  tools: () => [DESCRIBED],
  call: async (tool) => ({
    ok: false,
    error: { code: 'not_found', message: tool, retryable: false },
    meta: { callId: 'x', tool, durationMs: 0, summary: '', completion: 'failed' },
  }),
};

async function kept(input: unknown, dialect?: string) {
  const changes: (readonly TodoItem[])[] = [];
  const list = new TodoList((items) => changes.push(items));
  const tools = list.among(nothing, dialect);
  const name = tools.tools('json-schema').at(-1)?.name ?? '';
  return { list, changes, name, result: await tools.call(name, input) };
}

it.each([
  ['our own words', undefined, 'todo_list', { items: [{ text: 'a', status: 'done' }, { text: 'b' }] }],
  [
    'Claude Code',
    'claude-code',
    'TodoWrite',
    {
      todos: [
        { content: 'a', status: 'completed', activeForm: 'A' },
        { content: 'b', status: 'pending' },
      ],
    },
  ],
  [
    'Codex',
    'codex',
    'update_plan',
    {
      explanation: 'x',
      plan: [
        { step: 'a', status: 'completed' },
        { step: 'b', status: 'pending' },
      ],
    },
  ],
  [
    'Gemini CLI',
    'gemini-cli',
    'write_todos',
    {
      todos: [
        { description: 'a', status: 'cancelled' },
        { description: 'b', status: 'pending' },
      ],
    },
  ],
] as const)('keeps a list in %s', async (_, dialect, tool, input) => {
  const { list, changes, name, result } = await kept(input, dialect);
  expect(name).toBe(tool);
  expect(result).toMatchObject({ ok: true, output: '1 of 2 done.' });
  expect(list.items).toEqual([
    { text: 'a', status: 'done' },
    { text: 'b', status: 'pending' },
  ]);
  expect(changes).toEqual([list.items]);
});

it.each([
  ['nothing', {}],
  ['no object', 'x'],
  ['an unknown status', { items: [{ text: 'a', status: 'soon' }] }],
  ['an empty entry', { items: [{ text: '' }] }],
  ['a text that is too long', { items: [{ text: 'x'.repeat(301) }] }],
  ['too many', { items: Array.from({ length: 51 }, () => ({ text: 'a' })) }],
])('refuses %s, and keeps the list', async (_, input) => {
  const { list, changes, result } = await kept(input);
  expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  expect([list.items, changes]).toEqual([[], []]);
});

it('passes other calls on', async () => {
  expect(await new TodoList().among(nothing).call('read_file', {})).toMatchObject({ error: { message: 'read_file' } });
});
