import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { fetchUrl } from '../tools/fetch-url.ts';
import { searchText } from '../tools/search-text.ts';
import { linePattern } from '../jobs/line-pattern.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { actOnJob, readJob, startJob, type KnownJob, type RanCommand } from './job-steps.ts';
import { matchLines } from './match-lines.ts';
import { errorAnswer, json, need, reason, text, withCutNote } from './steps.ts';
import { listFiles, readOrList, replaceText, runShell, shellAnswer, writeText } from './trained-steps.ts';

const BASH_TIMEOUT_MS = 120_000;
const BASH_MAX_TIMEOUT_MS = 600_000;
const HEAD_LIMIT = 250;
/** Limits of the canonical tool. */
const MAX_MATCHES = 2_000;
const MAX_CONTEXT = 10;

/** The most common file types of ripgrep, by file extension. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  c: ['c', 'h'],
  cpp: ['cc', 'cpp', 'cxx', 'hh', 'hpp', 'hxx', 'h', 'inl'],
  cs: ['cs'],
  css: ['css', 'scss'],
  go: ['go'],
  html: ['html', 'htm'],
  java: ['java'],
  js: ['js', 'jsx', 'mjs', 'cjs', 'vue'],
  json: ['json'],
  kotlin: ['kt', 'kts'],
  lua: ['lua'],
  md: ['md', 'mdx', 'markdown'],
  php: ['php'],
  py: ['py', 'pyi'],
  ruby: ['rb', 'gemspec'],
  rust: ['rs'],
  sh: ['sh', 'bash', 'zsh'],
  sql: ['sql'],
  swift: ['swift'],
  toml: ['toml'],
  ts: ['ts', 'tsx', 'mts', 'cts'],
  xml: ['xml'],
  yaml: ['yaml', 'yml'],
};

function endsOf(type: string): readonly string[] {
  const ends = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (ends !== undefined) return ends;
  throw new SynapseError('invalid_arguments', `type: ${JSON.stringify(type.slice(0, 20))} is not known.`, {
    hint: `Give a glob, or one of ${Object.keys(TYPES).join(', ')}.`,
  });
}

function unavailable(what: string, hint: string): never {
  throw new SynapseError('unavailable', `${what} is not available here; nothing was done.`, { hint });
}

/** Milliseconds to wait for a task. */
const TASK_TIMEOUT_MS = 30_000;

function taskId(id: string | undefined): string {
  if (id !== undefined) return id;
  throw new SynapseError('invalid_arguments', 'task_id: missing.', { hint: 'Give the ID that Bash with run_in_background answered.' });
}

function started(ran: RanCommand): DialectAnswer {
  const { job, output } = ran.data;
  if (job === null) return shellAnswer(ran);
  const said = output === '' ? '' : `\nOutput so far:\n${output}`;
  return text(`Command running in background with ID: ${job.id}. TaskOutput reads its output, TaskStop ends it.${said}`);
}

function statusOf({ status, exit_code: code, ending }: KnownJob): string {
  if (status !== 'ended') return 'running';
  if (code === 0) return 'completed';
  return ending?.startsWith('exit code') === true ? 'failed' : 'killed';
}

const matchingLines = (said: string, filter: string): string => linePattern('filter', filter)(said.split('\n')).join('\n');

const file_path = z.string().describe('Path of the file');

const tools = [
  defineDialectTool({
    name: 'Read',
    description: 'Read a text file or an image. Lines are numbered.',
    input: () =>
      z.object({
        file_path,
        offset: z.int().min(0).optional().describe('First line'),
        limit: z.int().min(1).optional().describe('How many lines'),
      }),
    uses: ['read_file', 'list_directory'],
    permission: 'auto',
    run: ({ file_path: path, offset, limit }) =>
      readOrList({ path, offset: offset === 0 ? 1 : offset, limit, number: (number, line) => `${String(number).padStart(6)}\t${line}` }),
  }),
  defineDialectTool({
    name: 'Write',
    description: 'Write a file, replacing what it held.',
    input: () => z.object({ file_path, content: z.string() }),
    uses: ['write_file'],
    permission: 'ask',
    run: ({ file_path: path, content }) => writeText(path, content),
  }),
  defineDialectTool({
    name: 'Edit',
    description: 'Replace a text in a file. It must be unique, or replace_all be set.',
    input: () => z.object({ file_path, old_string: z.string(), new_string: z.string(), replace_all: z.boolean().default(false) }),
    uses: ['edit_file', 'file_info', 'write_file'],
    permission: 'ask',
    run: (input) => replaceText(input.file_path, input.old_string, input.new_string, input.replace_all),
  }),
  defineDialectTool({
    name: 'Glob',
    description: 'Find files by pattern, newest first.',
    input: () => z.object({ pattern: z.string(), path: z.string().optional().describe('Folder to search in') }),
    uses: ['find_files'],
    permission: 'auto',
    run: ({ pattern, path }) => listFiles(pattern, path),
  }),
  defineDialectTool({
    name: 'Grep',
    description: 'Search file contents by regular expression.',
    input: () =>
      z.object({
        pattern: z.string(),
        path: z.string().optional().describe('File or folder'),
        glob: z.string().optional(),
        type: z.string().optional().describe('File type, such as js, py, rust'),
        output_mode: z.enum(['content', 'files_with_matches', 'count']).default('files_with_matches'),
        '-A': z.int().min(0).optional(),
        '-B': z.int().min(0).optional(),
        '-C': z.int().min(0).optional(),
        context: z.int().min(0).optional(),
        '-n': z.boolean().default(true),
        '-i': z.boolean().default(false),
        head_limit: z.int().min(0).default(HEAD_LIMIT).describe('0: as many as there are'),
        offset: z.int().min(0).default(0),
        multiline: z.boolean().default(false),
      }),
    uses: ['search_text'],
    permission: 'auto',
    *run(input) {
      if (input.multiline) unavailable('A search over several lines', 'Search for what is in one line, with context.');
      const mode = input.output_mode;
      const around = Math.max(...[input['-A'], input['-B'], input['-C'], input.context].map((lines) => lines ?? 0));
      const ends = input.type === undefined ? undefined : endsOf(input.type);
      const glob = input.glob ?? (ends === undefined ? undefined : `*.{${ends.join(',')}}`);
      const found = yield* need(searchText, {
        pattern: input.pattern,
        case: input['-i'] ? 'insensitive' : 'sensitive',
        files_only: mode === 'files_with_matches',
        context: mode === 'content' ? Math.min(MAX_CONTEXT, around) : 0,
        limit: MAX_MATCHES,
        ...(input.path === undefined ? {} : { path: input.path }),
        ...(glob === undefined ? {} : { glob }),
      });
      // Globs are alternatives; a type is an additional condition.
      const fits = (path: string): boolean => ends === undefined || ends.some((end) => path.endsWith(`.${end}`));
      const matches = found.data.matches.filter(({ path }) => fits(path));
      const files = found.data.files.filter(fits);
      const counts = Map.groupBy(matches, ({ path }) => path);
      const lines = {
        content: () => matchLines(matches, { numbers: input['-n'] }).trimEnd().split('\n'),
        files_with_matches: () => [...files],
        count: () => Array.from(counts, ([path, own]) => `${path}:${own.length}`),
      }[mode]();
      if (files.length === 0) return text('No matches found');
      const end = input.head_limit === 0 ? lines.length : input.offset + input.head_limit;
      const left = Math.max(0, lines.length - end);
      const shown = lines
        .slice(input.offset, end)
        .map((line) => `${line}\n`)
        .join('');
      return text(withCutNote(left === 0 ? shown : `${shown}[${left} more lines: raise head_limit or offset]\n`, found));
    },
  }),
  defineDialectTool({
    name: 'Bash',
    description: 'Run a shell command in the workspace.',
    input: () =>
      z.object({
        command: z.string(),
        timeout: z.number().optional().describe(`Milliseconds, at most ${BASH_MAX_TIMEOUT_MS}`),
        description: z.string().optional().describe('What it does, in a few words'),
        run_in_background: z.boolean().optional(),
      }),
    uses: ['run_command'],
    permission: 'ask',
    *run({ command, timeout, run_in_background }) {
      if (run_in_background === true) return started(yield* startJob(command));
      return shellAnswer(yield* runShell({ command, timeoutMs: timeout, defaultTimeoutMs: BASH_TIMEOUT_MS, maxTimeoutMs: BASH_MAX_TIMEOUT_MS }));
    },
  }),
  defineDialectTool({
    name: 'TaskOutput',
    olderNames: ['BashOutput', 'AgentOutputTool'],
    description: 'Read what a background command said since it was last read.',
    input: () =>
      z.object({
        task_id: z.string().optional(),
        bash_id: z.string().optional().describe('As task_id'),
        block: z.boolean().optional().describe('Wait until it ends'),
        timeout: z.number().default(TASK_TIMEOUT_MS).describe('Milliseconds to wait'),
        filter: z.string().optional().describe('Only lines that match this regular expression'),
      }),
    uses: ['job'],
    permission: 'auto',
    *run({ task_id: id, bash_id: older, block = older === undefined, timeout, filter }) {
      const job = yield* readJob(taskId(id ?? older), block ? timeout : 0);
      const shown = filter === undefined ? job.said : matchingLines(job.said, filter);
      const retrieval = job.status === 'ended' ? 'success' : block ? 'timeout' : 'not_ready';
      const facts: ReadonlyArray<readonly [string, string | number | undefined]> = [
        ['retrieval_status', retrieval],
        ['task_id', job.id],
        ['task_type', 'local_bash'],
        ['status', statusOf(job)],
        ['exit_code', job.exit_code ?? undefined],
        ['output', shown === '' ? undefined : `\n${shown.trimEnd()}\n`],
      ];
      return text(facts.flatMap(([name, value]) => (value === undefined ? [] : [`<${name}>${value}</${name}>`])).join('\n\n'));
    },
  }),
  defineDialectTool({
    name: 'TaskStop',
    olderNames: ['KillShell', 'KillBash'],
    description: 'End a background command.',
    input: () => z.object({ task_id: z.string().optional(), shell_id: z.string().optional().describe('As task_id') }),
    uses: ['job'],
    permission: 'auto',
    *run({ task_id: id, shell_id: older }) {
      const job = yield* actOnJob({ action: 'stop', id: taskId(id ?? older) });
      return json({
        message: `Successfully stopped task: ${job.id} (${job.command})`,
        task_id: job.id,
        task_type: 'local_bash',
        command: job.command,
      });
    },
  }),
  defineDialectTool({
    name: 'WebFetch',
    description: 'Fetch a page as Markdown.',
    input: () => z.object({ url: z.string(), prompt: z.string().optional().describe('What to look for in the page') }),
    uses: ['fetch_url'],
    permission: 'ask',
    *run({ url }) {
      return text((yield* need(fetchUrl, { url })).output);
    },
  }),
];

export const claudeCode: Dialect = {
  name: 'claude-code',
  title: 'Tools of Claude Code',
  version: 'names and arguments of @anthropic-ai/claude-agent-sdk 0.3.329',
  notCovered: [
    'Read: pages of PDF and notebooks; a file may be edited without having been read, since edits carry their own checks',
    'Grep: multiline, -o; -A and -B are both taken as context; -C up to 10',
    'Bash: a shell that lasts; a command that passes its timeout is ended, and does not go on in the background',
    'TaskOutput and TaskStop: of background commands only',
    'WebFetch: prompt, which a second model would apply; the page itself is given',
    'NotebookEdit, WebSearch, TodoWrite, TaskCreate, TaskGet, TaskList, TaskUpdate, Agent, AskUserQuestion, ExitPlanMode; LS and MultiEdit, which are gone',
  ],
  jobs: true,
  tools,
  unknownTool: (name) => errorAnswer(`Error: No such tool available: ${name}`),
  invalidInput: (error) => errorAnswer(`Error: ${reason(error)}`),
  failure: (error) => errorAnswer(`Error: ${reason(error)}`),
};
