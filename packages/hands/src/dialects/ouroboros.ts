import { SynapseError, type CallError } from '@synapse/protocol';
import * as z from 'zod';
import { readFile } from '../tools/read-file.ts';
import { runCommand } from '../tools/run-command.ts';
import { writeFile } from '../tools/write-file.ts';
import { blockedReason } from './command-blocklist.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { shellExitCode } from './exit-code.ts';
import { json, need, reason, text, told, WHOLE } from './steps.ts';

const failure = (error: CallError): DialectAnswer => json({ error: reason(error) }, true);

const tools = [
  defineDialectTool({
    name: 'shell_exec',
    description: 'Run a shell command in the workspace.',
    input: () => z.object({ command: z.string().describe('Shell command line') }),
    uses: ['run_command'],
    permission: 'auto',
    *run({ command }) {
      const blocked = blockedReason(command);
      if (blocked !== undefined) throw new SynapseError('denied', `Command blocked: it ${blocked}.`);
      const { data } = yield* need(runCommand, { command }, WHOLE);
      return json({ stdout: data.stdout, stderr: data.stderr, exit_code: shellExitCode(data), timed_out: data.timed_out });
    },
  }),
  defineDialectTool({
    name: 'file_read',
    description: 'Read a text file.',
    input: () => z.object({ path: z.string().describe('Path, relative to the workspace or absolute') }),
    uses: ['read_file'],
    permission: 'auto',
    *run({ path }) {
      const file = yield* need(readFile, { path }, WHOLE);
      return text(told(file.data.content, file));
    },
  }),
  defineDialectTool({
    name: 'file_write',
    description: 'Write a file in the workspace, replacing what it held; parent folders are created.',
    input: () => z.object({ path: z.string().describe('Path in the workspace'), content: z.string() }),
    uses: ['write_file'],
    permission: 'auto',
    *run({ path, content }) {
      const { data } = yield* need(writeFile, { path, content });
      return json({ written_bytes: data.size, path: data.path });
    },
  }),
];

export const ouroboros: Dialect = {
  name: 'ouroboros',
  title: 'Ouroboros, an autonomous harness',
  version: 'the names, shapes and strings of its contract',
  notCovered: [
    'file_read reaches outside the workspace on the command line and over MCP, unless --readable names other folders, and in the library where the hands were opened with readable: ["/"]; what usually holds secrets still asks',
    'exit_code is 124 for a command that was timed out, and 128 and the number of the signal for one that was ended',
  ],
  readable: ['/'],
  tools,
  unknownTool: (name) => json({ error: `Unknown tool: ${name}` }, true),
  invalidInput: failure,
  failure,
};
