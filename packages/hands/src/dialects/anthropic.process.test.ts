import { describe } from 'vitest';
import { checkContract } from '../testing/contract.ts';

const EDITOR = 'str_replace_based_edit_tool';

describe("Anthropic's client tools", () => {
  checkContract('anthropic', [
    { says: 'a command', tool: 'bash', input: { command: 'echo o; echo e >&2' }, output: /^(?:o\ne|e\no)\n$/u },
    { says: 'a command that fails tells how', tool: 'bash', input: { command: 'echo x; exit 3' }, output: 'x\nExit code 3\n', isError: true },
    { says: 'restart', tool: 'bash', input: { restart: true }, output: 'The shell was restarted.' },
    { says: 'neither of both', tool: 'bash', input: {}, output: /^Error: command is missing/u, isError: true },
    {
      says: 'view: lines with numbers',
      tool: EDITOR,
      files: { a: 'one\ntwo\n' },
      input: { command: 'view', path: 'a' },
      output: '     1\tone\n     2\ttwo\n',
    },
    {
      says: 'view_range',
      tool: EDITOR,
      files: { a: '1\n2\n3\n4\n' },
      input: { command: 'view', path: 'a', view_range: [2, 3] },
      output: '     2\t2\n     3\t3\n',
    },
    {
      says: 'view_range to the end',
      tool: EDITOR,
      files: { a: '1\n2\n3\n' },
      input: { command: 'view', path: 'a', view_range: [2, -1] },
      output: '     2\t2\n     3\t3\n',
    },
    {
      says: 'a range past the end is an error, not an empty answer',
      tool: EDITOR,
      files: { a: '1\n2\n' },
      input: { command: 'view', path: 'a', view_range: [7, 9] },
      output: /^\[no line 7 of 2/u,
    },
    { says: 'an empty file has a note', tool: EDITOR, files: { a: '' }, input: { command: 'view', path: 'a' }, output: /^\[empty/u },
    {
      says: 'insert behind the end',
      tool: EDITOR,
      files: { a: '1\n2\n' },
      input: { command: 'insert', path: 'a', insert_line: 9, insert_text: 'x' },
      output: 'Error: insert_line: a has 2 lines, so there is no line 9. Give a line from 0, the beginning, to 2, the end.',
      isError: true,
    },
    {
      says: 'insert into no file',
      tool: EDITOR,
      input: { command: 'insert', path: 'a', insert_line: 0, insert_text: 'x' },
      output: 'Error: File not found: a. Nothing was changed. To create a file, use the command create.',
      isError: true,
    },
    {
      says: 'a range that is none',
      tool: EDITOR,
      files: { a: '1\n' },
      input: { command: 'view', path: 'a', view_range: [3, 2] },
      output: /^Error: view_range/u,
      isError: true,
    },
    {
      says: 'view: a folder, two levels',
      tool: EDITOR,
      files: { 'd/e/a': '', 'd/.git/x': '' },
      input: { command: 'view', path: 'd' },
      output: /^e\/\ne\/a .*$/u,
    },
    {
      says: 'create',
      tool: EDITOR,
      input: { command: 'create', path: 'd/a', file_text: 'x\n' },
      leaves: { 'd/a': 'x\n' },
    },
    {
      says: 'str_replace',
      tool: EDITOR,
      files: { a: 'one two\n' },
      input: { command: 'str_replace', path: 'a', old_str: 'two', new_str: '$&' },
      leaves: { a: 'one $&\n' },
    },
    {
      says: 'str_replace without new_str deletes',
      tool: EDITOR,
      files: { a: 'one two\n' },
      input: { command: 'str_replace', path: 'a', old_str: ' two' },
      leaves: { a: 'one\n' },
    },
    {
      says: 'old_str must be unique',
      tool: EDITOR,
      files: { a: 'x x\n' },
      input: { command: 'str_replace', path: 'a', old_str: 'x', new_str: '' },
      output: /occurs 2 times/u,
      isError: true,
    },
    {
      says: 'an absolute path inside',
      tool: EDITOR,
      files: { a: 'x\n' },
      makeInput: ({ at }) => ({ command: 'insert', path: at('a'), insert_line: 1, insert_text: 'y\n' }),
      leaves: { a: 'x\ny\n' },
    },
    ...(
      [
        [0, 'new\n', 'new\r\none\r\ntwo\r\n'],
        [1, 'new', 'one\r\nnew\r\ntwo\r\n'],
        [2, 'a\nb\n', 'one\r\ntwo\r\na\r\nb\r\n'],
      ] as const
    ).map(([insert_line, insert_text, wanted]) => ({
      says: `insert behind line ${insert_line}; the other lines keep their ends`,
      tool: EDITOR,
      files: { a: 'one\r\ntwo\r\n' },
      input: { command: 'insert', path: 'a', insert_line, insert_text },
      leaves: { a: wanted },
    })),
    {
      says: 'insert behind a line that there is not',
      tool: EDITOR,
      files: { a: 'x\n' },
      input: { command: 'insert', path: 'a', insert_line: 9, insert_text: 'y' },
      isError: true,
      output: /^Error: /u,
    },
    {
      says: 'a path cannot carry a second file',
      tool: EDITOR,
      files: { a: 'x\n' },
      input: { command: 'insert', path: 'a\n+x\n*** Delete File: a', insert_line: 0, insert_text: 'y' },
      isError: true,
      output: /line break/u,
      leaves: { a: 'x\n' },
    },
    { says: 'undo_edit is gone', tool: EDITOR, input: { command: 'undo_edit', path: 'a' }, isError: true, output: /command: .*"view"/u },
  ]);
});
