import type { Approver } from '@synapse/hands';
import { ERROR_CODES, type CallError } from '@synapse/protocol';
import type { CommandIo } from '../command/command.ts';
import { confirm } from '../output/confirm.ts';
import { tellError } from '../output/report-error.ts';

interface Asking extends Pick<CommandIo, 'stdin' | 'err' | 'signal'> {
  readonly options: { readonly yes: boolean; readonly json: boolean };
}

/** Allows a call that a person at the terminal confirmed, or typed as a command of a chat. */
export const CONFIRMED: Approver = { name: 'terminal', ask: async () => ({ verdict: 'allow', scope: 'once' }) };

/**
 * Asks for confirmation, unless `--yes` was given. Does not ask with `--json`.
 *
 * @param nothing the outcome of a no, such as `nothing was undone`
 * @returns undefined for yes, else the exit code; the reason is printed
 * @throws the reason of the signal if that is aborted, also with `--yes`
 */
export async function confirmOrFail(question: string, nothing: string, context: Asking): Promise<number | undefined> {
  // Ctrl+C is no yes to what comes after it.
  context.signal.throwIfAborted();
  if (context.options.yes) return undefined;
  const answer = context.options.json ? undefined : await confirm(question, context);
  if (answer === true) return undefined;
  const error: CallError =
    answer === false
      ? { code: 'denied', message: `You said no, and ${nothing}.`, retryable: false }
      : { code: 'approval_required', message: `This needs a yes, and ${nothing}.`, hint: 'Repeat the command with --yes.', retryable: false };
  tellError(context.err, error);
  return ERROR_CODES[error.code].exitCode;
}
