import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { applyPatch } from '../tools/apply-patch.ts';
import { defineDialectTool, type Dialect } from './dialect.ts';
import { shellExitCode } from './exit-code.ts';
import { attempt, bodyText, errorAnswer, json, reason, succeeded } from './steps.ts';
import { assignments, commandLine } from '../text/shell-words.ts';
import { runShell } from './trained-steps.ts';

const TIMEOUT_MS = 120_000;
/** Maximum number of commands in a shell call; each becomes a separate call. */
const MAX_COMMANDS = 32;

const Operation = z.discriminatedUnion('type', [
  z.object({ type: z.literal('create_file'), path: z.string(), diff: z.string() }),
  z.object({ type: z.literal('update_file'), path: z.string(), diff: z.string() }),
  z.object({ type: z.literal('delete_file'), path: z.string() }),
]);

/** Lines that would start another file or end the patch. `Move to` and `End of File` belong to the file itself. */
const FOREIGN = /^\*\*\* (?:Begin|End) Patch|^\*\*\* (?:Add|Update|Delete) File:/mu;

const HEADER = { create_file: 'Add', update_file: 'Update', delete_file: 'Delete' } as const;

/** Converts one operation to a patch for `apply_patch`. */
function toPatch(operation: z.output<typeof Operation>): string {
  if (/[\r\n]/u.test(operation.path)) throw new SynapseError('invalid_arguments', 'operation.path: holds a line break.');
  const diff = 'diff' in operation ? operation.diff : '';
  if (FOREIGN.test(diff)) {
    throw new SynapseError('invalid_arguments', 'operation.diff: it names another file; it may only hold the lines of one file.', {
      hint: 'Send an operation for each file.',
    });
  }
  return `*** Begin Patch\n*** ${HEADER[operation.type]} File: ${operation.path}\n${diff}${diff === '' || diff.endsWith('\n') ? '' : '\n'}*** End Patch\n`;
}

const tools = [
  defineDialectTool({
    name: 'apply_patch',
    description: 'Create, update or delete one file by a diff. Takes the operation of an apply_patch_call.',
    input: () => z.object({ operation: Operation }),
    uses: ['apply_patch'],
    native: { provider: 'openai', definition: { type: 'apply_patch' } },
    permission: 'ask',
    *run({ operation }) {
      const applied = yield* attempt(applyPatch, { patch: toPatch(operation) });
      // The error is the output of the call item, so that the model can act on it.
      if (!applied.ok) return { value: { status: 'failed', output: reason(applied.error) }, output: reason(applied.error), isError: true };
      const output = bodyText(succeeded(applied));
      return { value: { status: 'completed', output }, output, isError: false };
    },
  }),
  defineDialectTool({
    name: 'shell',
    description: 'Run shell commands one after the other. Takes the action of a shell_call.',
    input: () =>
      z.object({
        action: z.object({
          commands: z.array(z.string()).min(1).max(MAX_COMMANDS),
          timeout_ms: z.number().nullish(),
          max_output_length: z.number().nullish(),
        }),
      }),
    uses: ['run_command'],
    native: { provider: 'openai', definition: { type: 'shell', environment: { type: 'local' } } },
    permission: 'ask',
    *run({ action: { commands, timeout_ms, max_output_length } }) {
      const output: unknown[] = [];
      let timedOut = false;
      for (const command of commands) {
        const maxBytes = max_output_length == null ? undefined : Math.max(256, Math.floor(max_output_length));
        const { data } = yield* runShell({ command, timeoutMs: timeout_ms, defaultTimeoutMs: TIMEOUT_MS, maxBytes });
        timedOut = data.timed_out;
        const outcome = timedOut ? { type: 'timeout' } : { type: 'exit', exit_code: shellExitCode(data) };
        output.push({ stdout: data.stdout, stderr: data.stderr, outcome });
        if (timedOut) break;
      }
      return json(output);
    },
  }),
  defineDialectTool({
    name: 'local_shell',
    description: 'Run one program with its arguments. Takes the action of a local_shell_call.',
    input: () =>
      z.object({
        action: z.object({
          type: z.literal('exec').default('exec'),
          command: z.array(z.string()).min(1),
          env: z.record(z.string(), z.string()).nullish(),
          timeout_ms: z.number().nullish(),
          user: z.string().nullish(),
          working_directory: z.string().nullish(),
        }),
      }),
    uses: ['run_command'],
    native: { provider: 'openai', definition: { type: 'local_shell' } },
    permission: 'ask',
    *run({ action }) {
      if (action.user != null)
        throw new SynapseError('denied', 'action.user: a command runs as the user of the hands, and as no other.', { hint: 'Leave it out.' });
      const variables = assignments(action.env ?? {});
      if (variables === undefined) throw new SynapseError('invalid_arguments', 'action.env: holds a name that no variable can have.');
      const command = variables + commandLine(action.command);
      const { data } = yield* runShell({
        command,
        cwd: action.working_directory ?? undefined,
        timeoutMs: action.timeout_ms,
        defaultTimeoutMs: TIMEOUT_MS,
      });
      return json({ stdout: data.stdout, stderr: data.stderr, exit_code: shellExitCode(data), timed_out: data.timed_out });
    },
  }),
];

export const openai: Dialect = {
  name: 'openai',
  title: "OpenAI's call items",
  version: 'Responses API as of openai 6.49: apply_patch_call, shell_call, local_shell_call',
  notCovered: [
    'As functions, the tools are named by the types of the items; handleOpenAiResponses() reads and answers the items themselves',
    'shell: containers of OpenAI, and a command that was timed out ends the list',
    'computer use, code interpreter, file search and web search',
  ],
  tools,
  unknownTool: (_, error) => errorAnswer(reason(error)),
  invalidInput: (error, { name }) => failed(name, reason(error)),
  failure: (error, { name }) => failed(name, reason(error)),
};

/** Failures of tools whose output has a fixed shape. */
const FAILURES: Readonly<Record<string, (message: string) => ReturnType<typeof json>>> = {
  apply_patch: (message) => ({ value: { status: 'failed', output: message }, output: message, isError: true }),
  shell: (message) => json([{ stdout: '', stderr: message, outcome: { type: 'exit', exit_code: 1 } }], true),
};

function failed(name: string, message: string): ReturnType<typeof json> {
  return FAILURES[name]?.(message) ?? json({ stdout: '', stderr: message, exit_code: 1, timed_out: false }, true);
}
