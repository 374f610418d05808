import { Command, CommanderError, Option } from 'commander';
import { ERROR_CODES } from '@synapse/protocol';
import { COMMANDS } from './command-table.ts';
import { DEFAULTS, OPTIONS } from './option-table.ts';
import type { CommandContext, CommandDefinition, CommandOptions } from './command.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import { asksForJson, printErrorJson } from './report-error.ts';

/** What a program runs with: a command's context without what the command line says. */
export type ProgramContext = Omit<CommandContext, 'arguments' | 'options'>;

const USAGE: number = ERROR_CODES.invalid_arguments.exitCode;

function option(name: keyof CommandOptions, wording: CommandDefinition['wording']): Option {
  const { flags, description, parse } = OPTIONS[name];
  const made = new Option(flags, wording?.[name] ?? description);
  return parse === undefined ? made : made.argParser<unknown>((text) => parse(text));
}

function help({ details, examples }: CommandDefinition): string {
  const lines = examples.map(([commandLine, does]) => `  ${commandLine}\n      ${does}`);
  return `${details === undefined ? '' : `\n${details}\n`}\nExamples:\n${lines.join('\n')}`;
}

/**
 * Parses a command line, runs its command and gives the exit code. Throws what the command throws.
 *
 * @param words the command line without the program's own name
 */
export async function runProgram(words: readonly string[], context: ProgramContext): Promise<number> {
  let exitCode = USAGE;
  const program = new Command('synapse')
    .description('Safe, fast hands for AI brains.')
    .version(context.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.out.write(text),
      writeErr: (text) => context.err.write(text),
      getOutHelpWidth: () => context.out.columns,
      getErrHelpWidth: () => context.err.columns,
    })
    .addHelpText('after', '\nFirst steps:\n  synapse doctor\n  synapse resurrect\n\nHelp on a command: synapse <command> --help')
    .showHelpAfterError('(--help tells what is valid)');
  const add = (parent: Command, definition: CommandDefinition): void => {
    const command = parent.command(definition.name).summary(definition.summary);
    command.description(`${definition.summary.slice(0, 1).toUpperCase()}${definition.summary.slice(1)}.`).addHelpText('after', help(definition));
    for (const [name, description] of Object.entries(definition.arguments)) command.argument(name, description);
    for (const name of definition.options) command.addOption(option(name, definition.wording));
    command.action(async () => {
      const action = await definition.load();
      exitCode = await action({
        ...context,
        arguments: command.args,
        options: { ...DEFAULTS, ...command.optsWithGlobals<Partial<CommandOptions>>() },
      });
    });
    for (const below of definition.commands ?? []) add(command, below);
  };
  for (const definition of COMMANDS) add(program, definition);
  try {
    await refuseUnknown(program, words);
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    // Commander has said what is wrong, or has printed the help that was asked for.
    if (error.exitCode === 0) return 0;
    if (asksForJson(words)) {
      const message = error.message.replace(/^error: /u, '').replaceAll('\n', ' ');
      printErrorJson(context.out, { code: 'invalid_arguments', message, hint: '--help tells what is valid.', retryable: false });
    }
    return USAGE;
  }
}
