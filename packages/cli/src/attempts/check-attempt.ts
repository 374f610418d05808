import * as z from 'zod';
import { handsOptions, optionWords } from '../command/shared-options.ts';
import type { CheckOutcome } from './attempt.ts';
import { runProcess } from './branch-process.ts';

/** Milliseconds that a check may take: the most that a command can have. */
const CHECK_MS = 3_600_000;

/** The last characters of the output of a check. */
const KEPT = 4_000;

const Answer = z.union([
  z.looseObject({
    ok: z.literal(true),
    data: z.looseObject({ exit_code: z.int().nullable(), signal: z.string().nullable(), timed_out: z.boolean(), output: z.string() }),
  }),
  z.looseObject({ ok: z.literal(false), error: z.looseObject({ message: z.string() }) }),
]);

/** The options that say how commands run. */
export interface CheckOptions {
  readonly workspace: string | undefined;
  readonly sandbox: string | undefined;
  readonly network: readonly string[] | undefined;
}

/**
 * Runs the check in the branch of an attempt. As a dry run: confined as the commands of models, and what it writes, such as caches and reports,
 * is not a part of the attempt. Undefined if it was interrupted.
 */
export async function checkAttempt(
  command: string,
  options: CheckOptions,
  { root, branch, signal }: { readonly root: string; readonly branch: string; readonly signal: AbortSignal },
): Promise<CheckOutcome | undefined> {
  const { workspace, sandbox, network } = handsOptions;
  let answer: z.infer<typeof Answer> | undefined;
  const words = ['call', 'run_command', JSON.stringify({ command, timeout_ms: CHECK_MS }), '--dry-run', '--yes', '--json'];
  const errors: string[] = [];
  await runProcess({
    root,
    branch,
    words: [...words, ...optionWords({ workspace, sandbox, network }, options)],
    signal,
    end: 'terminate',
    onLine: (line) => (answer = parsed(line) ?? answer),
    onError: (line) => void errors.splice(0, Math.max(0, errors.push(line) - 20)),
  });
  if (signal.aborted) return undefined;
  if (answer === undefined) return { passed: false, ending: 'it could not run', output: errors.join('\n').slice(-KEPT) };
  if (!answer.ok) return { passed: false, ending: 'it could not run', output: answer.error.message };
  const { exit_code: code, signal: by, timed_out: timedOut, output } = answer.data;
  const ending = timedOut ? 'timed out' : by === null ? `exit code ${code}` : `ended by ${by}`;
  return { passed: code === 0 && !timedOut, ending, output: output.slice(-KEPT).toWellFormed() };
}

function parsed(line: string): z.infer<typeof Answer> | undefined {
  try {
    return Answer.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
