import type { KnownWord } from './command-pattern.ts';

/**
 * The role of a word in a command:
 * `data` has no effect outside the program · `read`, `write`, `delete` a file · `list` names and metadata of a file ·
 * `readTree`, `deleteTree` a folder and everything below · `readWrite` both · `move` is read and removed ·
 * `link` gets a second name for reading and writing, with everything below ·
 * `url` another machine · `code` is run · `script` is code unless it passes the program's `check` ·
 * `suffix` the end of a file name, unless it leads to another folder.
 */
export type Role =
  | 'data'
  | 'read'
  | 'list'
  | 'write'
  | 'delete'
  | 'readWrite'
  | 'readTree'
  | 'writeTree'
  | 'readWriteTree'
  | 'deleteTree'
  | 'move'
  | 'link'
  | 'url'
  | 'code'
  | 'script'
  | 'suffix';

/** Options by the role of their value, separated by spaces: `{ data: '-n --lines', write: '-o' }`. */
export type OptionRoles = Partial<Readonly<Record<Role, string>>>;

/** The roles of a program's words. Options are written as on the command line: `-o`, `--output`. */
export interface WordTable {
  /** Options with a value. Long names also match by prefix, as in GNU programs. */
  readonly options?: OptionRoles;
  /** Options with an optional attached value: `-i.bak`, never `-i .bak`. */
  readonly attached?: OptionRoles;
  /** Options with two values, with the role of the second. */
  readonly second?: OptionRoles;
  /** The role of operands, unless `first` or `last` applies. */
  readonly operands?: Role;
  readonly first?: Role;
  /** The role of the last operand. Not used for a single operand, or if an option in `lastIsOption` replaces it. */
  readonly last?: Role;
  /** Options that replace the first operand. All operands then have the same role. */
  readonly firstIsOption?: string;
  readonly lastIsOption?: string;
  /** Options without a value that change the role of every operand. */
  readonly switches?: OptionRoles;
  /** What is read without operands; `.` for programs that walk folders. */
  readonly withoutOperands?: Role;
  /** The role of the working folder without operands. */
  readonly alone?: Role;
  /** Words known only at run time are harmless, because no word names a file. */
  readonly anyWords?: boolean;
  /** The check that a `script` must pass to count as data. */
  readonly check?: (script: string) => boolean;
}

/** How to find the command that another command runs. */
export interface Wrapper {
  /** Short options that take a value. */
  readonly values?: string;
  /** Short options without a value. */
  readonly flags?: string;
  /** Long options that take the next word as their value, unless it follows `=`. */
  readonly longValues?: readonly string[];
  /** Long options without a value. */
  readonly longFlags?: readonly string[];
  /** Number of words between the options and the command. */
  readonly operands?: number;
  /** Whether `NAME=value` words may precede the command. */
  readonly assignments?: boolean;
  /** Why the whole command is more dangerous than the command inside it. */
  readonly reason?: string;
  /** Options that make it only describe the command. */
  readonly describes?: string;
}

/**
 * What a program runs from its arguments or input: `code` in the program's language · `commands` of this machine · `packages`
 * that it downloads · commands `elsewhere`, on another machine or in a container · `later`, unseen · with more `power`.
 */
export type Runs = 'code' | 'commands' | 'packages' | 'elsewhere' | 'later' | 'power';

/** Irreversible effects of a subcommand. */
export interface Irreversible {
  /** A clause after "because it". */
  readonly says: string;
  /** Options that make it irreversible; without this list, the subcommand always is. A letter also counts in a group: `-fd`. */
  readonly options?: string;
  /** Operands that make it irreversible: `stash drop`. */
  readonly actions?: string;
  /** The prefix of an operand that makes it irreversible: `push origin +main`. */
  readonly prefix?: string;
  /** Whether it happens on another machine, which undo cannot reach. */
  readonly elsewhere?: true;
}

/** Collects the roles of a command's words. */
export interface WordSink {
  add(role: Role, value: string): void;
  /** Adds a word that may be or contain a path. */
  possiblePath(word: string): void;
  doubt(reason: string): void;
  /** Adds a host that no word names. */
  host(): void;
}

/** The effects of a program with a special argument syntax, in addition to the words with known roles. */
export interface SpecialReading {
  /** Whether it only reads. */
  readonly onlyReads: boolean;
  /** The command without its global options, if it has any. */
  readonly canonical?: readonly KnownWord[];
  /** Why it may start another program; null if it starts none. Default: every doubt about it is a reason. */
  readonly hides?: string | null;
}

/** Commands inside a command. */
export interface HeldCommands {
  /** Texts that the command passes to a shell. */
  readonly texts?: readonly string[];
  /** Commands that the command runs directly, as words. */
  readonly commands?: ReadonlyArray<readonly KnownWord[]>;
  /** Why the command is not fully understood. */
  readonly unknown?: readonly string[];
}

/** Everything that the policy knows about a program, or about similar ones: one row of a file in `programs/`. */
export interface Program {
  /** The names of the program, separated by spaces. */
  readonly names: string;
  /** The roles of its words. Without them, every word that may be a path is only compared with deny rules. */
  readonly words?: WordTable;
  /**
   * Harmless options: letters, then long names; `name?` takes a value only after `=`, `name=` any value, `-word` is one word.
   * An allow-list: any other option may read, write or run anything. GNU programs accept any prefix of a long name, so
   * `--recurs`, which is not listed, needs approval.
   */
  readonly flags?: string;
  /** For a program without `words`: options that make it run another program, or load configuration from a file. */
  readonly codeOptions?: string;
  /**
   * For a program without `words`: command lines that only read; a final `*` stands for any further words. A wrong entry
   * only costs time: such a command runs on a read-only workspace without network.
   */
  readonly onlyReads?: readonly string[];
  /** Subcommands with their aliases: `install = i = add`. Deny and ask rules apply to all of them. */
  readonly aliases?: readonly string[];
  /** Further subcommands of a program that accepts prefixes: `npm publ`. */
  readonly abbreviates?: string;
  /**
   * Number of words that name the action, for the rule that "always allow" saves: one for `tsc`, two for `git checkout`, one more
   * after subcommands in `deeper`: `npm run build`. Without this, no rule with a wildcard is proposed.
   */
  readonly naming?: number | { readonly words: number; readonly deeper: string };
  /** What it runs with any arguments. A rule with a wildcard after its name then allows any code. */
  readonly runs?: Runs;
  /** Whether none of its options starts a program. Its `code` then only names files. */
  readonly startsNothing?: true;
  /** For an interpreter whose code is always in its arguments: whether such a word starts no program. */
  readonly isPlainCode?: (word: string) => boolean;
  /** Like `runs`, by subcommand. */
  readonly runsIn?: Partial<Readonly<Record<Runs, readonly string[]>>>;
  /** The subcommand that runs a task of the project if a name follows: `bun run test`. */
  readonly runsTasks?: string;
  /** For a program that waits for keys forever if it has no terminal: options with which it needs no terminal. */
  readonly worksWithoutTerminal?: string;
  /** Whether it is a shell, which runs a text instead of words. */
  readonly shell?: true;
  /**
   * The subcommands that run an installed program of the project by name, or download it; an empty string if the program does
   * that without a subcommand, such as `npx vitest`.
   */
  readonly runsInstalled?: readonly string[];
  /** Options before the program's name that do not change this. */
  readonly installedFlags?: string;
  /** Whether it connects to hosts that no word names. */
  readonly network?: true;
  /** How to find a command that it runs unchanged, as in `timeout 5 npm test`. */
  readonly wrapper?: Wrapper;
  /** Irreversible effects, by subcommand. */
  readonly irreversible?: Readonly<Record<string, readonly Irreversible[]>>;
  /** Reads the words of a program with a special argument syntax. */
  readonly read?: (words: readonly KnownWord[], sink: WordSink) => SpecialReading;
  /** Adds effects of its words that a table cannot express. */
  readonly also?: (words: readonly KnownWord[], sink: WordSink) => void;
  /**
   * Returns the commands in its words.
   *
   * @param words the command
   * @param given the command with its wrappers
   */
  readonly holds?: (words: readonly KnownWord[], given: readonly KnownWord[]) => HeldCommands;
}
