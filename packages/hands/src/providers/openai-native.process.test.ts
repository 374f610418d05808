import { describe, expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { handleOpenAiResponses } from './openai-responses.ts';

const shell = (callId: unknown, commands: unknown, rest: object = {}): object => ({
  type: 'shell_call',
  id: `sh_${String(callId)}`,
  call_id: callId,
  status: 'completed',
  environment: { type: 'local' },
  action: { commands, timeout_ms: null, max_output_length: null },
  ...rest,
});
const localShell = (callId: string, command: unknown): object => ({
  type: 'local_shell_call',
  id: `ls_${callId}`,
  call_id: callId,
  status: 'completed',
  action: { type: 'exec', command, env: {}, timeout_ms: null, user: null, working_directory: null },
});
const patch = (callId: string, operation: object, rest: object = {}): object => ({
  type: 'apply_patch_call',
  id: `ap_${callId}`,
  call_id: callId,
  status: 'completed',
  operation,
  ...rest,
});

describe('call items of the Responses API', () => {
  it('are answered by their own items, in order, among functions', async () => {
    await using place = await temporaryHands({ 'a.txt': 'alpha\n' }, { allow: ['write', 'exec'] });
    const output = [
      { type: 'reasoning', summary: [] },
      patch('c1', { type: 'create_file', path: 'b.txt', diff: '+beta\n' }, { caller: { type: 'program', caller_id: 'p1' } }),
      shell('c2', ['cat b.txt', 'echo no >&2; exit 3'], { caller: { type: 'direct' } }),
      localShell('c3', ['cat', 'a.txt']),
      { type: 'function_call', call_id: 'c4', name: 'local_shell', arguments: JSON.stringify({ action: { command: ['echo', 'x'] } }) },
      patch('c5', { type: 'update_file', path: 'a.txt', diff: '@@\n-nowhere\n+y\n' }),
    ];
    expect(await handleOpenAiResponses(place.hands.dialect('openai'), { output })).toEqual([
      { type: 'apply_patch_call_output', call_id: 'c1', status: 'completed', output: 'A b.txt', caller: { type: 'program', caller_id: 'p1' } },
      {
        type: 'shell_call_output',
        call_id: 'c2',
        output: [
          { stdout: 'beta\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } },
          { stdout: '', stderr: 'no\n', outcome: { type: 'exit', exit_code: 3 } },
        ],
        caller: { type: 'direct' },
      },
      { type: 'local_shell_call_output', id: 'c3', output: JSON.stringify({ stdout: 'alpha\n', stderr: '', exit_code: 0, timed_out: false }) },
      { type: 'function_call_output', call_id: 'c4', output: JSON.stringify({ stdout: 'x\n', stderr: '', exit_code: 0, timed_out: false }) },
      { type: 'apply_patch_call_output', call_id: 'c5', status: 'failed', output: expect.stringContaining('not found') },
    ]);
  });

  it('gives the bound of the output back, and a timeout as an outcome', async () => {
    await using place = await temporaryHands({}, { allow: ['exec'] });
    const action = { commands: ['sleep 20'], timeout_ms: 200, max_output_length: 1_000 };
    expect(await handleOpenAiResponses(place.hands.dialect('openai'), { output: [shell('c1', [], { action })] })).toEqual([
      { type: 'shell_call_output', call_id: 'c1', output: [{ stdout: '', stderr: '', outcome: { type: 'timeout' } }], max_output_length: 1_000 },
    ]);
  });

  const exit = (stderr: unknown): object => ({ stdout: '', stderr, outcome: { type: 'exit', exit_code: 1 } });

  it.each<[string, object, object]>([
    [
      'what is not allowed',
      shell('c1', ['git push']),
      { type: 'shell_call_output', call_id: 'c1', output: [exit(expect.stringContaining('approval'))] },
    ],
    ['no commands', shell('c1', []), { type: 'shell_call_output', call_id: 'c1', output: [exit(expect.stringContaining('commands'))] }],
    ['an action that is none', shell('c1', [], { action: 'rm' }), { type: 'shell_call_output', call_id: 'c1', output: [exit(expect.any(String))] }],
    ['no id', shell(undefined, ['true']), { type: 'shell_call_output', call_id: '', output: [exit(expect.stringContaining('has no id'))] }],
    [
      'words that are none',
      localShell('c1', 'ls'),
      { type: 'local_shell_call_output', id: 'c1', output: expect.stringMatching(/^\{"stdout":"","stderr":".*command.*","exit_code":1/u) },
    ],
    [
      'an operation that there is not',
      patch('c1', { type: 'chmod', path: 'a' }),
      { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed', output: expect.stringContaining('operation') },
    ],
    [
      'a path that leads out',
      patch('c1', { type: 'create_file', path: '../a', diff: '+x\n' }),
      { type: 'apply_patch_call_output', call_id: 'c1', status: 'failed', output: expect.stringContaining('leaves the workspace') },
    ],
  ])('answers %s in the shape of the item', async (_, item, expected) => {
    await using place = await temporaryHands({}, { allow: ['write'] });
    expect(await handleOpenAiResponses(place.hands.dialect('openai'), { output: [item] })).toEqual([expected]);
  });

  it('runs one of two calls with the same id, whatever their types', async () => {
    await using place = await temporaryHands({}, { allow: ['write', 'exec'] });
    const output = [shell('c1', ['echo a']), patch('c1', { type: 'create_file', path: 'b', diff: '+x\n' })];
    const [first, second] = await handleOpenAiResponses(place.hands.dialect('openai'), { output });
    expect(first).toMatchObject({ output: [{ stdout: 'a\n' }] });
    expect(second).toMatchObject({ status: 'failed', output: expect.stringContaining('same id') });
    expect(await place.hands.call('read_file', { path: 'b' })).toMatchObject({ ok: false });
  });

  it('leaves to OpenAI what OpenAI runs', async () => {
    await using place = await temporaryHands({}, { allow: ['exec'] });
    const item = shell('c1', ['true'], { environment: { type: 'container_reference', container_id: 'x' } });
    expect(await handleOpenAiResponses(place.hands.dialect('openai'), { output: [item] })).toEqual([]);
  });

  it('tells a model that has no such tool, in the shape of the item', async () => {
    await using place = await temporaryHands({}, { allow: ['write', 'exec'] });
    const output = [shell('c1', ['true']), localShell('c2', ['true']), patch('c3', { type: 'delete_file', path: 'a' })];
    expect(await handleOpenAiResponses(place.hands, { output })).toEqual([
      { type: 'shell_call_output', call_id: 'c1', output: [exit(expect.stringContaining('Unknown tool: "shell"'))] },
      { type: 'local_shell_call_output', id: 'c2', output: expect.stringContaining('Unknown tool') },
      { type: 'apply_patch_call_output', call_id: 'c3', status: 'failed', output: expect.stringContaining('patch') },
    ]);
  });
});

describe('native definitions', () => {
  it('stand where the API knows the tool, and plain ones elsewhere', async () => {
    await using place = await temporaryHands();
    const types = (written: readonly object[]): unknown[] => written.map((tool) => ('type' in tool ? tool.type : 'name' in tool && tool.name));
    expect(place.hands.dialect('openai').tools('openai-responses-native')).toEqual([
      { type: 'apply_patch' },
      { type: 'shell', environment: { type: 'local' } },
      { type: 'local_shell' },
    ]);
    expect(place.hands.dialect('anthropic').tools('anthropic-native')).toEqual([
      { type: 'bash_20250124', name: 'bash' },
      { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' },
    ]);
    expect(types(place.hands.dialect('anthropic').tools('openai-responses-native'))).toEqual(['function', 'function']);
    expect(place.hands.tools('anthropic-native')).toEqual(place.hands.tools('anthropic'));
  });

  it('are created each time, so that a cache mark on one is not on the others', async () => {
    await using place = await temporaryHands();
    const dialect = place.hands.dialect('anthropic');
    for (const tool of dialect.tools('anthropic-native')) Object.assign(tool, { cache_control: { type: 'ephemeral' } });
    expect(JSON.stringify(dialect.tools('anthropic-native'))).not.toContain('cache_control');
  });
});
