import * as z from 'zod';
import { fetchUrl } from '../tools/fetch-url.ts';
import { listDirectory } from '../tools/list-directory.ts';
import { searchText } from '../tools/search-text.ts';
import { defineDialectTool, type Dialect } from './dialect.ts';
import { bodyText, errorAnswer, need, reason, text, withCutNote } from './steps.ts';
import { listFiles, patchFiles, readOrList, replaceText, runShell, shellAnswer, writeText } from './trained-steps.ts';

const BASH_TIMEOUT_MS = 120_000;

const filePath = z.string().describe('Path of the file');
const below = z.string().optional().describe('Folder to search in');

const tools = [
  defineDialectTool({
    name: 'read',
    description: 'Read a text file or an image with line numbers, or list a folder.',
    input: () =>
      z.object({
        filePath,
        offset: z.int().min(0).optional().describe('First line, from 1'),
        limit: z.int().min(1).optional().describe('How many lines'),
      }),
    uses: ['read_file', 'list_directory'],
    permission: 'auto',
    run: ({ filePath: path, offset, limit }) =>
      readOrList({ path, offset: offset === 0 ? 1 : offset, limit, number: (number, line) => `${number}: ${line}` }),
  }),
  defineDialectTool({
    name: 'write',
    description: 'Write a file, replacing what it held.',
    input: () => z.object({ filePath, content: z.string() }),
    uses: ['write_file'],
    permission: 'ask',
    run: ({ filePath: path, content }) => writeText(path, content),
  }),
  defineDialectTool({
    name: 'edit',
    description: 'Replace a text in a file. It must be unique, or replaceAll be set.',
    input: () => z.object({ filePath, oldString: z.string(), newString: z.string(), replaceAll: z.boolean().default(false) }),
    uses: ['edit_file', 'file_info', 'write_file'],
    permission: 'ask',
    run: (input) => replaceText(input.filePath, input.oldString, input.newString, input.replaceAll),
  }),
  defineDialectTool({
    name: 'apply_patch',
    description: 'Change files by a patch of the form *** Begin Patch … *** End Patch.',
    input: () => z.object({ patchText: z.string().describe('The whole patch') }),
    uses: ['apply_patch'],
    permission: 'ask',
    run: ({ patchText }) => patchFiles(patchText),
  }),
  defineDialectTool({
    name: 'grep',
    description: 'Search file contents by regular expression.',
    input: () => z.object({ pattern: z.string(), path: below, include: z.string().optional().describe('Such as *.{ts,tsx}') }),
    uses: ['search_text'],
    permission: 'auto',
    *run({ pattern, path, include }) {
      const found = yield* need(searchText, {
        pattern,
        ...(path === undefined ? {} : { path }),
        ...(include === undefined ? {} : { glob: include }),
      });
      const { matches } = found.data;
      if (matches.length === 0) return text('No files found');
      const shown = Array.from(
        Map.groupBy(matches, (match) => match.path),
        ([file, own]) => `\n${file}:\n${own.map((match) => `  Line ${match.line}: ${match.text}\n`).join('')}`,
      );
      return text(withCutNote(`Found ${matches.length} matches\n${shown.join('')}`, found));
    },
  }),
  defineDialectTool({
    name: 'glob',
    description: 'Find files by pattern, newest first.',
    input: () => z.object({ pattern: z.string(), path: below }),
    uses: ['find_files'],
    permission: 'auto',
    run: ({ pattern, path }) => listFiles(pattern, path),
  }),
  defineDialectTool({
    name: 'list',
    description: 'List a folder.',
    input: () => z.object({ path: z.string().default('.'), ignore: z.array(z.string()).optional() }),
    uses: ['list_directory'],
    permission: 'auto',
    *run({ path }) {
      const listed = yield* need(listDirectory, { path, depth: 2 });
      return text(withCutNote(`${bodyText(listed)}\n`, listed));
    },
  }),
  defineDialectTool({
    name: 'bash',
    description: 'Run a shell command in the workspace.',
    input: () =>
      z.object({
        command: z.string(),
        timeout: z.number().optional().describe('Milliseconds'),
        workdir: z.string().optional().describe('Folder to run in'),
        description: z.string().optional().describe('What it does, in a few words'),
      }),
    uses: ['run_command'],
    permission: 'ask',
    *run({ command, timeout, workdir }) {
      return shellAnswer(yield* runShell({ command, cwd: workdir, timeoutMs: timeout, defaultTimeoutMs: BASH_TIMEOUT_MS }));
    },
  }),
  defineDialectTool({
    name: 'webfetch',
    description: 'Fetch a page.',
    input: () =>
      z.object({
        url: z.string(),
        format: z.enum(['text', 'markdown', 'html']).default('markdown'),
        timeout: z.number().optional().describe('Seconds'),
      }),
    uses: ['fetch_url'],
    permission: 'ask',
    *run({ url, format }) {
      return text((yield* need(fetchUrl, { url, format })).output);
    },
  }),
];

export const opencode: Dialect = {
  name: 'opencode',
  title: 'Tools of opencode',
  version: 'names and arguments of opencode 1.18',
  notCovered: [
    'list: ignore; two levels are shown',
    'read: PDF; diagnostics after an edit',
    'webfetch: timeout, which is 30 s',
    'websearch, task, todowrite, todoread, question, skill, lsp, batch',
  ],
  tools,
  unknownTool: (name, error) => errorAnswer(`The arguments provided to the tool are invalid: Unknown tool ${name}. ${error.hint ?? ''}`.trimEnd()),
  invalidInput: (error) => errorAnswer(`The arguments provided to the tool are invalid: ${reason(error)}`),
  failure: (error) => errorAnswer(reason(error)),
};
