import { SynapseError } from '@synapse/protocol';
import { spawn } from 'node:child_process';
import { canAsk, type Asking } from '../output/confirm.ts';
import { askHidden, readWhole } from './hidden-line.ts';

/** Where a secret comes from. Never from an argument: other users see the arguments of a process. */
export interface ValueSource {
  readonly fromEnv: string | undefined;
  readonly fromCommand: string | undefined;
}

/** Milliseconds for a command that prints a secret. It may ask a person to unlock a store. */
const COMMAND_MS = 120_000;

async function fromCommand(command: string, signal: AbortSignal, milliseconds: number): Promise<string> {
  const late = AbortSignal.timeout(milliseconds);
  const ended = AbortSignal.any([signal, late]);
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['inherit', 'pipe', 'inherit'], signal: ended });
  const code = new Promise<number | null>((resolve) => child.once('error', () => resolve(null)).once('close', resolve));
  // What it started may live longer, and hold its output open.
  const onAbort = (): void => void child.stdout.destroy();
  ended.addEventListener('abort', onAbort, { once: true });
  try {
    const said = await readWhole(child.stdout, 'The command that prints the secret prints more than 64 KiB.');
    if ((await code) !== 0)
      throw new SynapseError('tool_failed', 'The command that prints the secret failed.', { hint: 'Run it alone and see what it says.' });
    if (said.trim() === '')
      throw new SynapseError('tool_failed', 'The command that prints the secret printed nothing.', { hint: 'Run it alone and see what it says.' });
    return said;
  } catch (error) {
    child.kill('SIGKILL');
    if (signal.aborted) throw new SynapseError('cancelled', 'The command that prints the secret was interrupted.');
    if (!late.aborted) throw error;
    throw new SynapseError('timeout', `The command that prints the secret did not end in ${milliseconds / 1_000} seconds.`, {
      hint: 'Run it alone, and see whether it waits for something, or leaves a program running.',
    });
  } finally {
    ended.removeEventListener('abort', onAbort);
  }
}

/**
 * Reads a secret: from a variable, from the output of a command, from stdin, or from a hidden prompt.
 *
 * @param commandMs for tests
 * @throws SynapseError if there is none
 */
export async function secretValue(
  { fromEnv, fromCommand: command }: ValueSource,
  what: string,
  asking: Asking,
  commandMs = COMMAND_MS,
): Promise<string> {
  if (fromEnv !== undefined && command !== undefined) {
    throw new SynapseError('invalid_arguments', '--from-env and --from-command were both given.', { hint: 'Give one of them.' });
  }
  if (fromEnv !== undefined) {
    const value = process.env[fromEnv];
    if (value !== undefined && value !== '') return value;
    throw new SynapseError('not_found', `Variable not found: ${fromEnv.slice(0, 80)}`, { hint: 'Export it in this shell first.' });
  }
  if (command !== undefined) return await fromCommand(command, asking.signal, commandMs);
  const value = canAsk(asking) ? await askHidden(`${what} (not shown):`, asking) : await readWhole(asking.stdin);
  if (value === undefined || value.trim() === '') {
    throw new SynapseError('invalid_arguments', 'No secret was given.', {
      hint: 'Type it at the prompt, send it on stdin, or use --from-env or --from-command.',
    });
  }
  return value;
}
