import type { Approver } from '@synapse/hands';
import { ERROR_CODES, type CallResult } from '@synapse/protocol';
import { randomUUID } from 'node:crypto';
import type { RemoteHands } from '@synapse/remote/brain';
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

/** Runs one tool on another machine, under the permissions of that machine. */
export async function callRemote(url: string, { tool, given, json, dryRun, dialect, callId, approver }: FarCall, io: CommandIo): Promise<number> {
  const { out, err, signal } = io;
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
    if (dialect !== undefined) {
      const answer = await hands.dialect(dialect).call(tool, input, options);
      if (json) printResultJson(answer, out);
      else if (!answer.result.ok && hasNotRun(answer.result, id)) tellError(err, answer.result.error);
      else out.write(out.isTerminal && answer.output !== '' && !answer.output.endsWith('\n') ? `${answer.output}\n` : answer.output);
      // Dialects have no format for a dry run.
      if (dryRun && !json && answer.result.ok) printSuccess(answer.result, err, err, false);
      if (!answer.isError) return answer.result.ok ? exitCode(answer.result) : 0;
      return answer.result.ok ? ERROR_CODES.tool_failed.exitCode : exitCode(answer.result);
    }
    // An answer as JSON, or of a dry run, is printed as a whole.
    made =
      json || dryRun
        ? { result: await hands.call(tool, input, options), isPrinted: false, isUnread: false }
        : await streamCall(io, (live) => hands.call(tool, input, { ...options, ...live }));
  }
  const { result, isPrinted, isUnread } = made;
  if (isUnread) return tellUnread(err);
  if (json) printResultJson(result, out);
  else if (result.ok) printSuccess(result, out, err, true, isPrinted);
  else tellError(err, result.error);
  return exitCode(result);
}
