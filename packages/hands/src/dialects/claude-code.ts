import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { fetchUrl } from '../tools/fetch-url.ts';
import { findFiles } from '../tools/find-files.ts';
import { searchText } from '../tools/search-text.ts';
import { defineDialectTool, type Dialect } from './dialect.ts';
import { matchLines } from './match-lines.ts';
import { errorAnswer, need, reason, text, told } from './steps.ts';
import { readOrList, replaceText, runShell, shellAnswer, writeText } from './trained-steps.ts';

const BASH_TIMEOUT_MS = 120_000;
const BASH_MAX_TIMEOUT_MS = 600_000;
const HEAD_LIMIT = 250;
/** Canonical bounds. */
const MAX_MATCHES = 2_000;
const MAX_CONTEXT = 10;

/** The commonest of ripgrep's file types, by the ends of names. */
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
    *run({ pattern, path }) {
      const found = yield* need(findFiles, { glob: pattern, ...(path === undefined ? {} : { path }) });
      if (found.data.files.length === 0) return text('No files found');
      return text(told(found.data.files.map((file) => `${file.path}\n`).join(''), found));
    },
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
      if (input.multiline) unavailable('A search over several lines', 'Search for what stands in one line, with context.');
      const mode = input.output_mode;
      const around = Math.max(input['-A'] ?? 0, input['-B'] ?? 0, input['-C'] ?? 0, input.context ?? 0);
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
      // Globs are alternatives to each other, and a type is a condition beside them.
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
      return text(told(left === 0 ? shown : `${shown}[${left} more lines: raise head_limit or offset]\n`, found));
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
      if (run_in_background === true) unavailable('Running in the background', 'Run it with a timeout instead.');
      return shellAnswer(yield* runShell({ command, timeoutMs: timeout, defaultTimeoutMs: BASH_TIMEOUT_MS, maxTimeoutMs: BASH_MAX_TIMEOUT_MS }));
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
    'Bash: run_in_background, and a shell that lasts',
    'WebFetch: prompt, which a second model would apply; the page itself is given',
    'NotebookEdit, WebSearch, TodoWrite, Task*, Agent, AskUserQuestion, ExitPlanMode; LS and MultiEdit, which are gone',
  ],
  tools,
  unknownTool: (name) => errorAnswer(`Error: No such tool available: ${name}`),
  invalidInput: (error) => errorAnswer(`Error: ${reason(error)}`),
  failure: (error) => errorAnswer(`Error: ${reason(error)}`),
};
