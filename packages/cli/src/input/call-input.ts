import { SynapseError } from '@synapse/protocol';
import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import type { CommandIo } from '../command/command.ts';
import { parseJsonInput } from './json-input.ts';
import { withFiles } from './field-files.ts';
import { type KeyValue, keyValueInput, noKeyValue, type ObjectSchema, splitKeyValue } from './key-values.ts';

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
  '[input...]': 'its arguments: key=value each, key:=json, key=@file; or one JSON object; or - for JSON on stdin',
} as const;

/** Arguments on the command line: complete, or fields whose values depend on the tool's schema. */
export type CallInput = { readonly input: unknown } | { readonly fields: readonly KeyValue[] };

/** Reads a tool's arguments from the command line: fields, JSON, `-` for stdin, or nothing. */
export async function callInput(given: readonly string[], { stdin, err, signal }: Pick<CommandIo, 'stdin' | 'err' | 'signal'>): Promise<CallInput> {
  const [only, ...more] = given;
  if (only === undefined) return { input: {} };
  if (more.length === 0 && only === '-') {
    // Without this line, the terminal would appear to hang.
    if (stdin.isTTY) err.write('Type the input, a JSON object; then press Ctrl+D on an empty line.\n', 'dim');
    return { input: parseJsonInput(await readAll(stdin, signal)) };
  }
  const fields = given.map(splitKeyValue);
  if (more.length === 0 && fields[0] === undefined) return { input: parseJsonInput(only) };
  const whole = given.find((word) => word === '-' || /^\s*[{[]/u.test(word));
  if (whole !== undefined) {
    const both = `Both key=value and ${whole === '-' ? '- (JSON on stdin)' : 'a JSON object'} were given.`;
    throw new SynapseError('invalid_arguments', fields.some((field) => field !== undefined) ? both : 'More than one JSON object was given.', {
      hint: 'Give all arguments as key=value, or all of them in one JSON object.',
    });
  }
  return {
    fields: await withFiles(
      given.map((word, index) => fields[index] ?? refuseWord(word)),
      signal,
    ),
  };
}

function refuseWord(word: string): never {
  throw noKeyValue(word);
}

/** Completes the arguments with the tool's schema; undefined if it is not known here. */
export function completeInput(given: CallInput, schema: ObjectSchema | undefined): unknown {
  return 'input' in given ? given.input : keyValueInput(given.fields, schema);
}
