import { ERROR_CODES, SynapseError } from '@synapse/protocol';
import type { ScreenSize } from '../approval/question-screen.ts';
import { CALL_ARGUMENTS, callInput, completeInput } from '../input/call-input.ts';
import { toolSchema } from '../input/tool-schema.ts';
import { branch } from '../command/branch-option.ts';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { flag, text } from '../command/option.ts';
import { handsOptions, json, yes } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import type { DialectHands } from '@synapse/hands';
import type { DialectResult } from '@synapse/hands/dialects';
import { sizeOf } from '../output/output.ts';
import { printResultJson, printSuccess } from '../output/print-result.ts';
import { refuseLocalOptions, remote } from '../remote/remote-options.ts';
import { exitCode, tellError } from '../output/report-error.ts';
import { statusLine } from '../output/status-line.ts';
import { streamCall, tellUnread, type StreamedCall } from '../output/streamed-output.ts';

interface DialectCallIo extends Pick<CommandIo, 'out' | 'err' | 'signal'> {
  readonly options: { readonly json: boolean; readonly dryRun: boolean };
}

/** Runs a dialect's tool. Its answer goes to stdout, errors included: they are part of the answer. */
async function runDialectCall(dialect: DialectHands, tool: string, input: unknown, { options, out, err, signal }: DialectCallIo): Promise<number> {
  let answer: DialectResult;
  {
    using status = statusLine(err);
    answer = await dialect.call(tool, input, { foreground: true, signal, onProgress: status.show, dryRun: options.dryRun });
  }
  const { output, isError, result } = answer;
  if (options.json) printResultJson(answer, out);
  else out.write(out.isTerminal && output !== '' && !output.endsWith('\n') ? `${output}\n` : output);
  // Dialects have no format for a dry run.
  if (options.dryRun && !options.json && result.ok) printSuccess(result, err, err, false);
  if (!isError) return result.ok ? exitCode(result) : 0;
  return result.ok ? ERROR_CODES.tool_failed.exitCode : exitCode(result);
}

export const command = defineCommand({
  details:
    'The result goes to stdout: files byte for byte, and the output of commands, all of it, while they run. Notes, progress and errors go to stderr.',
  notes:
    'Exit codes: 0 ok, 1 the tool or the command failed, 2 usage, 3 denied, 4 needs approval, 5 not found, 70 internal, 124 time-out, 130 and 143 interrupted.',
  arguments: CALL_ARGUMENTS,
  options: {
    ...handsOptions,
    branch,
    json,
    yes: { ...yes, description: 'allow the call: changes, commands, fetch, mcp' },
    dryRun: flag('show what it would do, as a diff, and do nothing'),
    remote,
    callId: text('<id>', 'with --remote: run it at most once under this id', { rare: true }),
  },
  examples: [
    ['synapse call read_file path=README.md offset=10', 'print a file'],
    ['synapse call run_command command="npm test" --yes', 'run a command, which needs a yes'],
    [`synapse call read_file '{"path":"README.md"}'`, 'the arguments as JSON'],
    ['synapse call write_file path=a.txt content=@draft.txt --yes', 'the content of a file as one of them'],
    ['synapse call mcp:github:search_issues query=crash', 'a tool of an MCP server'],
    [`synapse call run_command '{"command":"rm -r build"}' --dry-run`, 'what a command would change'],
    ['synapse call apply_patch - --allow write < change.json', 'arguments from a file'],
    [`synapse call Read '{"file_path":"README.md"}' --dialect claude-code`, 'as another system calls it'],
    [`synapse call read_file '{"path":"a.txt"}' --remote ws://127.0.0.1:7412#laptop`, 'on another machine'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    const { tool } = words;
    const given = await callInput(words.input, context);
    // --yes already answers every question, and stdin that held the input cannot hold an answer.
    const readsStdin = words.input[0] === '-';
    const asks = context.stdin.isTTY && err.isTerminal && !options.yes && !readsStdin;
    const size = (): ScreenSize => sizeOf(process.stderr);
    const approver = asks
      ? (await import('../approval/terminal-approver.ts')).terminalApprover({ stdin: context.stdin, err, size, session: false })
      : undefined;
    // Loaded when used, as the questions above: most calls need neither.
    if (options.remote !== undefined) {
      const { dialect: _, ...local } = handsOptions;
      refuseLocalOptions({ ...local, yes }, options);
      const { callRemote } = await import('../remote/call-remote.ts');
      return await callRemote(options.remote, { tool, given, ...options, approver }, context);
    }
    if (options.callId !== undefined) throw new SynapseError('invalid_arguments', '--call-id is for --remote.', { hint: 'Leave it out.' });
    await using hands = await openHands(options, readsStdin ? { err } : context, approver, { connect: 'demand' });
    const input = 'input' in given ? given.input : completeInput(given, await toolSchema(hands, tool, options.dialect));
    if (options.dialect !== undefined) return await runDialectCall(hands.dialect(options.dialect), tool, input, context);
    // An answer as JSON, of a dry run or of limited size is printed as a whole.
    const streams = !options.json && !options.dryRun && options.maxOutput === undefined;
    let made: StreamedCall;
    {
      using status = statusLine(err);
      // The process exits after the call, and a background job would end with it.
      const given = { foreground: true, onProgress: status.show, dryRun: options.dryRun } as const;
      made = streams
        ? await streamCall(context, (live) => hands.call(tool, input, { ...given, ...live }))
        : { result: await hands.call(tool, input, { ...given, signal }), isPrinted: false, isUnread: false };
    }
    const { result, isPrinted, isUnread } = made;
    if (isUnread) return tellUnread(err);
    if (options.json) printResultJson(result, out);
    else if (result.ok)
      printSuccess(
        result,
        out,
        err,
        hands.tools().some(({ name, verbatim }) => name === tool && verbatim === true),
        isPrinted,
      );
    else tellError(err, result.error);
    return exitCode(result);
  },
});
