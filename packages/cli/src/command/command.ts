import type { Output } from '../output.ts';
import type { Options, OptionValues } from './option.ts';
import { parseWords } from './parse-words.ts';

/** Positional arguments with their descriptions, written `<required>` or `[optional]`. */
export type Arguments = Readonly<Record<string, string>>;

/** What arguments hold: a required one is a text, an optional one may be missing. */
export type ArgumentValues<Declared extends Arguments> = {
  readonly [
    Form in keyof Declared as Form extends `<${infer Name}>` ? Name : Form extends `[${infer Name}]` ? Name : never
  ]: Form extends `<${string}>` ? string : string | undefined;
};

/** What every command works with, whatever its options are. */
export interface CommandIo {
  /** For results, and nothing else. */
  readonly out: Output;
  /** For everything else. */
  readonly err: Output;
  readonly stdin: NodeJS.ReadStream;
  /** Aborted when the person or the system wants the process to end. */
  readonly signal: AbortSignal;
  readonly version: string;
}

/** What a command is run with. */
export interface CommandContext<DeclaredArguments extends Arguments, DeclaredOptions extends Options> extends CommandIo {
  readonly arguments: ArgumentValues<DeclaredArguments>;
  readonly options: OptionValues<DeclaredOptions>;
}

/** What help shows of a command, beside its name and the line in the list of commands. */
export interface CommandHelp {
  /** What more there is to know. */
  readonly details?: string;
  /** What the full help says beside that. */
  readonly notes?: string;
  readonly arguments: Arguments;
  readonly options: Options;
  /** Command lines with what they do, the most useful first. */
  readonly examples: readonly (readonly [commandLine: string, does: string])[];
}

/** A command, whatever it takes. */
export interface Command extends CommandHelp {
  /**
   * Parses what follows the name of the command, and runs it.
   *
   * @returns the exit code
   * @throws SynapseError for what cannot be done, `invalid_arguments` for a command line that is wrong
   */
  readonly start: (words: readonly string[], io: CommandIo) => Promise<number>;
}

interface CommandDefinition<DeclaredArguments extends Arguments, DeclaredOptions extends Options> {
  readonly details?: string;
  readonly notes?: string;
  readonly arguments?: DeclaredArguments;
  readonly options?: DeclaredOptions;
  readonly examples: CommandHelp['examples'];
  readonly run: (context: CommandContext<DeclaredArguments, DeclaredOptions>) => Promise<number>;
}

/** Defines a command; what its `run` gets follows from the arguments and options that it declares. */
export function defineCommand<
  const DeclaredArguments extends Arguments = Record<string, never>,
  const DeclaredOptions extends Options = Record<string, never>,
>(definition: CommandDefinition<DeclaredArguments, DeclaredOptions>): Command {
  const declared = {
    arguments: definition.arguments ?? ({} as DeclaredArguments),
    options: definition.options ?? ({} as DeclaredOptions),
  };
  return {
    ...(definition.details === undefined ? {} : { details: definition.details }),
    ...(definition.notes === undefined ? {} : { notes: definition.notes }),
    ...declared,
    examples: definition.examples,
    start: async (words, io) => definition.run({ ...io, ...parseWords(words, declared) }),
  };
}
