import { SynapseError } from '@synapse/protocol';
import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { CommandIo } from '../command/command.ts';
import { parseJsonInput } from './json-input.ts';

/** Reads all of stdin. A person who typed `-` by mistake can interrupt. */
async function readAll(stdin: CommandIo['stdin'], signal: AbortSignal): Promise<string> {
  try {
    return await readText(addAbortSignal(signal, stdin));
  } catch (error) {
    if (signal.aborted) throw new SynapseError('cancelled', 'Interrupted while reading stdin.', { cause: error });
    throw new SynapseError('unavailable', 'stdin cannot be read.', { hint: 'Pipe a JSON object into it.', cause: error });
  }
}

/** A tool and its arguments, as the positional arguments of a command. */
export const CALL_ARGUMENTS = {
  '<tool>': 'its name, as `synapse tools` lists it',
  '[input]': 'its arguments as a JSON object, or - to read that from stdin',
} as const;

/** A tool's arguments on the command line: JSON, `-` for stdin, or nothing. */
export async function callInput(argument: string | undefined, { stdin, err, signal }: Pick<CommandIo, 'stdin' | 'err' | 'signal'>): Promise<unknown> {
  // Without this line, the terminal would appear to hang.
  if (argument === '-' && stdin.isTTY) err.write('Type the input, a JSON object; then press Ctrl+D on an empty line.\n', 'dim');
  return argument === undefined ? {} : parseJsonInput(argument === '-' ? await readAll(stdin, signal) : argument);
}
