import { branchToEnter } from './branch-option.ts';
import { type ArgumentValues, type Arguments, parseWords } from './parse-words.ts';
import type { Output } from '../output/output.ts';
import type { Options, OptionValues } from './option.ts';

/** An entry in the list of commands: its name, and how to load it. */
export interface CommandEntry {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** Listed in the program's help without a description. */
  readonly rare?: boolean;
  /** Whether the word `list` may follow the name, as in other programs: it lists things, and commands below it act on one. */
  readonly lists?: boolean;
  /** Loads the command's file and its imports. */
  readonly load: () => Promise<{ readonly command: Command }>;
}

/** The input and output of every command. */
export interface CommandIo {
  /** For results only. */
  readonly out: Output;
  /** For everything else. */
  readonly err: Output;
  readonly stdin: NodeJS.ReadStream;
  /** Aborted when the process should end. */
  readonly signal: AbortSignal;
  readonly version: string;
  /** Every command; set by the program. */
  readonly commands?: readonly ListedCommand[];
}

/** A command in the list. */
interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly command: CommandHelp }>;
}

/** The context of a run. */
export interface CommandContext<DeclaredArguments extends Arguments, DeclaredOptions extends Options> extends CommandIo {
  readonly arguments: ArgumentValues<DeclaredArguments>;
  readonly options: OptionValues<DeclaredOptions>;
}

/** The help of a command, beside its name and summary. */
export interface CommandHelp {
  /** One or two sentences after the summary. */
  readonly details?: string;
  /** Further text of the full help. */
  readonly notes?: string;
  readonly arguments: Arguments;
  readonly options: Options;
  /** Command lines with descriptions, most useful first. */
  readonly examples: readonly (readonly [commandLine: string, does: string])[];
}

/** A command with any arguments and options. */
export interface Command extends CommandHelp {
  /**
   * Parses the words after the command's name and runs it.
   *
   * @returns the exit code
   * @throws SynapseError with the reason of a failure, `invalid_arguments` for an invalid command line
   */
  readonly start: (words: readonly string[], io: CommandIo) => Promise<number>;
}

interface CommandDefinition<DeclaredArguments extends Arguments, DeclaredOptions extends Options> {
  readonly details?: string;
  readonly notes?: string;
  readonly arguments?: DeclaredArguments;
  readonly options?: DeclaredOptions;
  readonly examples: CommandHelp['examples'];
  /** Whether it prints what was recorded, said or written: without the secrets of the user, which may have become secrets since. */
  readonly showsRecords?: boolean;
  readonly run: (context: CommandContext<DeclaredArguments, DeclaredOptions>) => Promise<number>;
}

/** Defines a command. The types in `run` follow from the declared arguments and options. */
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
    async start(words, io) {
      const parsed = parseWords(words, declared);
      const branch = branchToEnter(parsed.options);
      if (branch === undefined) {
        // Loaded on demand: most commands print nothing of the kind.
        const out = definition.showsRecords === true ? await (await import('../output/without-secrets.ts')).withoutSecrets(io.out) : io.out;
        return await definition.run({ ...io, out, ...parsed });
      }
      const workspace = Object.entries(parsed.options).find(([name]) => name === 'workspace')?.[1];
      const { runInBranch } = await import('../branch/run-in-branch.ts');
      return await runInBranch(branch, typeof workspace === 'string' ? workspace : undefined, io);
    },
  };
}
