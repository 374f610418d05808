import type { CallError } from '@synapse/protocol';
import * as z from 'zod';
import { fileInfo } from '../tools/file-info.ts';
import { gitLog } from '../tools/git-log.ts';
import { gitStatus } from '../tools/git-status.ts';
import { listDirectory } from '../tools/list-directory.ts';
import { readFile } from '../tools/read-file.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { attempt, errorAnswer, json, need, reason, succeeded, text, WHOLE } from './steps.ts';

/** Strings of the contract. */
const TOO_LARGE = 'File too large (max 1MB)';
const BINARY = 'File is binary, cannot read as text';
const DETACHED = 'DETACHED-HEAD';
const NOT_TRACKED = 'Project not tracked. Only tracked projects can be accessed.';
const GONE = 'Project no longer exists';
const LINK = 'Symlink attack detected';

const MAX_BYTES = 1024 * 1024;
const MAX_COMMITS = 50;
const DEFAULT_COMMITS = 20;
/** "A tool over 5 s gives a timeout that the model can react to." */
const TIMEOUT_MS = 5_000;

/** The dialect's messages for the reasons in `details.reason`. */
const REASONS: Readonly<Record<string, string>> = { link: LINK, workspace_gone: GONE, not_tracked: NOT_TRACKED };

function failure(error: CallError): DialectAnswer {
  const known = error.details?.['reason'];
  return errorAnswer((typeof known === 'string' ? REASONS[known] : undefined) ?? reason(error));
}

/** Returns the error for a path. An absolute path outside the workspace belongs to an untracked project. */
function pathFailure(given: string, error: CallError): DialectAnswer {
  const elsewhere = error.code === 'outside_workspace' && given.startsWith('/') && error.details?.['reason'] === undefined;
  return elsewhere ? errorAnswer(NOT_TRACKED) : failure(error);
}

const tools = [
  defineDialectTool({
    name: 'read_file',
    description: 'Read a text file of the project, up to 1 MB.',
    input: () => z.object({ path: z.string().describe('Path from the project root') }),
    uses: ['read_file', 'file_info'],
    permission: 'auto',
    timeoutMs: TIMEOUT_MS,
    *run({ path }) {
      const info = yield* attempt(fileInfo, { path });
      if (!info.ok) return pathFailure(path, info.error);
      if (info.data.type === 'file' && info.data.size > MAX_BYTES) return errorAnswer(TOO_LARGE);
      const read = yield* attempt(readFile, { path }, WHOLE);
      if (!read.ok && read.error.code === 'binary_file') return errorAnswer(BINARY);
      if (!read.ok) return pathFailure(path, read.error);
      const { size, kind, encoding, content } = read.data;
      // The size of a link's target is known only after following it.
      if (size > MAX_BYTES) return errorAnswer(TOO_LARGE);
      // In this dialect every NUL byte means binary, even in UTF-16 or far from the start.
      return kind === 'image' || encoding.startsWith('utf-16') || content.includes('\0') ? errorAnswer(BINARY) : text(content);
    },
  }),
  defineDialectTool({
    name: 'list_dir',
    description: 'List one folder of the project: folders first, then files. Hidden entries are left out.',
    input: () => z.object({ path: z.string().describe('Path from the project root; "." is the root') }),
    uses: ['list_directory'],
    permission: 'auto',
    timeoutMs: TIMEOUT_MS,
    *run({ path }) {
      const listed = yield* attempt(listDirectory, { path: path === '' ? '.' : path });
      if (!listed.ok) return pathFailure(path, listed.error);
      const { entries, total, truncated } = listed.data;
      const shown = entries.map(({ name, path: from, type, size, modified }) => ({
        name,
        path: from,
        is_dir: type === 'directory',
        size,
        modified: Math.floor(modified / 1000),
      }));
      const answer = json(shown);
      return truncated
        ? { ...answer, output: `${answer.output}\nTruncated: the first ${shown.length} of at least ${total} entries are shown.` }
        : answer;
    },
  }),
  defineDialectTool({
    name: 'git_status',
    description: 'Tell the branch of the project and what is changed and not committed.',
    input: () => z.object({}),
    uses: ['git_status'],
    permission: 'auto',
    timeoutMs: TIMEOUT_MS,
    *run() {
      const { data } = yield* need(gitStatus, {});
      const files = [...data.conflicted, ...data.staged, ...data.unstaged].map(({ path }) => path);
      return json({
        is_clean: data.is_clean,
        modified_files: [...new Set([...files, ...data.untracked])],
        branch: data.detached ? DETACHED : data.branch,
        has_remote: data.has_remote,
      });
    },
  }),
  defineDialectTool({
    name: 'git_log',
    description: 'Tell the latest commits of the project with the files they changed.',
    input: () => z.object({ limit: z.number().optional().describe(`How many; ${DEFAULT_COMMITS} if not given, ${MAX_COMMITS} at most`) }),
    uses: ['git_log'],
    permission: 'auto',
    timeoutMs: TIMEOUT_MS,
    *run({ limit = DEFAULT_COMMITS }) {
      const wanted = Math.min(MAX_COMMITS, Math.max(1, Math.floor(limit)));
      const { data } = succeeded(yield* attempt(gitLog, { limit: wanted, files: true }));
      return json(
        data.commits.map(({ sha, author, date, message, files }) => ({ sha, author, date, message, files: files.map(({ path }) => path) })),
      );
    },
  }),
];

export const ronin: Dialect = {
  name: 'ronin',
  title: 'Ronin, tracked projects',
  version: 'the names, shapes and strings of its contract',
  notCovered: ['Results of git are not cached, so that none can be stale'],
  tools,
  unknownTool: (name) => errorAnswer(`Unknown tool: ${name}`),
  invalidInput: failure,
  failure,
};
