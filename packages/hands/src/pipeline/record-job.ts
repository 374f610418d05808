import type { CallMeta } from '@synapse/protocol';
import type { CallAudit } from '../audit/call-audit.ts';
import { changedSince } from '../audit/changed-since.ts';
import { jobSummary } from '../audit/job-summary.ts';
import type { RunningCall } from '../call/call.ts';
import type { CommandRecord } from '../call/command-record.ts';
import { endingText, type JobEnding } from '../jobs/job-state.ts';
import type { ProcessOutcome } from '../process/processes.ts';
import { displayText } from '../workspace/byte-name.ts';
import { identityOf } from './record.ts';

/** A job whose command has ended. */
interface EndedJob {
  readonly id: string;
  readonly command: string;
  readonly ending: JobEnding;
  readonly outcome: ProcessOutcome | undefined;
}

/** Where the end of a job is recorded. */
interface JobRecorder {
  readonly audit: CallAudit;
  readonly stateFolder: string;
  readonly root: string;
}

/**
 * Records the end of a job, as the second end of its call: receipts are made from it as from that of a command. Does nothing if the
 * call itself has not ended, because its own record then says what came of the command.
 */
export async function recordJobEnd(call: RunningCall, job: EndedJob, { audit, stateFolder, root }: JobRecorder): Promise<void> {
  const { state } = call;
  if (!state.isEnding) return;
  state.command = await commandOf(call, stateFolder, root);
  // The record of the call, which is on its way, comes first.
  await new Promise((resolve) => setImmediate(resolve));
  const { outcome, ending } = job;
  if (outcome !== undefined) state.sandbox ??= outcome.sandbox;
  const durationMs = performance.now() - call.startedAt;
  const summary = displayText(jobSummary({ tool: call.name, ...job, ending: endingText(ending), durationMs }));
  const meta: CallMeta = { ...identityOf(call), durationMs, summary, completion: completionOf(ending) };
  audit.endNow(call, { meta, bytes: 0, job: job.id });
}

const completionOf = (ending: JobEnding): CallMeta['completion'] =>
  ending.how === 'exited' && ending.exitCode === 0 ? 'ok' : ending.how === 'timed_out' ? 'timeout' : 'failed';

async function commandOf({ state, callId }: RunningCall, stateFolder: string, root: string): Promise<CommandRecord | undefined> {
  try {
    const command = await state.endCommand?.({ isJob: true });
    // A command on a copy sees no change of others.
    if (command?.tree === undefined || command.ran === 'copy' || !changedSince(stateFolder, root, callId)) return command;
    return { ...command, tree: { ...command.tree, unstable: true } };
  } catch {
    // Its record then says how it ended, and there is no receipt.
    return undefined;
  }
}
