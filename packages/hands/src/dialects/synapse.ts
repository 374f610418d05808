import type { CallError } from '@synapse/protocol';
import * as z from 'zod';
import { gitDiff } from '../tools/git-diff.ts';
import { gitStatus } from '../tools/git-status.ts';
import { runCommand } from '../tools/run-command.ts';
import { writeFile } from '../tools/write-file.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { porcelainText } from './porcelain.ts';
import { errorAnswer, fileText, need, reason, text, withCutNote, WHOLE } from './steps.ts';

const failure = (error: CallError): DialectAnswer => errorAnswer(`Error: ${reason(error)}`);
const path = z.string().describe('Path relative to the workspace');

const tools = [
  defineDialectTool({
    name: 'git_status',
    description: 'Show the working tree status, as git status --porcelain prints it.',
    input: () => z.object({}),
    uses: ['git_status'],
    permission: 'auto',
    *run() {
      const status = yield* need(gitStatus, {}, WHOLE);
      return text(porcelainText(status.data));
    },
  }),
  defineDialectTool({
    name: 'git_diff',
    description: 'Show what is changed and not staged, as git diff prints it.',
    input: () => z.object({}),
    uses: ['git_diff'],
    permission: 'auto',
    *run() {
      const diff = yield* need(gitDiff, {}, WHOLE);
      return text(withCutNote(diff.data.patch, diff));
    },
  }),
  defineDialectTool({
    name: 'read_file',
    description: 'Read a text file.',
    input: () => z.object({ path }),
    uses: ['read_file'],
    permission: 'auto',
    *run(input) {
      return text(yield* fileText(input.path));
    },
  }),
  defineDialectTool({
    name: 'write_file',
    description: 'Write a file, replacing what it held; parent folders are created.',
    input: () => z.object({ path, content: z.string().describe('The whole new text') }),
    uses: ['write_file'],
    permission: 'auto',
    *run(input) {
      const written = yield* need(writeFile, { path: input.path, content: input.content });
      return text(`Wrote ${written.data.size} bytes to ${written.data.path}`);
    },
  }),
  defineDialectTool({
    name: 'run_command',
    description: 'Run a shell command in the workspace. Gives its stdout, or its stderr where it fails.',
    input: () => z.object({ command: z.string().describe('Shell command line') }),
    uses: ['run_command'],
    permission: 'auto',
    *run({ command }) {
      const ran = yield* need(runCommand, { command }, WHOLE);
      const { exit_code: code, timed_out: timedOut, stdout, stderr } = ran.data;
      if (code === 0) return text(stdout);
      const end = timedOut ? 'The command timed out.' : `The command failed with exit code ${code ?? 'none'}.`;
      // Without this, a failure with empty stderr looks like a success without output.
      return errorAnswer(timedOut ? `${stderr}${end}` : stderr || stdout || end);
    },
  }),
];

export const synapse: Dialect = {
  name: 'synapse',
  title: 'Synapse remote CLI, local execution layer',
  version: 'the names, shapes and strings of its contract',
  notCovered: [],
  tools,
  unknownTool: (name) => errorAnswer(`Error: Unknown tool: ${name}`),
  invalidInput: failure,
  failure,
};
