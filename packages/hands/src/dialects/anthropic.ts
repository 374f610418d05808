import { SynapseError, type CallResult } from '@synapse/protocol';
import * as z from 'zod';
import { count } from '../text/amounts.ts';
import { applyPatch } from '../tools/apply-patch.ts';
import { readFile } from '../tools/read-file.ts';
import { defineDialectTool, type CanonicalCall, type Dialect, type DialectAnswer } from './dialect.ts';
import { attempt, errorAnswer, FailedStep, need, reason, text } from './steps.ts';
import { changedFiles, readOrList, replaceText, runShell, shellAnswer, writeText } from './trained-steps.ts';

const BASH_TIMEOUT_MS = 120_000;
/** Depth of a folder listing: the folder and its subfolders. */
const VIEW_DEPTH = 2;

function missing(field: string, command: string): never {
  throw new SynapseError('invalid_arguments', `${field} is missing: the command ${command} needs it.`);
}

function assertOneLine(path: string): void {
  if (/[\r\n]/u.test(path)) throw new SynapseError('invalid_arguments', 'path: holds a line break.');
}

/**
 * Returns a patch that inserts lines next to a line that was read: the rest of the file keeps its bytes and encoding. If that
 * line has changed since, nothing is inserted.
 */
function insertion(path: string, line: number, beside: string, added: string): string {
  const lines = (added.endsWith('\n') ? added.slice(0, -1) : added).split('\n').map((one) => `+${one}`);
  const at = Math.max(1, line);
  return [
    '*** Begin Patch',
    `*** Update File: ${path}`,
    `@@ -${at},1 +${at},${lines.length + 1} @@`,
    ...(line === 0 ? [...lines, ` ${beside}`] : [` ${beside}`, ...lines]),
    '*** End Patch',
    '',
  ].join('\n');
}

/** Limits for reading a single line in full. */
const WHOLE_LINE = { outputBytes: 1024 * 1024, lineCharacters: 1024 * 1024 };

/** Inserts lines. A failure names the file and the line, not the patch behind it. */
function* insertLines(path: string, line: number, added: string): Generator<CanonicalCall, DialectAnswer, CallResult> {
  assertOneLine(path);
  const read = yield* attempt(readFile, { path, offset: Math.max(1, line), limit: 1 }, WHOLE_LINE);
  if (!read.ok) {
    if (read.error.code !== 'not_found') throw new FailedStep(read.error);
    throw new SynapseError('not_found', `File not found: ${path}`, { hint: 'Nothing was changed. To create a file, use the command create.' });
  }
  const { content, total_lines: total } = read.data;
  if (total !== null && line > total) {
    throw new SynapseError('invalid_arguments', `insert_line: ${path} has ${count(total, 'line')}, so there is no line ${line}.`, {
      hint: `Give a line from 0, the beginning, to ${total}, the end.`,
    });
  }
  if (total === 0) return yield* writeText(path, added);
  return changedFiles(yield* need(applyPatch, { patch: insertion(path, line, content.replace(/\r?\n$/u, ''), added) }));
}

/** The lines of a range of `view`, from 1; a last line of -1 is the end. */
function linesIn([first = 1, last = -1]: readonly number[] = []): { readonly offset: number; readonly limit?: number } {
  if (first < 1 || (last !== -1 && last < first)) {
    throw new SynapseError('invalid_arguments', 'view_range: must be [first, last], from 1, or [first, -1].');
  }
  return { offset: first, ...(last === -1 ? {} : { limit: last - first + 1 }) };
}

const tools = [
  defineDialectTool({
    name: 'bash',
    description: 'Run a shell command in the workspace.',
    input: () =>
      z.object({ command: z.string().optional().describe('Shell command line'), restart: z.boolean().optional().describe('Start afresh') }),
    uses: ['run_command'],
    native: { provider: 'anthropic', definition: { type: 'bash_20250124', name: 'bash' } },
    permission: 'ask',
    *run({ command, restart }) {
      if (restart === true) {
        // Each command runs in a new shell, so there is nothing to restart.
        yield* runShell({ command: ':', defaultTimeoutMs: BASH_TIMEOUT_MS });
        return text('The shell was restarted.');
      }
      return shellAnswer(yield* runShell({ command: command ?? missing('command', 'bash'), defaultTimeoutMs: BASH_TIMEOUT_MS }));
    },
  }),
  defineDialectTool({
    name: 'str_replace_based_edit_tool',
    description: 'View, create and edit text files.',
    input: () =>
      z.object({
        command: z.enum(['view', 'create', 'str_replace', 'insert']),
        path: z.string().describe('File or folder'),
        view_range: z.array(z.int()).length(2).optional().describe('view: first and last line; -1 is the end'),
        file_text: z.string().optional().describe('create: the whole text'),
        old_str: z.string().optional().describe('str_replace: text to replace, unique in the file'),
        new_str: z.string().optional().describe('str_replace: the new text'),
        insert_line: z.int().min(0).optional().describe('insert: the line to insert behind; 0 is the beginning'),
        insert_text: z.string().optional().describe('insert: the text'),
      }),
    uses: ['read_file', 'list_directory', 'write_file', 'edit_file', 'file_info', 'apply_patch'],
    native: { provider: 'anthropic', definition: { type: 'text_editor_20250728', name: 'str_replace_based_edit_tool' } },
    permission: 'ask',
    *run({ command, path, view_range: range, file_text, old_str, new_str, insert_line, insert_text }) {
      if (command === 'view') {
        const number = (line: number, text: string): string => `${String(line).padStart(6)}\t${text}`;
        return yield* readOrList({ path, ...linesIn(range), number }, VIEW_DEPTH);
      }
      if (command === 'create') return yield* writeText(path, file_text ?? missing('file_text', command));
      if (command === 'str_replace') {
        if (old_str === '') throw new SynapseError('invalid_arguments', 'old_str: must not be empty.', { hint: 'Use insert to add text.' });
        return yield* replaceText(path, old_str ?? missing('old_str', command), new_str ?? '');
      }
      const added = insert_text ?? new_str ?? missing('insert_text', command);
      return yield* insertLines(path, insert_line ?? missing('insert_line', command), added);
    },
  }),
];

export const anthropic: Dialect = {
  name: 'anthropic',
  title: "Anthropic's client tools",
  version: 'bash_20250124, text_editor_20250728 (also takes new_str for insert, as versions before 2025-07-28 did)',
  notCovered: [
    'bash: each command runs in a new shell, so cd and variables do not last',
    'undo_edit, which the current version dropped; max_characters, which is part of the definition and not of a call',
    'computer, memory, web search and code execution tools',
  ],
  tools,
  unknownTool: (_, error) => errorAnswer(`Error: ${reason(error)}`),
  invalidInput: (error) => errorAnswer(`Error: ${reason(error)}`),
  failure: (error) => errorAnswer(`Error: ${reason(error)}`),
};
