import { ERROR_CODES, type CallError } from '@synapse/protocol';
import type { CommandIo } from './command/command.ts';
import { confirm } from './confirm.ts';
import { tellError } from './report-error.ts';

interface Asking extends Pick<CommandIo, 'stdin' | 'err' | 'signal'> {
  readonly options: { readonly yes: boolean; readonly json: boolean };
}

/**
 * Asks for the yes that a command needs, unless `--yes` gave it. Who reads JSON is not asked.
 *
 * @param nothing what did not happen, such as `nothing was undone`
 * @returns the exit code where it is no, which was told by then; undefined for a yes
 */
export async function declined(question: string, nothing: string, context: Asking): Promise<number | undefined> {
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
