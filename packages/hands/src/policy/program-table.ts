import type { KnownWord } from './command-pattern.ts';
import type { Exec } from './effects.ts';
import type { Irreversible, OptionRoles, Program, Role, WordTable } from './program.ts';
import { parseFlags, type ProgramFlags } from './program-words.ts';
import { PROGRAM_FILES } from './programs.ts';

interface Names {
  /** Each name with all of its aliases, including itself. */
  readonly rows: ReadonlyMap<string, readonly string[]>;
  readonly abbreviates: boolean;
}

function namesOf({ aliases = [], abbreviates }: Program): Names {
  const rows = new Map<string, readonly string[]>();
  for (const row of [...aliases.map((names) => names.split(' = ')), ...listed(abbreviates).map((name) => [name])]) {
    for (const name of row) rows.set(name, row);
  }
  return { rows, abbreviates: abbreviates !== undefined };
}

const namesByProgram = new Map<Program, Names>();

/** Returns the subcommand aliases of a program. */
function subcommandsOf(word: string): Names | undefined {
  const program = programsLike(word).find(({ aliases, abbreviates }) => aliases !== undefined || abbreviates !== undefined);
  if (program === undefined) return undefined;
  let found = namesByProgram.get(program);
  if (found === undefined) namesByProgram.set(program, (found = namesOf(program)));
  return found;
}

/** Returns the possible subcommands for a word, including those it abbreviates if the program accepts prefixes. */
function meant({ rows, abbreviates }: Names, word: string): readonly string[] {
  const exact = rows.get(word);
  if (exact !== undefined || !abbreviates || word === '') return exact ?? [];
  // npm accepts `installTest` for `install-test`. It refuses ambiguous words; here they match each candidate.
  const plain = word.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
  return [...rows].flatMap(([name, row]) => (name.startsWith(plain) ? row : []));
}

/**
 * A command under the other names of its subcommand: `npm i`, `npm add` and `npm inst` are `npm install`, and `docker
 * container run` is `docker run`. For deny and ask rules, which are about the action.
 */
export function aliasedCommands(words: ReadonlyArray<string | undefined>): Array<ReadonlyArray<string | undefined>> {
  const known = subcommandsOf(words[0] ?? '');
  const [program, first, second, ...rest] = words;
  if (known === undefined || first === undefined) return [];
  const one = meant(known, first).map((name) => [program, ...name.split(' '), ...words.slice(2)]);
  const two = second === undefined ? [] : (known.rows.get(`${first} ${second}`) ?? []).map((name) => [program, ...name.split(' '), ...rest]);
  return [...one, ...two];
}

/** A folder that only the administrator writes to. A program in it is the program of that name. */
const SYSTEM_FOLDER = /^\/(?:usr\/)?s?bin\/([^/]+)$/u;

/**
 * Returns the program that a command word starts. A bare name or a path in a system folder is the program of that name; any
 * other path stays as it is: `./git` is not git.
 */
export function programName(word: string): string {
  return SYSTEM_FOLDER.exec(word)?.[1] ?? word;
}

/** Maximum length of a file name, in bytes (NAME_MAX). */
const MAX_NAME = 255;

/** Returns the name without folder, version and case, for deny rules: `/opt/Python3.11` is python. */
function programFamily(word: string): string {
  const base = word.slice(word.lastIndexOf('/') + 1).toLowerCase();
  // No file has such a name, and the expression takes time with its square.
  if (base.length > MAX_NAME) return base;
  const bare = base.replace(/\.exe$/u, '').replace(/[-.\d]+$/u, '');
  return bare === '' ? base : bare;
}

/** A table row, prepared for lookups. */
export interface KnownProgram extends Omit<Program, 'words' | 'flags' | 'codeOptions'> {
  readonly words: ReadableWords | undefined;
  /** Undefined if the program has no options, like `echo`. */
  readonly flags: ProgramFlags | undefined;
  readonly codeOptions: readonly string[];
}

/** A {@link WordTable} with the lists of options split up. */
export interface ReadableWords extends Omit<WordTable, 'options' | 'attached' | 'second' | 'switches' | 'firstIsOption' | 'lastIsOption'> {
  readonly options: Readonly<Record<string, Role>>;
  readonly attached: Readonly<Record<string, Role>>;
  readonly second: Readonly<Record<string, Role>>;
  readonly switches: Readonly<Record<string, Role>>;
  readonly firstIsOption: readonly string[];
  readonly lastIsOption: readonly string[];
}

/** Splits a space-separated list into words. */
export function listed(text: string | undefined): readonly string[] {
  return text === undefined || text === '' ? [] : text.split(' ');
}

/** Maps each option to its role. */
function rolesOf(roles: OptionRoles | undefined): Readonly<Record<string, Role>> {
  const found: Record<string, Role> = {};
  for (const [role, options] of Object.entries(roles ?? {})) for (const option of listed(options)) found[option] = role as Role;
  return found;
}

function readable(words: WordTable): ReadableWords {
  return {
    ...words,
    options: rolesOf(words.options),
    attached: rolesOf(words.attached),
    second: rolesOf(words.second),
    switches: rolesOf(words.switches),
    firstIsOption: listed(words.firstIsOption),
    lastIsOption: listed(words.lastIsOption),
  };
}

const rows = (): Array<readonly [name: string, program: Program]> =>
  PROGRAM_FILES.flatMap((file) => file.flatMap((program) => listed(program.names).map((name) => [name, program] as const)));

let byName: ReadonlyMap<string, Program> | undefined;
let byFamily: ReadonlyMap<string, readonly Program[]> | undefined;
const known = new Map<Program, KnownProgram>();

/** Returns all names that the policy knows. */
export function knownNames(): readonly string[] {
  return rows().map(([name]) => name);
}

/** Returns the row of a program with exactly this name, from `programName`. */
export function findProgram(name: string): KnownProgram | undefined {
  byName ??= new Map(rows());
  const program = byName.get(name);
  if (program === undefined) return undefined;
  let found = known.get(program);
  if (found === undefined) {
    const { words, flags, codeOptions } = program;
    found = {
      ...program,
      words: words === undefined ? undefined : readable(words),
      flags: flags === undefined ? undefined : parseFlags(flags),
      codeOptions: listed(codeOptions),
    };
    known.set(program, found);
  }
  return found;
}

/** Returns the rows of a program by its name in any folder, version or case, for deny rules. */
export function programsLike(word: string): readonly Program[] {
  byFamily ??= new Map(
    // The number in i386 is not a version.
    Array.from(
      Map.groupBy(rows(), ([name]) => programFamily(name)),
      ([family, found]) => [family, found.map(([, program]) => program)],
    ),
  );
  return byFamily.get(programFamily(word)) ?? [];
}

function hasOption(words: readonly KnownWord[], option: string): boolean {
  return words.some((word) => {
    if (word === undefined || !word.startsWith('-')) return false;
    if (option.startsWith('--'))
      return option === '--' ? word === '--' : word.length > 3 && word.startsWith('--') && option.startsWith(word.split('=', 1)[0] ?? '');
    return !word.startsWith('--') && word.slice(1).includes(option.slice(1));
  });
}

function applies({ options, actions, prefix }: Irreversible, rest: readonly KnownWord[]): boolean {
  if (options === undefined && actions === undefined && prefix === undefined) return true;
  if (listed(options).some((option) => hasOption(rest, option))) return true;
  const operands = rest.filter((word) => word?.startsWith('-') !== true);
  if (actions !== undefined) return operands.some((word) => word !== undefined && listed(actions).includes(word));
  return prefix !== undefined && operands.some((word) => word?.startsWith(prefix) === true);
}

/**
 * Returns what a command destroys irreversibly, as a clause after "because it"; undefined for any other command.
 *
 * @param canonical the words without global options: `git push --force`
 * @param covered whether its changes in the workspace can be undone
 */
export function irreversible(canonical: readonly KnownWord[], covered = false): string | undefined {
  const [name = '', subcommand = '', ...rest] = canonical;
  const table = findProgram(name)?.irreversible;
  const losses = table !== undefined && Object.hasOwn(table, subcommand) ? table[subcommand] : undefined;
  return losses?.find((loss) => (loss.elsewhere === true || !covered) && applies(loss, rest))?.says;
}

/** What a command destroys irreversibly, in one of the forms in which rules see it. @param covered see {@link irreversible} */
export function lossOf({ words, forms }: Pick<Exec, 'words' | 'forms'>, covered: boolean): string | undefined {
  return [words, ...forms].map((form) => irreversible(form, covered)).find((loss) => loss !== undefined);
}
