import { SynapseError, type CallSuccess } from '@synapse/protocol';
import * as z from 'zod';
import { listDirectory } from '../tools/list-directory.ts';
import type { runCommand } from '../tools/run-command.ts';
import { searchText } from '../tools/search-text.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { shellExitCode } from './exit-code.ts';
import { patchInCommand, patchInWords } from './patch-command.ts';
import { commandLine } from '../text/shell-words.ts';
import { errorAnswer, need, reason, text, withCutNote } from './steps.ts';
import { actOnJob, jobNumber, jobOfNumber, readJob, startJob, type KnownJob } from './job-steps.ts';
import { patchFiles, readOrList, runShell } from './trained-steps.ts';

const SHELL_TIMEOUT_MS = 10_000;
/** Milliseconds until a command is ended. In Codex, a session that yields is not ended. */
const EXEC_TIMEOUT_MS = 3_600_000;
/** Minimum, maximum and default wait for output, in milliseconds. */
const [MIN_YIELD_MS, MAX_YIELD_MS, YIELD_MS] = [250, 30_000, 10_000];
/** Maximum wait in milliseconds if no input is written. */
const MAX_POLL_MS = 300_000;
/** Approximate bytes per token of output. */
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

/** Formats the output of a command that yielded, or of a running session. */
function sessionOutput({ id, said, ending, exit_code: code, running_ms: ms, status }: KnownJob): DialectAnswer {
  const state =
    status === 'ended' ? `Process exited with code ${code ?? (ending === null ? 0 : 1)}` : `Process running with session ID ${jobNumber(id)}`;
  return text(`Wall time: ${(ms / 1000).toFixed(1)} seconds\n${state}\nOutput:\n${said}`);
}

/** Returns the time to wait for output, within the limits of Codex. */
const yieldTime = (given: number | undefined, most = MAX_YIELD_MS): number => Math.min(most, Math.max(MIN_YIELD_MS, given ?? YIELD_MS));

/** Ctrl-C. A terminal turns it into a signal; a job without a terminal gets the signal directly. */
const INTERRUPT = '\u0003';

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
    description: 'Run a shell command line. One that takes longer than yield_time_ms goes on with a session ID for write_stdin.',
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
      const yieldMs = yieldTime(input.yield_time_ms);
      if (input.tty === true) {
        const ran = yield* startJob(input.cmd, input.workdir, true);
        if (ran.data.job === null) return output(ran);
        const job = yield* readJob(ran.data.job.id, yieldMs);
        return sessionOutput({ ...job, said: `${ran.data.output}${job.said}` });
      }
      const ran = yield* runShell({ command: input.cmd, cwd: input.workdir, defaultTimeoutMs: EXEC_TIMEOUT_MS, yieldMs, maxBytes });
      if (ran.data.job === null) return output(ran);
      const seconds = (ran.data.duration_ms / 1000).toFixed(1);
      return text(`Wall time: ${seconds} seconds\nProcess running with session ID ${jobNumber(ran.data.job.id)}\nOutput:\n${ran.data.output}`);
    },
  }),
  defineDialectTool({
    name: 'write_stdin',
    description: 'Write to a session of exec_command, or with empty chars read what it said.',
    input: () =>
      z.object({
        session_id: z.number(),
        chars: z.string().default(''),
        yield_time_ms: z.number().optional(),
        max_output_tokens: z.number().min(1).optional(),
      }),
    uses: ['job'],
    permission: 'ask',
    *run({ session_id: session, chars, yield_time_ms: time }) {
      const id = jobOfNumber(session);
      if (chars === '') return sessionOutput(yield* readJob(id, yieldTime(time, MAX_POLL_MS)));
      const isInterrupt = chars === INTERRUPT;
      const sent = yield* actOnJob(isInterrupt ? { action: 'signal', id, signal: 'INT' } : { action: 'input', id, text: chars });
      const after = sent.status === 'ended' ? sent : yield* readJob(id, yieldTime(time));
      return sessionOutput({ ...after, said: after === sent ? sent.said : `${isInterrupt ? '' : sent.said}${after.said}` });
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
      return text(found.data.files.length === 0 ? 'No matches found.' : withCutNote(found.data.files.map((file) => `${file}\n`).join(''), found));
    },
  }),
];

export const codex: Dialect = {
  name: 'codex',
  title: 'Tools of Codex',
  version: 'names and arguments of the Codex CLI as of 2026: shell, shell_command, exec_command, apply_patch, and the experimental file tools',
  notCovered: [
    'exec_command: a session ends after an hour; one without tty has no input, and what it changes is applied when it ends; servers want tty',
    'write_stdin: max_output_tokens is ignored; chars are whole lines',
    'apply_patch as a freeform tool is sent as its "input"',
    'sandbox_permissions "require_escalated" is refused; login and shell are ignored: commands run with bash, or with sh where there is none',
    'read_file: indentation mode; update_plan, view_image, web_search, tool_search and agents',
  ],
  jobs: true,
  tools,
  unknownTool: (name) => errorAnswer(`unsupported call: ${name}`),
  invalidInput: (error) => errorAnswer(`failed to parse function arguments: ${reason(error)}`),
  failure: (error) => errorAnswer(reason(error)),
};
