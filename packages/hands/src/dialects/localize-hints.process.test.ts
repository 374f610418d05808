import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** Advice that a model can follow: with the tools and arguments that it has. */
it.each<[string, string, object, string | RegExp]>([
  ['synapsis', 'file_read', { path: 'none' }, 'File not found: none. Use glob to see what is there.'],
  ['synapse', 'read_file', { path: 'none' }, 'Error: File not found: none'],
  ['ronin', 'read_file', { path: 'none' }, 'File not found: none. Use list_dir to see what is there.'],
  [
    'claude-code',
    'Edit',
    { file_path: 'none', old_string: 'a', new_string: 'b' },
    'Error: File not found: none. Use Glob to locate it, or Write to create it.',
  ],
  ['ouroboros', 'file_read', { path: 'blob' }, /"error":"blob is binary .*\. Use shell_exec with a program that understands it\."/u],
  ['ronin', 'list_dir', { path: 'a.txt' }, 'a.txt is a file, not a folder. Name a folder, or use read_file for a file.'],
  ['ronin', 'git_status', {}, /^The workspace is not a git repository\. The tools for files and search work without one\./u],
  [
    'anthropic',
    'str_replace_based_edit_tool',
    { command: 'str_replace', path: 'a.txt', old_str: 'x' },
    /^Error: old_str occurs 2 times [^"]*you mean\.$/u,
  ],
  [
    'opencode',
    'edit',
    { filePath: 'a.txt', oldString: 'x', newString: 'y' },
    /^oldString occurs 2 times [^]*you mean, or pass "replaceAll": true to change them all\.$/u,
  ],
  [
    'anthropic',
    'str_replace_based_edit_tool',
    { command: 'str_replace', path: 'a.txt', old_str: 'edit_filez' },
    /nearest[^]*3 \| use "path" of edit_file\n/u,
  ],
  [
    'claude-code',
    'Edit',
    { file_path: 'a.txt', old_string: 'use', new_string: 'use' },
    'Error: old_string and new_string are the same, so nothing would change.',
  ],
  ['claude-code', 'Edit', { file_path: 'old_text.ts', old_string: 'a', new_string: 'b' }, /^Error: File not found: old_text\.ts\./u],
  ['synapsis', 'grep', { pattern: '' }, /^grep: pattern: .* The valid form is grep \{ pattern: string, path\?: string/u],
  ['opencode', 'grep', { pattern: '(?=a)' }, /not supported\. Search for a simpler pattern and judge the lines found\.$/u],
])('%s %s %j', async (dialect, tool, input, expected) => {
  await using place = await temporaryHands({ 'a.txt': 'x\nx\nuse "path" of edit_file\n', blob: '\0' });
  const { output } = await place.hands.dialect(dialect).call(tool, input);
  if (typeof expected === 'string') expect(output).toBe(expected);
  else expect(output).toMatch(expected);
});

it('says what a person can do in the words of the policy', async () => {
  await using place = await temporaryHands({}, { allow: [] });
  const canonical = await place.hands.call('run_command', { command: 'true' });
  const { output } = await place.hands.dialect('claude-code').call('Bash', { command: 'true' });
  expect(canonical.ok || output.endsWith(canonical.error.hint ?? '-')).toBe(true);
});

it('leaves the canonical result as it is', async () => {
  await using place = await temporaryHands();
  const { result } = await place.hands.dialect('synapsis').call('file_read', { path: 'none' });
  expect(result).toMatchObject({ error: { hint: 'Use list_directory or find_files to see what is there.' } });
});
