import type { RunOptions } from '../agent/agent-place.ts';
import type { CommandIo } from '../command/command.ts';
import { openHands } from '../hands/open-hands.ts';
import { printResultJson } from '../output/print-result.ts';
import { exitCode } from '../output/report-error.ts';

/** Milliseconds that a check may take: the most that a command can have. */
const CHECK_MS = 3_600_000;

/**
 * Runs the check in the branch that this process works in. As a dry run: confined as the commands of models, and what it writes, such as caches
 * and reports, is not a part of the attempt. Its user typed it, so it needs no other yes.
 */
export async function runCheck(command: string, { workspace, sandbox, network }: RunOptions, io: CommandIo): Promise<number> {
  const { err, out, signal } = io;
  await using hands = await openHands({ workspace, sandbox, network, yes: true }, { err });
  const result = await hands.call('run_command', { command, timeout_ms: CHECK_MS }, { foreground: true, dryRun: true, signal });
  printResultJson(result, out);
  return exitCode(result);
}
