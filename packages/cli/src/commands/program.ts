import { readFile } from 'node:fs/promises';
import { addAbortSignal } from 'node:stream';
import { text as readText } from 'node:stream/consumers';
import { programThreads } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { branch } from '../command/branch-option.ts';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { handsOptions, json, yes } from '../command/shared-options.ts';
import { callHere } from './on-call.ts';

const { dialect: _, ...options } = handsOptions;

async function readProgram(file: string, { stdin, signal }: Pick<CommandIo, 'stdin' | 'signal'>): Promise<string> {
  if (file === '-') return await readText(addAbortSignal(signal, stdin));
  try {
    return await readFile(file, { encoding: 'utf8', signal });
  } catch (error) {
    throw new SynapseError('not_found', `The program cannot be read: ${file}`, {
      hint: 'Name a JavaScript or TypeScript file, or - for stdin.',
      cause: error,
    });
  }
}

export const command = defineCommand({
  details:
    'It calls the tools as `await hands.read_file({ path })`, and has no other powers. All its changes are one: asked about once, undone by one undo; if it fails, nothing is left of them.',
  arguments: { '<file>': 'JavaScript or TypeScript: the body of an async function; - for stdin' },
  options: {
    ...options,
    branch,
    json,
    yes: { ...yes, description: 'allow what it does: changes, commands, fetch, mcp' },
    dryRun: flag('run it on a branch that is dropped, and show a diff'),
  },
  examples: [
    ['synapse program count-todos.js', 'run a program'],
    ['synapse program rename.js --dry-run', 'what it would change'],
    [`echo 'return await hands.help()' | synapse program -`, 'list the tools that programs have'],
  ],
  async run(context) {
    // It starts while the hands are opened.
    using _ = programThreads.hold();
    const { file } = context.arguments;
    const code = await readProgram(file, context);
    const all = { ...context.options, dialect: undefined };
    return await callHere({ tool: 'run_program', given: { input: { code } }, options: all, readsStdin: file === '-' }, context);
  },
});
