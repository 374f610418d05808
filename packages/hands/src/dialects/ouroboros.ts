import { type CallError, SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { runCommand } from '../tools/run-command.ts';
import { writeFile } from '../tools/write-file.ts';
import { defineDialectTool, type Dialect, type DialectAnswer } from './dialect.ts';
import { shellExitCode } from './exit-code.ts';
import { fileText, json, need, reason, text, WHOLE } from './steps.ts';

/** A command that destroys a machine or its data, and what it would do. */
interface BlockedCommand {
  readonly pattern: RegExp;
  readonly what: string;
}

/** The start of a command: at the beginning, after an operator, or after a program that runs another one. */
const START = String.raw`(?:^|[;&|(\x60\n{]|\$\(|\b(?:sudo|doas|exec|nohup|env|time|nice|xargs|command|then|do|else)\s)\s*`;
const at = (command: string): RegExp => new RegExp(START + command, 'u');

/**
 * Catches accidents. Not a security boundary: a command can be written in endless ways. The boundary is the sandbox and
 * the policy.
 */
const BLOCKED: readonly BlockedCommand[] = [
  {
    pattern: at(
      String.raw`rm\s+(?=(?:\S+\s+)*-\S*[rR]|(?:\S+\s+)*--recursive)(?:-\S+\s+)*["']?(?:/|~|\$HOME|\$\{HOME\})["']?(?:/?\*)?\s*(?:$|[;&|)\n}])`,
    ),
    what: 'deletes the whole disk or the home folder',
  },
  { pattern: at(String.raw`rm\s.*--no-preserve-root`), what: 'deletes the whole disk' },
  { pattern: at(String.raw`mkfs(?:\.\w+)?\s`), what: 'formats a disk' },
  { pattern: at(String.raw`(?:wipefs|shred|fdisk|parted|sgdisk)\s.*/dev/`), what: 'wipes a disk' },
  { pattern: at(String.raw`dd\s.*\bof=/dev/(?!null\b|stdout\b|stderr\b)`), what: 'writes to a device' },
  { pattern: /(?<![<>])>{1,2}\s*\/dev\/(?:sd|hd|vd|xvd|nvme|disk|mapper|mem|kmem)/u, what: 'writes to a device' },
  { pattern: /:\s*\(\s*\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;\s*:/u, what: 'is a fork bomb' },
  { pattern: at(String.raw`(?:shutdown|reboot|halt|poweroff)\b(?!\s*=)`), what: 'turns the machine off' },
  { pattern: at(String.raw`(?:init|telinit)\s+[06]\b`), what: 'turns the machine off' },
  { pattern: at(String.raw`(?:chmod|chown)\s+(?:\S+\s+)*-\S*R\S*\s+(?:\S+\s+)*/\s*(?:$|[;&|)\n}])`), what: 'changes the rights of the whole disk' },
];

/** Returns what a forbidden command would do; undefined for any other command. */
export function blockedReason(command: string): string | undefined {
  return BLOCKED.find(({ pattern }) => pattern.test(command))?.what;
}

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
      return text(yield* fileText(path));
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
