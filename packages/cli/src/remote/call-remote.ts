import type { Approver } from '@synapse/hands';
import { ERROR_CODES, type CallResult } from '@synapse/protocol';
import { randomUUID } from 'node:crypto';
import type { RemoteDialectResult, RemoteHands } from '@synapse/remote/brain';
import type { CommandIo } from '../command/command.ts';
import { type CallInput, completeInput } from '../input/call-input.ts';
import type { ObjectSchema } from '../input/key-values.ts';
import { printResultJson, printSuccess } from '../output/print-result.ts';
import { exitCode, tellError } from '../output/report-error.ts';
import { statusLine } from '../output/status-line.ts';
import { streamCall, tellUnread, type StreamedCall } from '../output/streamed-output.ts';
import { connectFarAway } from './open-far-hands.ts';
import { tellWaiting } from './tell-waiting.ts';

interface FarCall {
  readonly tool: string;
  readonly given: CallInput;
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly dialect: string | undefined;
  readonly callId: string | undefined;
  /** The person at this terminal, who is asked where the answer of this device counts. */
  readonly approver: Approver | undefined;
}

/** Whether a call did not reach a tool, so that its error is not the answer of one: it has no id of the machine. */
const hasNotRun = ({ meta }: CallResult, id: string): boolean => meta.callId === '' || meta.callId === id;

/** The JSON Schema of a tool's arguments, as that machine describes it; undefined for an unknown tool. */
async function schemaThere(hands: RemoteHands, tool: string, dialect: string | undefined): Promise<ObjectSchema | undefined> {
  const tools = await (dialect === undefined ? hands.tools('json-schema') : hands.dialect(dialect).tools('json-schema'));
  return tools.find(({ name }) => name === tool)?.inputSchema;
}

/** Prints the answer of a call through a dialect. Returns the exit code. */
function printDialectAnswer(answer: RemoteDialectResult, { json, dryRun }: FarCall, id: string, { out, err }: CommandIo): number {
  const { result, output, isError } = answer;
  if (json) printResultJson(answer, out);
  else if (!result.ok && hasNotRun(result, id)) tellError(err, result.error);
  else out.write(out.isTerminal && output !== '' && !output.endsWith('\n') ? `${output}\n` : output);
  // Dialects have no format for a dry run.
  if (dryRun && !json && result.ok) printSuccess(result, err, err, false);
  if (!result.ok) return isError ? exitCode(result) : 0;
  return isError ? ERROR_CODES.tool_failed.exitCode : exitCode(result);
}

/** Prints the result of a call, or what of it was not printed while it ran. Returns the exit code. */
function printMade({ result, isPrinted, isUnread }: StreamedCall, json: boolean, { out, err }: CommandIo): number {
  if (isUnread) return tellUnread(err);
  if (json) printResultJson(result, out);
  else if (result.ok) printSuccess(result, out, err, true, isPrinted);
  else tellError(err, result.error);
  return exitCode(result);
}

/** Runs one tool on another machine, under the permissions of that machine. */
export async function callRemote(url: string, call: FarCall, io: CommandIo): Promise<number> {
  const { tool, given, json, dryRun, dialect, callId, approver } = call;
  const { err, signal } = io;
  await using hands = await connectFarAway(url, { err });
  const id = callId ?? randomUUID();
  const input = 'input' in given ? given.input : completeInput(given, await schemaThere(hands, tool, dialect));
  let made: StreamedCall;
  {
    using status = statusLine(err);
    const options = {
      signal,
      onProgress: status.show,
      onApproval: tellWaiting(err, approver !== undefined),
      dryRun,
      callId: id,
      ...(approver === undefined ? {} : { approver }),
    };
    if (dialect !== undefined) return printDialectAnswer(await hands.dialect(dialect).call(tool, input, options), call, id, io);
    // An answer as JSON, or of a dry run, is printed as a whole.
    made =
      json || dryRun
        ? { result: await hands.call(tool, input, options), isPrinted: false, isUnread: false }
        : await streamCall(io, (live) => hands.call(tool, input, { ...options, ...live }));
  }
  return printMade(made, json, io);
}
