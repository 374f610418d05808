import type { CallError, ErrorCode } from '@synapse/protocol';
import * as z from 'zod';
import { gitDiff } from '../tools/git-diff.ts';
import { gitStatus } from '../tools/git-status.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { porcelainText } from './porcelain.ts';
import { attempt, errorAnswer, fileText, need, reason, succeeded, text, withCutNote, WHOLE } from './steps.ts';

/** Strings of the contract. */
const ERRORS: Partial<Record<ErrorCode, string>> = {
  not_a_repository: 'Error: Not a git repository',
  not_found: 'Error: File not found',
  outside_workspace: 'Error: Security violation',
};

const failure = (error: CallError): DialectAnswer => errorAnswer(ERRORS[error.code] ?? `Error: ${reason(error)}`);

const getGitStatus = defineDialectTool({
  name: 'get_git_status',
  description: 'Show the working tree status, as git status --porcelain prints it.',
  input: () => z.object({}),
  uses: ['git_status'],
  permission: 'auto',
  *run() {
    const status = yield* need(gitStatus, {}, WHOLE);
    return text(porcelainText(status.data));
  },
});

const getDiff = defineDialectTool({
  name: 'get_diff',
  description: 'Show the changes of the working tree against HEAD, then the staged changes.',
  input: () => z.object({}),
  uses: ['git_diff'],
  permission: 'auto',
  *run() {
    const head = yield* attempt(gitDiff, { revision: 'HEAD' }, WHOLE);
    // Before the first commit, there is no HEAD to compare with.
    const changes = !head.ok && head.error.code === 'not_found' ? '' : withCutNote(succeeded(head).data.patch, succeeded(head));
    const staged = yield* need(gitDiff, { staged: true }, WHOLE);
    return text(changes + withCutNote(staged.data.patch, staged));
  },
});

const read = defineDialectTool({
  name: 'read_file',
  description: 'Read a text file of the project.',
  input: () => z.object({ path: z.string().describe('Path relative to the project') }),
  uses: ['read_file'],
  permission: 'auto',
  *run({ path }) {
    return text(yield* fileText(path));
  },
});

export const synapseReadonly: Dialect = {
  name: 'synapse-readonly',
  title: 'Synapse remote CLI, reading only',
  version: 'the names, shapes and strings of its contract',
  notCovered: [],
  tools: [getGitStatus, getDiff, read],
  unknownTool: (name) => errorAnswer(`Error: Unknown tool: ${name}`),
  invalidInput: failure,
  failure,
};
