import { ERROR_CODES } from '@synapse/protocol';
import type { Approver, DialectHands } from '@synapse/hands';
import type { DialectResult } from '@synapse/hands/dialects';
import type { ScreenSize } from '../approval/question-screen.ts';
import type { CommandIo } from '../command/command.ts';
import { openHands } from '../hands/open-hands.ts';
import { type CallInput, completeInput } from '../input/call-input.ts';
import { toolSchema } from '../input/tool-schema.ts';
import { sizeOf } from '../output/output.ts';
import { printResultJson, printSuccess } from '../output/print-result.ts';
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

/** The options of a call in this process. */
type CallOptions = Parameters<typeof openHands>[0] & {
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly dialect: string | undefined;
  readonly maxOutput: number | undefined;
};

/** A call in this process. */
export interface LocalCall {
  readonly tool: string;
  readonly given: CallInput;
  readonly options: CallOptions;
  /** Whether its input was on stdin: then there can be no answer to a question. */
  readonly readsStdin: boolean;
}

/** The approver at the terminal; undefined if there is no person to ask. */
export async function approverFor(
  { options, readsStdin }: Pick<LocalCall, 'readsStdin'> & { readonly options: Pick<CallOptions, 'yes'> },
  { stdin, err }: CommandIo,
): Promise<Approver | undefined> {
  // --yes already answers every question.
  if (!stdin.isTTY || !err.isTerminal || options.yes || readsStdin) return undefined;
  const size = (): ScreenSize => sizeOf(process.stderr);
  // Loaded when used: most calls need none.
  return (await import('../approval/terminal-approver.ts')).terminalApprover({ stdin, err, size, session: false });
}

/** Runs a call in this process, and prints its result. Returns the exit code. */
export async function callHere(call: LocalCall, io: CommandIo): Promise<number> {
  const { tool, given, options, readsStdin } = call;
  const { out, err, signal } = io;
  const approver = await approverFor(call, io);
  await using hands = await openHands(options, readsStdin ? { err } : io, approver, { connect: 'demand' });
  const input = 'input' in given ? given.input : completeInput(given, await toolSchema(hands, tool, options.dialect));
  if (options.dialect !== undefined) return await runDialectCall(hands.dialect(options.dialect), tool, input, { options, out, err, signal });
  // An answer as JSON, of a dry run or of limited size is printed as a whole.
  const streams = !options.json && !options.dryRun && options.maxOutput === undefined;
  let made: StreamedCall;
  {
    using status = statusLine(err);
    // The process exits after the call, and a background job would end with it.
    const given = { foreground: true, onProgress: status.show, dryRun: options.dryRun } as const;
    made = streams
      ? await streamCall(io, (live) => hands.call(tool, input, { ...given, ...live }))
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
}
