import * as z from 'zod';
import type { CheckOutcome, PlannedAttempt } from './attempt.ts';
import { runProcess } from './branch-process.ts';

/** The last characters of the output of a check. */
const KEPT = 4_000;

/** Lines of errors to keep, of a check that could not run. */
const MAX_ERRORS = 20;

const Answer = z.union([
  z.looseObject({
    ok: z.literal(true),
    data: z.looseObject({ exit_code: z.int().nullable(), signal: z.string().nullable(), timed_out: z.boolean(), output: z.string() }),
  }),
  z.looseObject({ ok: z.literal(false), error: z.looseObject({ message: z.string() }) }),
]);

/** Runs the check in the branch of an attempt, in a process of its own. Undefined if it was interrupted. */
export async function checkAttempt(
  { branch, index }: PlannedAttempt,
  { id, root, signal }: { readonly id: string; readonly root: string; readonly signal: AbortSignal },
): Promise<CheckOutcome | undefined> {
  let answer: z.infer<typeof Answer> | undefined;
  const errors: string[] = [];
  await runProcess({
    root,
    branch,
    attempt: `${id}:${index}:check`,
    signal,
    onLine: (line) => (answer = parsed(line) ?? answer),
    onError: (line) => void errors.splice(0, Math.max(0, errors.push(line) - MAX_ERRORS)),
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
