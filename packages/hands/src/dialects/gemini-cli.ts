import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { findFiles } from '../tools/find-files.ts';
import { jobTool } from '../tools/job.ts';
import { listDirectory } from '../tools/list-directory.ts';
import { searchText } from '../tools/search-text.ts';
import { defineDialectTool, type Dialect } from './dialect.ts';
import { jobNumber, jobOfNumber, readJob, startJob } from './job-steps.ts';
import { errorAnswer, need, reason, text, withCutNote } from './steps.ts';
import { endingLine, readOrList, replaceText, runShell, writeText } from './trained-steps.ts';

/** Total milliseconds of a command. Gemini CLI allows five minutes without output. */
const SHELL_TIMEOUT_MS = 300_000;
/** Default number of lines shown of a background process. */
const BACKGROUND_LINES = 100;
const MAX_CONTEXT = 10;
const MAX_MATCHES = 2_000;

const file_path = z.string().describe('Path of the file');
const dir_path = z.string().describe('Path of the folder');

const tools = [
  defineDialectTool({
    name: 'list_directory',
    description: 'List the names in a folder.',
    input: () => z.object({ dir_path, ignore: z.array(z.string()).optional() }),
    uses: ['list_directory'],
    permission: 'auto',
    *run({ dir_path: path, ignore = [] }) {
      const listed = yield* need(listDirectory, { path, hidden: true });
      const left = listed.data.entries.filter(({ name }) => !ignore.includes(name));
      const lines = left.map(({ name, type, size }) => (type === 'directory' ? `[DIR] ${name}\n` : `${name} (${size} bytes)\n`));
      return text(withCutNote(lines.length === 0 ? `Directory ${path} is empty.` : `Directory listing for ${path}:\n${lines.join('')}`, listed));
    },
  }),
  defineDialectTool({
    name: 'read_file',
    description: 'Read a text file or an image.',
    input: () => z.object({ file_path, start_line: z.int().min(1).optional(), end_line: z.int().min(1).optional() }),
    uses: ['read_file', 'list_directory'],
    permission: 'auto',
    *run({ file_path: path, start_line: first = 1, end_line: last }) {
      if (last !== undefined && last < first) throw new SynapseError('invalid_arguments', 'end_line: must not be before start_line.');
      return yield* readOrList({ path, offset: first, limit: last === undefined ? undefined : last - first + 1 });
    },
  }),
  defineDialectTool({
    name: 'write_file',
    description: 'Write a file, replacing what it held.',
    input: () => z.object({ file_path, content: z.string() }),
    uses: ['write_file'],
    permission: 'ask',
    run: ({ file_path: path, content }) => writeText(path, content),
  }),
  defineDialectTool({
    name: 'replace',
    description: 'Replace a text in a file. It must be unique, or allow_multiple be set.',
    input: () =>
      z.object({
        file_path,
        instruction: z.string().optional().describe('What the change is for'),
        old_string: z.string(),
        new_string: z.string(),
        allow_multiple: z.boolean().default(false),
      }),
    uses: ['edit_file', 'file_info', 'write_file'],
    permission: 'ask',
    run: (input) => replaceText(input.file_path, input.old_string, input.new_string, input.allow_multiple),
  }),
  defineDialectTool({
    name: 'glob',
    description: 'Find files by pattern, newest first.',
    input: () =>
      z.object({
        pattern: z.string(),
        dir_path: dir_path.optional(),
        case_sensitive: z.boolean().optional(),
        respect_git_ignore: z.boolean().default(true),
      }),
    uses: ['find_files'],
    permission: 'auto',
    *run({ pattern, dir_path: path, respect_git_ignore: ignore }) {
      const found = yield* need(findFiles, { glob: pattern, ignore, ...(path === undefined ? {} : { path }) });
      const { files } = found.data;
      if (files.length === 0) return text(`No files found matching pattern "${pattern}"`);
      return text(
        withCutNote(`Found ${files.length} file(s) matching "${pattern}", newest first:\n${files.map((file) => `${file.path}\n`).join('')}`, found),
      );
    },
  }),
  defineDialectTool({
    name: 'grep_search',
    description: 'Search file contents by regular expression.',
    input: () =>
      z.object({
        pattern: z.string(),
        dir_path: dir_path.optional(),
        include_pattern: z.string().optional(),
        exclude_pattern: z.string().optional().describe('Regular expression of lines to leave out'),
        names_only: z.boolean().default(false),
        case_sensitive: z.boolean().default(false),
        fixed_strings: z.boolean().default(false),
        context: z.int().min(0).optional(),
        before: z.int().min(0).optional(),
        after: z.int().min(0).optional(),
        no_ignore: z.boolean().default(false),
        max_matches_per_file: z.int().min(1).max(MAX_MATCHES).optional(),
        total_max_matches: z.int().min(1).max(MAX_MATCHES).default(100),
      }),
    uses: ['search_text'],
    permission: 'auto',
    *run(input) {
      if (input.exclude_pattern !== undefined) {
        throw new SynapseError('unavailable', 'exclude_pattern is not available here; nothing was searched.', {
          hint: 'Leave it out, and make the pattern narrower.',
        });
      }
      const found = yield* need(searchText, {
        pattern: input.pattern,
        literal: input.fixed_strings,
        case: input.case_sensitive ? 'sensitive' : 'insensitive',
        files_only: input.names_only,
        context: Math.min(MAX_CONTEXT, Math.max(input.context ?? 0, input.before ?? 0, input.after ?? 0)),
        ignore: !input.no_ignore,
        limit: input.total_max_matches,
        ...(input.max_matches_per_file === undefined ? {} : { per_file: input.max_matches_per_file }),
        ...(input.dir_path === undefined ? {} : { path: input.dir_path }),
        ...(input.include_pattern === undefined ? {} : { glob: input.include_pattern }),
      });
      const { matches, files } = found.data;
      const place = `for pattern "${input.pattern}"`;
      if (files.length === 0) return text(`No matches found ${place}.`);
      if (input.names_only)
        return text(withCutNote(`Found ${files.length} files with matches ${place}:\n${files.map((file) => `${file}\n`).join('')}`, found));
      const shown = Array.from(
        Map.groupBy(matches, ({ path }) => path),
        ([path, own]) => {
          const lines = own.flatMap(({ line, text: match, before = [], after = [] }) => [
            ...before.map((near) => `L${near.line}- ${near.text}\n`),
            `L${line}: ${match}\n`,
            ...after.map((near) => `L${near.line}- ${near.text}\n`),
          ]);
          return `---\nFile: ${path}\n${lines.join('')}`;
        },
      );
      return text(withCutNote(`Found ${matches.length} matches ${place}:\n${shown.join('')}---\n`, found));
    },
  }),
  defineDialectTool({
    name: 'run_shell_command',
    description: 'Run a shell command.',
    input: () =>
      z.object({
        command: z.string(),
        description: z.string().optional().describe('What it does, in a few words'),
        dir_path: dir_path.optional(),
        is_background: z.boolean().optional(),
      }),
    uses: ['run_command'],
    permission: 'ask',
    *run({ command, dir_path: cwd, is_background }) {
      const ran = is_background === true ? yield* startJob(command, cwd) : yield* runShell({ command, cwd, defaultTimeoutMs: SHELL_TIMEOUT_MS });
      if (ran.data.job !== null) {
        const said = ran.data.output === '' ? '' : ` Output so far: ${ran.data.output.trimEnd()}`;
        return text(`Command moved to background (PID: ${jobNumber(ran.data.job.id)}). read_background_output shows what it says.${said}`);
      }
      const { output, exit_code: code, signal } = ran.data;
      const facts = [
        `Output: ${output === '' ? '(empty)' : output.trimEnd()}`,
        ...(code === null || code === 0 ? [] : [`Exit Code: ${code}`]),
        ...(signal === null ? [] : [`Signal: ${signal}`]),
        ...(ran.data.timed_out ? [endingLine(ran)] : []),
      ];
      return { ...text(facts.join('\n')), isError: code !== 0 };
    },
  }),
  defineDialectTool({
    name: 'list_background_processes',
    description: 'List the background processes of this session.',
    input: () => z.object({}),
    uses: ['job'],
    permission: 'auto',
    *run() {
      const { data } = yield* need(jobTool, { action: 'list' });
      if (data.jobs.length === 0) return text('No background processes found.');
      const state = (job: (typeof data.jobs)[number]): string =>
        job.status === 'ended' ? `EXITED: \`${job.command}\` (${job.ending})` : `RUNNING: \`${job.command}\``;
      return text(data.jobs.map((job) => `- [PID ${jobNumber(job.id)}] ${state(job)}`).join('\n'));
    },
  }),
  defineDialectTool({
    name: 'read_background_output',
    description: 'Read the last lines of a background process.',
    input: () =>
      z.object({
        pid: z.number(),
        lines: z.int().min(1).max(10_000).default(BACKGROUND_LINES),
        delay_ms: z.number().optional().describe('Milliseconds to wait first, for output to come'),
      }),
    uses: ['job'],
    permission: 'auto',
    *run({ pid, lines, delay_ms: delay = 0 }) {
      const job = yield* readJob(jobOfNumber(pid), delay, lines);
      return text(job.said === '' ? 'Log is empty.' : job.said);
    },
  }),
];

export const geminiCli: Dialect = {
  name: 'gemini-cli',
  title: 'Tools of Gemini CLI',
  version: 'names and arguments of Gemini CLI 0.61',
  notCovered: [
    'Paths are given from the workspace, not absolute',
    'grep_search: exclude_pattern; context up to 10 lines, the same before and after',
    'glob: case_sensitive is ignored, and the case of names counts; list_directory: ignore takes names, not globs',
    'run_shell_command: additional_permissions; a PID is the number of a background command, which kill does not know',
    'read_many_files, web_fetch, google_web_search, save_memory, write_todos, ask_user, activate_skill, plan mode',
  ],
  jobs: true,
  tools,
  unknownTool: (name) => errorAnswer(`Tool "${name}" not found in registry.`),
  invalidInput: (error) => errorAnswer(`Error: Invalid parameters provided. Reason: ${reason(error)}`),
  failure: (error) => errorAnswer(`Error: ${reason(error)}`),
};
