import type { CallError } from '@synapse/protocol';
import * as z from 'zod';
import { diagnosticsTool } from '../tools/diagnostics.ts';
import { editFile } from '../tools/edit-file.ts';
import { fetchUrl } from '../tools/fetch-url.ts';
import { findFiles } from '../tools/find-files.ts';
import { readFile } from '../tools/read-file.ts';
import { runCommand } from '../tools/run-command.ts';
import { searchText } from '../tools/search-text.ts';
import { writeFile } from '../tools/write-file.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { shellExitCode } from './exit-code.ts';
import { matchLines } from './match-lines.ts';
import { attempt, errorAnswer, FailedStep, fileText, json, need, reason, relay, succeeded, text, WHOLE, withCutNote } from './steps.ts';

/** Characters of context to try on each side, before the whole file. */
const SURROUNDINGS = [80, 800, 8_000];

/** An edit whose old text is unique in its file. */
interface UniqueEdit {
  readonly old_text: string;
  readonly new_text: string;
}

function isUnique(content: string, part: string): boolean {
  const first = content.indexOf(part);
  return content.indexOf(part, first + 1) === -1;
}

/**
 * Returns an edit that replaces only the first of several occurrences: it includes enough context to be unique. Undefined if
 * the content does not contain the exact text.
 */
export function editFirst(content: string, oldText: string, newText: string): UniqueEdit | undefined {
  const at = oldText === '' ? -1 : content.indexOf(oldText);
  if (at === -1) return undefined;
  for (const characters of [...SURROUNDINGS, content.length]) {
    const before = content.slice(Math.max(0, at - characters), at).replace(/^[\udc00-\udfff]/u, '');
    const after = content.slice(at + oldText.length, at + oldText.length + characters).replace(/[\ud800-\udbff]$/u, '');
    const whole = before + oldText + after;
    if (isUnique(content, whole)) return { old_text: whole, new_text: before + newText + after };
  }
  return undefined;
}

/** Strings of the contract. */
const DENIED = 'Tool use denied by user';
const TIMED_OUT = 'Tool execution timed out';
const NOT_FOUND = 'old_text not found in file';

function failure(error: CallError): DialectAnswer {
  // A refusal by a rule, or for lack of an approver, is not a denial by a user.
  const denied = error.code === 'denied' && error.details?.['answer'] === 'deny';
  return errorAnswer(denied ? DENIED : error.code === 'timeout' ? TIMED_OUT : reason(error));
}

const path = z.string().describe('Path relative to the project');
const withCrlf = (text: string): string => text.replaceAll(/\r?\n/gu, '\r\n');
/** Whether a command has only comments and blank lines: shells do not accept braces around nothing. */
const doesNothing = (command: string): boolean => command.split('\n').every((line) => /^\s*(?:#|$)/u.test(line));

const tools = [
  defineDialectTool({
    name: 'file_read',
    description: 'Read a file.',
    input: () => z.object({ path }),
    uses: ['read_file'],
    permission: 'auto',
    timeoutMs: 5_000,
    *run(input) {
      return text(yield* fileText(input.path));
    },
  }),
  defineDialectTool({
    name: 'file_edit',
    description: 'Replace the first occurrence of a text in a file.',
    input: () => z.object({ path, old_text: z.string(), new_text: z.string() }),
    uses: ['edit_file', 'read_file'],
    permission: 'ask',
    timeoutMs: 10_000,
    *run({ path: given, old_text, new_text }) {
      let edited = yield* attempt(editFile, { path: given, edits: [{ old_text, new_text }] });
      if (!edited.ok && edited.error.code === 'ambiguous_match') {
        const file = yield* need(readFile, { path: given }, WHOLE);
        // If only the file has CRLF, the edit was ambiguous with the line ends of the file.
        const edit = editFirst(file.data.content, old_text, new_text) ?? editFirst(file.data.content, withCrlf(old_text), withCrlf(new_text));
        if (edit === undefined) throw new FailedStep(edited.error);
        const version = file.data.version === null ? {} : { version: file.data.version };
        edited = yield* attempt(editFile, { path: given, edits: [edit], ...version });
      }
      if (!edited.ok && edited.error.code === 'no_match') return errorAnswer(NOT_FOUND);
      succeeded(edited);
      return json({ path: given, applied: true });
    },
  }),
  defineDialectTool({
    name: 'file_write',
    description: 'Write a file, replacing what it held.',
    input: () => z.object({ path, content: z.string() }),
    uses: ['write_file'],
    permission: 'ask',
    timeoutMs: 10_000,
    *run({ path: given, content }) {
      const written = yield* need(writeFile, { path: given, content });
      return json({ path: given, bytes: written.data.size });
    },
  }),
  defineDialectTool({
    name: 'bash',
    description: 'Run a shell command in the project folder. stderr is part of the output.',
    input: () => z.object({ command: z.string() }),
    uses: ['run_command'],
    permission: 'ask',
    timeoutMs: 30_000,
    *run({ command }) {
      // One pipe for both streams, to keep their order. The line break ends a comment or here-document.
      const ran = yield* need(runCommand, { command: doesNothing(command) ? command : `{ ${command}\n} 2>&1` }, WHOLE);
      if (ran.data.timed_out) return errorAnswer(TIMED_OUT);
      const code = shellExitCode(ran.data);
      return json({ output: ran.data.output, ...(code === 0 ? {} : { exit_code: code }) });
    },
  }),
  defineDialectTool({
    name: 'grep',
    description: 'Search files by regular expression.',
    input: () => z.object({ pattern: z.string(), path: path.optional(), glob: z.string().optional().describe('Such as *.ts') }),
    uses: ['search_text'],
    permission: 'auto',
    timeoutMs: 10_000,
    *run({ pattern, path: below, glob }) {
      const found = yield* need(searchText, {
        pattern,
        limit: 2_000,
        context: 0,
        ...(below === undefined ? {} : { path: below }),
        ...(glob === undefined ? {} : { glob }),
      });
      return text(withCutNote(matchLines(found.data.matches), found));
    },
  }),
  defineDialectTool({
    name: 'glob',
    description: 'Find files by pattern, such as **/*.ts.',
    input: () => z.object({ pattern: z.string(), path: path.optional() }),
    uses: ['find_files'],
    permission: 'auto',
    timeoutMs: 5_000,
    *run({ pattern, path: below }) {
      const found = yield* need(findFiles, { glob: pattern, limit: 1_000, ...(below === undefined ? {} : { path: below }) });
      return text(withCutNote(found.data.files.map((file) => `${file.path}\n`).join(''), found));
    },
  }),
  defineDialectTool({
    name: 'diagnostics',
    description: 'Diagnostics of the language server.',
    input: () => z.object({ path: path.optional() }),
    uses: ['diagnostics'],
    permission: 'auto',
    timeoutMs: 5_000,
    *run(input) {
      // Includes the notes, which say that a file is clean or that a server did not answer.
      return text((yield* need(diagnosticsTool, input.path === undefined ? {} : { path: input.path })).output);
    },
  }),
  defineDialectTool({
    name: 'fetch',
    description: 'Fetch a page of documentation over HTTP.',
    input: () => z.object({ url: z.string() }),
    uses: ['fetch_url'],
    permission: 'ask',
    timeoutMs: 15_000,
    *run({ url }) {
      // Includes the marks around the page, which is untrusted.
      return text((yield* need(fetchUrl, { url })).output);
    },
  }),
  defineDialectTool({
    name: 'mcp_tool',
    description: 'Call a tool of a connected MCP server.',
    input: () => z.object({ server: z.string(), tool: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }),
    uses: ['mcp:*'],
    permission: 'ask',
    timeoutMs: 30_000,
    run: (input) => relay(`mcp:${input.server}:${input.tool}`, input.arguments),
  }),
];

export const synapsis: Dialect = {
  name: 'synapsis',
  shell: 'sh',
  title: 'Synapsis, a permissioned and timed tool set',
  version: 'the names, shapes and strings of its contract',
  notCovered: ['mcp_tool is offered where the hands have a tool of an MCP server'],
  asksFirst: true,
  tools,
  unknownTool: (name) => errorAnswer(`Unknown tool: ${name}`),
  invalidInput: failure,
  failure,
};
