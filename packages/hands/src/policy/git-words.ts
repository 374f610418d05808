import type { KnownWord } from './command-pattern.ts';
import type { OptionRoles, Role, SpecialReading, WordSink } from './program.ts';
import { readWords } from './program-words.ts';

/** The words of git's command line: see `programs/git.ts`. Lists are separated by spaces. */
export interface GitTable {
  /** Options before the subcommand: those that take the next word, those that only change the output, those that name another repository. */
  readonly globals: { readonly valued: string; readonly harmless: string; readonly places: string };
  /** Options of any subcommand that run a program or load configuration from a file. Matched by prefix, as in git. */
  readonly codeOptions: string;
  /** Short options with the same meaning, by subcommand. */
  readonly codeLetters: Readonly<Record<string, string>>;
  /** Options with a value that names a file, in every subcommand. */
  readonly fileOptions: OptionRoles;
  /** Options of a subcommand that name a folder to write to. */
  readonly folderOptions: Readonly<Record<string, string>>;
  /** Subcommands with a special role for operands. Operands of other subcommands are compared with deny rules. */
  readonly operands: Readonly<Record<string, Role>>;
  readonly network: string;
  /** Subcommands that run programs, or set which programs other commands run. */
  readonly launching: string;
  /** Options with free text. */
  readonly messages: Readonly<Record<string, string>>;
  /** Subcommands that only read, whatever follows. A following word may still name a file to write, which is a separate effect. */
  readonly reading: string;
  /** Subcommands that read if one of these words follows. The empty word means nothing follows. */
  readonly readingActions: Readonly<Record<string, readonly string[]>>;
  /** Subcommands that list with these options, and create a name from an operand without one of the `filters`. */
  readonly listing: { readonly subcommands: string; readonly options: string; readonly valued: string; readonly filters: string };
}

/** The meaning of the words of a git command. */
export interface GitReading {
  readonly subcommand: string;
  /** The words from the subcommand on, for deny rules. */
  readonly canonical: readonly KnownWord[];
  readonly operands: Role | undefined;
  readonly options: Readonly<Record<string, Role>>;
  readonly network: boolean;
  /** Whether it only reads a repository, here or elsewhere. */
  readonly onlyReads: boolean;
  readonly reasons: readonly string[];
  /** Why it may run another program; null if it does not. */
  readonly hides: string | null;
}

const listed = (text: string): readonly string[] => text.split(' ');
const own = <Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** A path that git treats as outside the repository, so that `git diff` compares plain files. */
const LEADS_OUT = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/u;

function runsCode(table: GitTable, subcommand: string, word: string): boolean {
  if (word.startsWith('--')) {
    const name = word.split('=', 1)[0] ?? '';
    return listed(table.codeOptions).some((option) => option.startsWith(name));
  }
  const letters = own(table.codeLetters, subcommand);
  return letters !== undefined && word.startsWith('-') && Array.from(word.slice(1)).some((letter) => letters.includes(letter));
}

function onlyLists({ listing }: GitTable, rest: readonly KnownWord[]): boolean {
  const [options, valued, filters] = [listed(listing.options), listed(listing.valued), listed(listing.filters)];
  const names = rest.map((word) => (word?.startsWith('--') === true ? (word.split('=', 1)[0] ?? '') : word));
  const filtered = names.some((name) => name !== undefined && filters.includes(name));
  return names.every((name, index) => {
    if (name === undefined) return false;
    if (!name.startsWith('-')) return filtered || valued.includes(names[index - 1] ?? '');
    return options.includes(name) || valued.includes(name) || filters.includes(name) || /^-n\d+$/u.test(name);
  });
}

/** Whether a git command without global options only reads the repository. */
function readsRepository(table: GitTable, [, subcommand = '', ...rest]: readonly KnownWord[]): boolean {
  if (listed(table.reading).includes(subcommand)) return true;
  if (listed(table.listing.subcommands).includes(subcommand)) return onlyLists(table, rest);
  if (subcommand === 'symbolic-ref')
    return rest.filter((word) => word?.startsWith('-') !== true).length === 1 && !rest.some((word) => /^-[dm]|^--delete/u.test(word ?? ''));
  const [action = ''] = rest;
  return own(table.readingActions, subcommand)?.includes(action) === true;
}

function optionsOf(table: GitTable, subcommand: string): Readonly<Record<string, Role>> {
  const options: Record<string, Role> = {};
  for (const [role, names] of Object.entries(table.fileOptions)) for (const name of listed(names)) options[name] = role as Role;
  for (const name of listed(own(table.folderOptions, subcommand) ?? '')) if (name !== '') options[name] = 'writeTree';
  for (const name of listed(own(table.messages, subcommand) ?? '')) if (name !== '') options[name] = 'data';
  return options;
}

/** What a part of a git command says beyond the table of its subcommand. */
interface Doubts {
  readonly reasons: readonly string[];
  /** Whether git itself does nothing else than without it. */
  readonly plain: boolean;
  /** How it may run a program that is not named; null if it cannot. */
  readonly hides: string | null;
}

/** Reads the options before the subcommand. @returns also the index of the subcommand */
function readGlobals({ globals }: GitTable, words: readonly KnownWord[]): Doubts & { readonly index: number } {
  const [valued, harmless, places] = [listed(globals.valued), listed(globals.harmless), listed(globals.places)];
  const names: string[] = [];
  let index = 1;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined || !word.startsWith('-')) break;
    names.push(word.split('=', 1)[0] ?? '');
    if (valued.includes(word)) index += 1;
  }
  const changing = names.filter((name) => !harmless.includes(name));
  const running = changing.find((name) => !places.includes(name));
  return {
    index,
    reasons: changing.map((name) => `git ${name} changes what git runs or where`),
    plain: running === undefined,
    hides: running === undefined ? null : `git ${running} can make git run a program`,
  };
}

/** Reads the options of a subcommand that can run a program. */
function readRunning(table: GitTable, subcommand: string, words: readonly KnownWord[]): Doubts {
  const end = words.indexOf('--');
  const reasons = (end === -1 ? words : words.slice(0, end))
    .filter((word) => word !== undefined && runsCode(table, subcommand, word))
    .map((word) => `git ${subcommand} ${word?.split('=', 1)[0]} can run a program`);
  return { reasons, plain: reasons.length === 0, hides: reasons[0] ?? null };
}

/** How a subcommand may run a program that is not named. */
function subcommandHides(table: GitTable, subcommand: string, isUnknown: boolean): string | null {
  if (isUnknown) return 'the subcommand is only known when it runs';
  return listed(table.launching).includes(subcommand) ? `git ${subcommand} can make git run a program` : null;
}

/** Reads a git command: the role of files in its subcommand, and whether it can run other programs. */
export function readGit(table: GitTable, words: readonly KnownWord[]): GitReading {
  const { index, ...globals } = readGlobals(table, words);
  const subcommand = words[index] ?? '';
  const running = readRunning(table, subcommand, words.slice(index + 1));
  const canonical = ['git', ...words.slice(index)];
  // `git --version` has no subcommand.
  const asksForFacts = subcommand === '' && words.some((word) => word === '--version' || word === '--help');
  const onlyReads = globals.plain && running.plain && (asksForFacts || readsRepository(table, canonical));
  const hides = globals.hides ?? running.hides ?? subcommandHides(table, subcommand, index < words.length && words[index] === undefined);
  return {
    subcommand,
    canonical,
    operands: own(table.operands, subcommand),
    options: optionsOf(table, subcommand),
    network: listed(table.network).includes(subcommand) && !onlyReads,
    onlyReads,
    reasons: [...globals.reasons, ...running.reasons],
    hides: onlyReads ? null : hides,
  };
}

/** What a subcommand does to the whole folder if no operand names a file. */
const TO_ALL: Readonly<Record<string, Role>> = { grep: 'readTree', clean: 'deleteTree' };
/** What it does there whatever the operands: the patch names the files to change. */
const BY_PATCH: Readonly<Record<string, Role>> = { apply: 'writeTree', am: 'writeTree' };

/** Interprets the words of a git command by the table. */
export function gitReader(table: GitTable): (words: readonly KnownWord[], sink: WordSink) => SpecialReading {
  return (words, sink) => {
    const git = readGit(table, words);
    for (const reason of git.reasons) sink.doubt(reason);
    if (git.network) sink.host();
    const { operands, seen } = readWords(git.canonical.slice(1), { options: git.options }, undefined, sink);
    const noIndex = Array.from(seen).some((option) => option.length > 5 && '--no-index'.startsWith(option));
    const plainDiff = git.subcommand === 'diff' && (noIndex || operands.some((operand) => LEADS_OUT.test(operand)));
    const role = plainDiff ? 'readTree' : git.operands;
    // The first operand of `git grep` is the pattern. It searches the remaining operands, or the whole folder.
    const hasPattern = git.subcommand === 'grep' && !seen.has('-e') && !seen.has('-f');
    const rest = hasPattern ? operands.slice(1) : operands;
    for (const operand of rest) {
      if (role !== undefined) sink.add(role, operand);
      else if (LEADS_OUT.test(operand)) sink.add('read', operand);
      else sink.possiblePath(operand);
    }
    const whole = own(BY_PATCH, git.subcommand) ?? (rest.length === 0 ? own(TO_ALL, git.subcommand) : undefined);
    if (whole !== undefined) sink.add(whole, '.');
    return { onlyReads: git.onlyReads, canonical: git.canonical, hides: git.hides };
  };
}
