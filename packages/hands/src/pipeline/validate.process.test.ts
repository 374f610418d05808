import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { callUntyped } from '../testing/call-untyped.ts';

describe('names that models know from elsewhere', () => {
  it.each<[string, object, object]>([
    ['read_file', { file_path: 'a.txt' }, { content: 'one\ntwo\n' }],
    ['read_file', { filePath: 'a.txt', offset: '2', limit: null }, { content: 'two\n' }],
    ['read_file', { file: 'a.txt', offset: null }, { first_line: 1 }],
    ['write_file', { file_path: 'b.txt', content: 'x' }, { path: 'b.txt' }],
    ['edit_file', { file_path: 'a.txt', edits: [{ old_string: 'one', new_string: '1' }] }, { path: 'a.txt' }],
    ['edit_file', { file_path: 'a.txt', old_string: 'one', new_string: '1' }, { path: 'a.txt' }],
    ['edit_file', { path: 'a.txt', old_text: 'one', new_text: '1', replace_all: true }, { path: 'a.txt' }],
    ['edit_file', { path: 'a.txt', edits: '[{"old_string":"one","new_text":"1"}]' }, { path: 'a.txt' }],
    ['search_text', { query: 'two', include: '*.txt' }, { files: ['a.txt'] }],
    ['search_text', { regex: 't.o', limit: '5', literal: 'false' }, { files: ['a.txt'] }],
    ['find_files', { query: '*.txt' }, {}],
    ['run_command', { cmd: 'echo hi' }, { stdout: 'hi\n' }],
    // As strict providers make models write it.
    ['edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: '1', replace_all: null }], version: null }, { path: 'a.txt' }],
  ])('%s %j', async (tool, input, data) => {
    await using place = await temporaryHands({ 'a.txt': 'one\ntwo\n' });
    expect(await place.hands.call(tool, input)).toMatchObject({ ok: true, data });
  });

  it.each<[string, object, string]>([
    ['read_file', { path: 'a.txt', file_path: 'b.txt' }, 'unknown field file_path'],
    ['read_file', { path: null }, 'path is missing'],
    ['edit_file', { path: 'a.txt', edits: [{ old_text: null, new_text: '1' }] }, 'edits[0].old_text is missing'],
    ['read_file', { path: 'a.txt', offset: '2 lines' }, 'offset: expected'],
    // Seconds for some, milliseconds for others.
    ['run_command', { command: 'true', timeout: 5 }, 'unknown field timeout'],
    ['search_text', { pattern: 'one', files_only: 'constructor' }, 'files_only: expected boolean, received string'],
    ['read_file', { path: 'a.txt', range: { toString: 1, valueOf: 1 } }, 'unknown field view_range'],
    ['edit_file', { path: 'a.txt', edits: [], old_string: 'one', new_string: '1' }, 'unknown field old_string'],
  ])('%s %j is refused', async (tool, input, message) => {
    await using place = await temporaryHands({ 'a.txt': 'one\n' });
    expect(await place.hands.call(tool, input)).toMatchObject({
      error: { code: 'invalid_arguments', message: expect.stringContaining(message) as string },
    });
  });

  it.each([
    ['nulls', null, 'edits[0]: expected object'],
    ['fields of another type', { old_text: 'one', new_text: '1', replace_all: 'true' }, 'edits[0].old_text was not found'],
  ])('and a long list of %s is copied once', async (_, edit, message) => {
    await using place = await temporaryHands({ 'a.txt': 'two\n' });
    const edits = Array.from({ length: edit === null ? 90_000 : 24_000 }, () => edit);
    const copies = vi.spyOn(globalThis, 'structuredClone');
    onTestFinished(() => copies.mockRestore());
    const result = await callUntyped(place.hands, 'edit_file', { path: 'a.txt', edits });
    // A copy for each field would take a minute.
    expect(copies).toHaveBeenCalledTimes(1);
    expect(result).toMatchObject({ error: { message: expect.stringContaining(message) as string } });
  });

  it('are judged by the rules under their own names', async () => {
    await using place = await temporaryHands({ 'secret.txt': 'x\n' }, { policy: { deny: ['read(secret.txt)'] } });
    expect(await callUntyped(place.hands, 'read_file', { file_path: 'secret.txt' })).toMatchObject({ error: { code: 'denied' } });
  });

  it('are in no schema', async () => {
    await using place = await temporaryHands();
    expect(JSON.stringify(place.hands.tools('mcp'))).not.toContain('file_path');
  });
});

it.each([
  ['bash', 'run_command'],
  ['Bash', 'run_command'],
  ['grep', 'search_text'],
  ['glob', 'find_files'],
  ['str_replace', 'edit_file'],
  ['ls', 'list_directory'],
  ['find_references', 'code'],
  // An action of it.
  ['references', 'code'],
  ['hover', 'code'],
  ['rename', 'move_path', 'code'],
])('a tool %s is answered with %s', async (name, ...tools) => {
  await using place = await temporaryHands();
  expect(await place.hands.call(name, {})).toMatchObject({
    error: { code: 'unknown_tool', hint: expect.stringContaining(`Did you mean ${tools.join(', ')}?`) as string, details: { nearest: tools } },
  });
});
