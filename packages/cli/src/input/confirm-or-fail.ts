import type { Approver } from '@synapse/hands';
import { ERROR_CODES, SynapseError, type CallError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import { confirm } from '../output/confirm.ts';
import { tellError } from '../output/report-error.ts';

interface Asking extends Pick<CommandIo, 'stdin' | 'err' | 'signal'> {
  readonly options: { readonly yes: boolean; readonly json: boolean };
}

/** Allows a call that a person at the terminal confirmed, or typed as a command of a chat. */
export const CONFIRMED: Approver = { name: 'terminal', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

/** Why a question was not answered with yes; undefined for yes. Throws the reason of the signal if that is aborted, also with `--yes`. */
async function refusal(question: string, nothing: string, context: Asking): Promise<CallError | undefined> {
  // Ctrl+C is no yes to what comes after it.
  context.signal.throwIfAborted();
  if (context.options.yes) return undefined;
  const answer = context.options.json ? undefined : await confirm(question, context);
  if (answer === true) return undefined;
  return answer === false
    ? { code: 'denied', message: `You said no, and ${nothing}.`, retryable: false }
    : { code: 'approval_required', message: `This needs a yes, and ${nothing}.`, hint: 'Repeat the command with --yes.', retryable: false };
}

/**
 * Asks for confirmation, unless `--yes` was given. Does not ask with `--json`, for a command that has printed then what a yes would do.
 *
 * @param nothing the outcome of a no, such as `nothing was undone`
 * @returns undefined for yes, else the exit code; the reason is printed
 * @throws the reason of the signal if that is aborted, also with `--yes`
 */
export async function confirmOrFail(question: string, nothing: string, context: Asking): Promise<number | undefined> {
  const error = await refusal(question, nothing, context);
  if (error === undefined) return undefined;
  tellError(context.err, error);
  return ERROR_CODES[error.code].exitCode;
}

/** The same for a command that has printed nothing on stdout yet: with `--json`, what this throws is printed there. */
export async function confirmOrThrow(question: string, nothing: string, context: Asking): Promise<void> {
  const error = await refusal(question, nothing, context);
  if (error === undefined) return;
  const { code, message, hint } = error;
  throw new SynapseError(code, message, hint === undefined ? {} : { hint });
}
