import { SynapseError, type CallSuccess } from '@synapse/protocol';
import * as z from 'zod';
import { listDirectory } from '../tools/list-directory.ts';
import type { runCommand } from '../tools/run-command.ts';
import { searchText } from '../tools/search-text.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { shellExitCode } from './exit-code.ts';
import { patchInCommand, patchInWords } from './patch-command.ts';
import { commandLine } from './shell-words.ts';
import { errorAnswer, need, reason, text, told } from './steps.ts';
import { patchFiles, readOrList, runShell } from './trained-steps.ts';

const SHELL_TIMEOUT_MS = 10_000;
/** A session that yields does not end; here the command has this long, and then it does. */
const EXEC_TIMEOUT_MS = 120_000;
/** About what a token of output is in bytes. */
const BYTES_PER_TOKEN = 4;
const DEFAULT_TOKENS = 10_000;
const DEFAULT_ENTRIES = 25;
const MAX_ENTRIES = 1_000;

function output(ran: CallSuccess<z.output<(typeof runCommand)['output']>>): DialectAnswer {
  const { data } = ran;
  const seconds = (data.duration_ms / 1000).toFixed(1);
  const late = data.timed_out ? `command timed out after ${Math.round(data.duration_ms)} milliseconds\n` : '';
  const code = shellExitCode(data);
  return { ...text(`Exit code: ${code}\nWall time: ${seconds} seconds\nOutput:\n${late}${data.output}`), isError: code !== 0 };
}

function assertNotEscalated(permissions: string | undefined): void {
  if (permissions !== 'require_escalated') return;
  throw new SynapseError('denied', 'sandbox_permissions: a command cannot leave the sandbox by asking for it.', {
    hint: 'Leave it out; a person can allow more.',
  });
}

const workdir = z.string().optional().describe('Folder to run in');
const timeout_ms = z.number().optional().describe('Milliseconds until it is ended');
const sandbox_permissions = z.string().optional();
const justification = z.string().optional();

const tools = [
  defineDialectTool({
    name: 'shell',
    description: 'Run a program with its arguments, such as ["bash", "-lc", "ls"].',
    input: () => z.object({ command: z.array(z.string()).min(1), workdir, timeout_ms, sandbox_permissions, justification }),
    uses: ['run_command'],
    permission: 'ask',
    *run(input) {
      assertNotEscalated(input.sandbox_permissions);
      const patch = patchInWords(input.command, input.workdir);
      if (patch !== undefined) return yield* patchFiles(patch);
      return output(
        yield* runShell({ command: commandLine(input.command), cwd: input.workdir, timeoutMs: input.timeout_ms, defaultTimeoutMs: SHELL_TIMEOUT_MS }),
      );
    },
  }),
  defineDialectTool({
    name: 'shell_command',
    description: 'Run a shell command line.',
    input: () => z.object({ command: z.string(), workdir, login: z.boolean().optional(), timeout_ms, sandbox_permissions, justification }),
    uses: ['run_command'],
    permission: 'ask',
    *run(input) {
      assertNotEscalated(input.sandbox_permissions);
      const patch = patchInCommand(input.command, input.workdir);
      if (patch !== undefined) return yield* patchFiles(patch);
      return output(yield* runShell({ command: input.command, cwd: input.workdir, timeoutMs: input.timeout_ms, defaultTimeoutMs: SHELL_TIMEOUT_MS }));
    },
  }),
  defineDialectTool({
    name: 'exec_command',
    description: 'Run a shell command line to its end.',
    input: () =>
      z.object({
        cmd: z.string(),
        workdir,
        shell: z.string().optional(),
        login: z.boolean().optional(),
        tty: z.boolean().optional(),
        yield_time_ms: z.number().optional(),
        max_output_tokens: z.number().min(1).default(DEFAULT_TOKENS),
        sandbox_permissions,
        justification,
      }),
    uses: ['run_command'],
    permission: 'ask',
    *run(input) {
      assertNotEscalated(input.sandbox_permissions);
      const patch = patchInCommand(input.cmd, input.workdir);
      if (patch !== undefined) return yield* patchFiles(patch);
      const maxBytes = Math.max(256, Math.floor(input.max_output_tokens) * BYTES_PER_TOKEN);
      return output(yield* runShell({ command: input.cmd, cwd: input.workdir, defaultTimeoutMs: EXEC_TIMEOUT_MS, maxBytes }));
    },
  }),
  defineDialectTool({
    name: 'apply_patch',
    description: 'Change files by a patch of the form *** Begin Patch … *** End Patch.',
    input: () => z.object({ input: z.string().describe('The whole patch') }),
    uses: ['apply_patch'],
    permission: 'ask',
    run: ({ input }) => patchFiles(input),
  }),
  defineDialectTool({
    name: 'read_file',
    description: 'Read a text file with line numbers.',
    input: () =>
      z.object({
        file_path: z.string(),
        offset: z.int().min(1).default(1).describe('First line'),
        limit: z.int().min(1).default(2_000).describe('How many lines'),
      }),
    uses: ['read_file', 'list_directory'],
    permission: 'auto',
    run: ({ file_path: path, offset, limit }) => readOrList({ path, offset, limit, number: (number, line) => `L${number}: ${line}` }),
  }),
  defineDialectTool({
    name: 'list_dir',
    description: 'List a folder.',
    input: () =>
      z.object({
        dir_path: z.string(),
        offset: z.int().min(1).default(1).describe('First entry'),
        limit: z.int().min(1).default(DEFAULT_ENTRIES).describe('How many entries'),
        depth: z.int().min(1).max(10).default(2),
      }),
    uses: ['list_directory'],
    permission: 'auto',
    *run({ dir_path: path, offset, limit, depth }) {
      const wanted = Math.min(MAX_ENTRIES, offset - 1 + limit);
      const listed = yield* need(listDirectory, { path, depth, hidden: true, limit: wanted });
      const base = listed.data.path === '.' ? 0 : listed.data.path.length + 1;
      const mark = { directory: '/', link: '@', other: '?', file: '' };
      const shown = listed.data.entries.slice(offset - 1).map(({ path: entry, type }) => {
        const names = entry.slice(base).split('/');
        return `${'  '.repeat(names.length - 1)}${names.at(-1)}${mark[type]}\n`;
      });
      return text(`${shown.join('')}${listed.data.truncated ? `More than ${wanted} entries found\n` : ''}`);
    },
  }),
  defineDialectTool({
    name: 'grep_files',
    description: 'Find the files whose contents match a regular expression.',
    input: () =>
      z.object({
        pattern: z.string(),
        include: z.string().optional().describe('Such as *.{ts,tsx}'),
        path: z.string().optional(),
        limit: z.int().min(1).default(100),
      }),
    uses: ['search_text'],
    permission: 'auto',
    *run({ pattern, include, path, limit }) {
      const found = yield* need(searchText, {
        pattern,
        files_only: true,
        limit: Math.min(2_000, limit),
        ...(include === undefined ? {} : { glob: include }),
        ...(path === undefined ? {} : { path }),
      });
      return text(found.data.files.length === 0 ? 'No matches found.' : told(found.data.files.map((file) => `${file}\n`).join(''), found));
    },
  }),
];

export const codex: Dialect = {
  name: 'codex',
  title: 'Tools of Codex',
  version: 'names and arguments of the Codex CLI as of 2026: shell, shell_command, exec_command, apply_patch, and the experimental file tools',
  notCovered: [
    'exec_command runs to its end or 120 s: there are no sessions, so no write_stdin, no tty and no yielding',
    'apply_patch as a freeform tool is sent as its "input"',
    'sandbox_permissions "require_escalated" is refused; login and shell are ignored: commands run with /bin/sh',
    'read_file: indentation mode; update_plan, view_image, web_search, tool_search and agents',
  ],
  tools,
  unknownTool: (name) => errorAnswer(`unsupported call: ${name}`),
  invalidInput: (error) => errorAnswer(`failed to parse function arguments: ${reason(error)}`),
  failure: (error) => errorAnswer(reason(error)),
};
