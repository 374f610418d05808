import { connectHands, type RemoteEvent } from '@synapse/remote/brain';
import { ERROR_CODES, SynapseError, type CallResult } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import { exitCode } from '../exit-code.ts';
import { printResultJson, printSuccess } from '../print-result.ts';
import { tellError } from '../report-error.ts';
import { statusLine } from '../status-line.ts';

interface FarCall {
  readonly tool: string;
  readonly input: unknown;
  readonly json: boolean;
  readonly dryRun: boolean;
  readonly dialect: string | undefined;
  readonly callId: string | undefined;
}

/** What a person who waits wants to know of the line; undefined where that goes without saying. */
function lineOf(event: RemoteEvent): string | undefined {
  if (event.type === 'machine') return event.online ? undefined : 'The machine is not connected. The call waits for it; Ctrl+C cancels.';
  return event.status === 'offline' ? `${event.text} Trying again.` : undefined;
}

/** Runs one tool on another machine. What it may do there is decided there. */
export async function callFarAway(
  url: string,
  { tool, input, json, dryRun, dialect, callId }: FarCall,
  { out, err, signal }: CommandIo,
): Promise<number> {
  if (dryRun) throw new SynapseError('invalid_arguments', '--dry-run is not available with --remote.', { hint: 'Leave one of them out.' });
  await using hands = connectHands(url);
  const told = new Set<string>();
  hands.subscribe((event) => {
    const line = lineOf(event);
    if (line === undefined || told.has(line)) return;
    told.add(line);
    err.write(`${line}\n`, 'dim');
  });
  let result: CallResult;
  {
    using status = statusLine(err);
    const options = { signal, onProgress: status.show, ...(callId === undefined ? {} : { callId }) };
    if (dialect !== undefined) {
      const answer = await hands.dialect(dialect).call(tool, input, options);
      if (json) printResultJson(answer, out);
      else out.write(out.isTerminal && answer.output !== '' && !answer.output.endsWith('\n') ? `${answer.output}\n` : answer.output);
      if (!answer.isError) return answer.result.ok ? exitCode(answer.result) : 0;
      return answer.result.ok ? ERROR_CODES.tool_failed.exitCode : exitCode(answer.result);
    }
    result = await hands.call(tool, input, options);
  }
  if (json) printResultJson(result, out);
  else if (result.ok) printSuccess(result, out, err, true);
  else tellError(err, result.error);
  return exitCode(result);
}
