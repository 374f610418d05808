import type { KnownWord } from './command-pattern.ts';

/** Why paths in a command are uncertain: it runs in another folder. Harmless for a command that only reads. */
export const CHANGES_FOLDER = 'cd changes what the paths after it mean';

/** Why something is not understood that hides no command: it is about words, which are unknown then, about files, or about commands that are judged themselves. */
export const SHOWS_COMMANDS: ReadonlySet<string> = new Set([
  CHANGES_FOLDER,
  'a path goes up again after going down',
  'the folder that cd goes to is only known when it runs',
  'the command word is only known when it runs',
  'a redirection leads to a file that is only known when it runs',
  'a redirection opens a connection',
  'a here document holds what is only known when it runs',
  'find runs a command on files that only it finds',
  'a shell is started inside the shell',
  'a variable is only known when it runs',
  'a wildcard stands for files that only the shell finds',
  'braces stand for several words in some shells only',
  'arithmetic is only known when it runs',
  "$'…' means something else in another shell",
  '$"…" means something else in another shell',
  '<(…) and >(…) mean something else in another shell',
  '~ is a folder that only the shell knows',
]);

/** A program of the project that another program starts by name, such as npx. */
export interface InstalledProgram {
  readonly name: string;
  /** The command without its launcher: `vitest run`. */
  readonly words: readonly KnownWord[];
}

/** A program that a command starts. */
export interface Exec {
  /** Its words without quotes; undefined for words that are known only at run time. */
  readonly words: readonly KnownWord[];
  /** The command as written. */
  readonly text: string;
  /** The program, without system folders; undefined if the command word is dynamic. */
  readonly name: string | undefined;
  /** Other forms of the command that deny and ask rules also check: with wrappers, without global options. */
  readonly forms: ReadonlyArray<readonly KnownWord[]>;
  /** The whole command, including its wrappers; undefined without a wrapper. */
  readonly wrapped: readonly KnownWord[] | undefined;
  /** Whether a wrapper may change what the program does: `sudo` may, `timeout` does not. */
  readonly altered: boolean;
  /** Why the program may do more than its words show. Then only a rule with exactly these words covers it. */
  readonly doubts: readonly string[];
  /** For `npx vitest run`: the installed program. If it is not installed, npx downloads it. */
  readonly installed?: InstalledProgram | undefined;
  /** Whether unknown words of it may become several, or options. */
  readonly splits: boolean;
  /** Whether xargs adds words from its input. */
  readonly appended: boolean;
  /** Whether it only reads, judged by its words. */
  readonly onlyReads: boolean;
}

/** A file or folder that a command touches. */
export interface PathEffect {
  /** The path as written, relative to the folder after `cd`. */
  readonly path: string;
  /** Whether everything below it is included. */
  readonly tree: boolean;
  /** Whether a link gives it another name, by which it may be read and written later. Default: false. */
  readonly linked?: boolean;
  /** Index of the program in `execs`; undefined if the shell itself does it, as in `> file`. */
  readonly exec: number | undefined;
}

/** A host that a command connects to; undefined if no word names it. */
export interface HostEffect {
  readonly host: string | undefined;
  readonly exec: number | undefined;
  /** The folders where the command may run, from the workspace; only if the host is not named. */
  readonly folders?: readonly string[];
  /** Whether commands after it may run before it does: in a loop, a pipeline or the background. Default: false. */
  readonly overlaps?: boolean;
}

/** Everything that a command does, derived from its text. */
export interface Effects {
  readonly execs: readonly Exec[];
  readonly reads: readonly PathEffect[];
  readonly writes: readonly PathEffect[];
  readonly deletes: readonly PathEffect[];
  /** Words of unknown programs that may be paths. */
  readonly possiblePaths: readonly PathEffect[];
  readonly net: readonly HostEffect[];
  /** Why the text is not fully understood. */
  readonly unknown: readonly string[];
  /** Those of {@link unknown} that may hide a command. */
  readonly hidden: readonly string[];
}

/**
 * Counts the work of understanding commands. One step is a word, a node or 64 characters, and takes up to 1 µs. Steps instead of
 * time: the answer must be the same on a slow machine.
 */
export interface Steps {
  left: number;
}

/** Maximum number of steps for one command. 4,000 ordinary commands take them; nested ones can take more steps than there are atoms. */
export const MAX_STEPS = 200_000;

/** {@link Effects} while they are collected. */
export interface EffectsDraft {
  readonly steps: Steps;
  readonly execs: Exec[];
  readonly reads: PathEffect[];
  readonly writes: PathEffect[];
  readonly deletes: PathEffect[];
  readonly possiblePaths: PathEffect[];
  readonly net: HostEffect[];
  readonly unknown: string[];
  readonly hidden: string[];
}
