import type { KnownWord } from './command-pattern.ts';

/** A program that a command starts. */
export interface Exec {
  /** Its words after quotes are gone; undefined where a word is only known when the command runs. */
  readonly words: readonly KnownWord[];
  /** The command as it is written, for a person. */
  readonly text: string;
  /** The program, with system folders taken off; undefined where the command word itself is dynamic. */
  readonly name: string | undefined;
  /** Other forms of the same command, which deny and ask rules also see: with its wrappers, without global options. */
  readonly forms: ReadonlyArray<readonly KnownWord[]>;
  /** The whole command with its wrappers, where it has any. */
  readonly wrapped: readonly KnownWord[] | undefined;
  /** Whether a wrapper may change what the program inside does, as `sudo` does and `timeout` does not. */
  readonly altered: boolean;
  /** What makes this program more than its words say; only a rule with exactly these words covers it. */
  readonly doubts: readonly string[];
  /** Whether it does nothing but read, as far as its words tell. */
  readonly onlyReads: boolean;
}

/** A file or folder that a command touches. */
export interface PathEffect {
  /** As written, behind the folder that `cd` went to. */
  readonly path: string;
  /** Whether everything below it is meant too. */
  readonly tree: boolean;
  /** Index of the program among `execs`; undefined where the shell itself does it, as in `> file`. */
  readonly exec: number | undefined;
}

/** Another machine that a command talks to; an undefined host is one that no word names. */
export interface HostEffect {
  readonly host: string | undefined;
  readonly exec: number | undefined;
}

/** All that a command does, as far as its text tells. */
export interface Effects {
  readonly execs: readonly Exec[];
  readonly reads: readonly PathEffect[];
  readonly writes: readonly PathEffect[];
  readonly deletes: readonly PathEffect[];
  /** Words of programs that are not known here, which may be paths. */
  readonly mentions: readonly PathEffect[];
  readonly net: readonly HostEffect[];
  /** Why the text does not tell everything. */
  readonly unknown: readonly string[];
}

/** {@link Effects} while they are collected. */
export interface EffectsDraft {
  readonly execs: Exec[];
  readonly reads: PathEffect[];
  readonly writes: PathEffect[];
  readonly deletes: PathEffect[];
  readonly mentions: PathEffect[];
  readonly net: HostEffect[];
  readonly unknown: string[];
}

/** No effect at all. */
export function emptyEffects(): EffectsDraft {
  return { execs: [], reads: [], writes: [], deletes: [], mentions: [], net: [], unknown: [] };
}

/** Judging a place takes up to 0.1 ms; a command that names more is none that anybody wrote. */
const MAX_PLACES = 2_000;

/**
 * Leaves out what is said twice, and what is too much to be judged.
 *
 * @returns whether anything was too much
 */
export function boundPlaces({ reads, writes, deletes, mentions }: EffectsDraft): boolean {
  let left = MAX_PLACES;
  let overflows = false;
  for (const list of [deletes, writes, reads, mentions]) {
    const once = new Map(list.map((effect) => [`${effect.exec ?? ''} ${effect.tree} ${effect.path}`, effect]));
    list.splice(0, list.length, ...Array.from(once.values()).slice(0, left));
    overflows ||= once.size > left;
    left -= list.length;
  }
  return overflows;
}
