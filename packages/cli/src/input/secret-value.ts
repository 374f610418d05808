import { SynapseError } from '@synapse/protocol';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { canAsk, type Asking } from '../output/confirm.ts';
import { askHidden, readWhole } from './hidden-line.ts';

/** Where a secret comes from. Never from an argument: other users see the arguments of a process. */
export interface ValueSource {
  readonly fromEnv: string | undefined;
  readonly fromCommand: string | undefined;
}

/** Milliseconds for a command that prints a secret. It may ask a person to unlock a store. */
const COMMAND_MS = 120_000;

async function fromCommand(command: string, signal: AbortSignal): Promise<string> {
  const ended = AbortSignal.any([signal, AbortSignal.timeout(COMMAND_MS)]);
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['inherit', 'pipe', 'inherit'], signal: ended });
  const code = new Promise<number | null>((resolve) => child.once('error', () => resolve(null)).once('close', resolve));
  const said = await text(child.stdout);
  if ((await code) !== 0)
    throw new SynapseError('tool_failed', 'The command that prints the secret failed.', { hint: 'Run it alone and see what it says.' });
  return said;
}

/**
 * Reads a secret: from a variable, from the output of a command, from stdin, or from a hidden prompt.
 *
 * @throws SynapseError if there is none
 */
export async function secretValue({ fromEnv, fromCommand: command }: ValueSource, what: string, asking: Asking): Promise<string> {
  if (fromEnv !== undefined && command !== undefined) {
    throw new SynapseError('invalid_arguments', '--from-env and --from-command were both given.', { hint: 'Give one of them.' });
  }
  if (fromEnv !== undefined) {
    const value = process.env[fromEnv];
    if (value !== undefined && value !== '') return value;
    throw new SynapseError('not_found', `Variable not found: ${fromEnv.slice(0, 80)}`, { hint: 'Export it in this shell first.' });
  }
  if (command !== undefined) return await fromCommand(command, asking.signal);
  const value = canAsk(asking) ? await askHidden(`${what} (not shown):`, asking) : await readWhole(asking.stdin);
  if (value === undefined || value.trim() === '') {
    throw new SynapseError('invalid_arguments', 'No secret was given.', {
      hint: 'Type it at the prompt, send it on stdin, or use --from-env or --from-command.',
    });
  }
  return value;
}
