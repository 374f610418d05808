import type { KnownWord } from './command-pattern.ts';
import type { EffectsDraft, Exec, InstalledProgram, Steps } from './effects.ts';
import { interpreterReason, isLauncher, unwrap } from './interpreters.ts';
import { type ProgramEffects, programEffects } from './program-effects.ts';
import type { HeldCommands } from './program.ts';
import { aliasedCommands, findProgram, listed, programName, programsLike } from './program-table.ts';

/** A name in `node_modules/.bin`: no version, no path and no scope. */
const PLAIN_NAME = /^[A-Za-z0-9][\w.-]*$/u;

/**
 * Returns the installed program that a command such as `npx vitest run` starts; undefined for any other command, or if an
 * option before the name may change its meaning.
 *
 * @param name the program, from `programName`
 */
export function installedProgram(name: string, words: readonly KnownWord[]): InstalledProgram | undefined {
  const program = findProgram(name);
  const flags = listed(program?.installedFlags);
  for (const subcommand of program?.runsInstalled ?? []) {
    if (subcommand !== '' && words[1] !== subcommand) continue;
    let start = subcommand === '' ? 1 : 2;
    while (flags.includes(words[start] ?? '')) start += 1;
    const installed = words[start];
    if (installed !== undefined && PLAIN_NAME.test(installed)) return { name: installed, words: words.slice(start) };
  }
  return undefined;
}

/**
 * Variables that may be set before a command because they change only its colors, language or verbosity.
 * An allow-list: PATH, LD_PRELOAD, GIT_*, NODE_OPTIONS, PYTHONPATH, IFS, *_proxy and others can
 * make another program run, or change what this one runs.
 */
const HARMLESS =
  /^(?:CI|TZ|LANG|LANGUAGE|LC_[A-Z]+|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|COLORTERM|NODE_ENV|RAILS_ENV|RACK_ENV|APP_ENV|FLASK_ENV|MIX_ENV|DEBUG|VERBOSE|LOG_LEVEL|RUST_LOG|RUST_BACKTRACE|CARGO_TERM_COLOR|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONHASHSEED|DEBIAN_FRONTEND|NPM_CONFIG_(?:COLOR|LOGLEVEL|FUND|AUDIT)|npm_config_(?:color|loglevel|fund|audit)|SOURCE_DATE_EPOCH|UPDATE_SNAPSHOTS?|PORT)$/u;

/** Returns why setting a variable may change what a command runs; undefined if it cannot. */
export function assignmentReason(name: string): string | undefined {
  return HARMLESS.test(name) ? undefined : `setting ${name.slice(0, 60)} can change what runs`;
}

/** Thrown when a command takes more steps than it may. What is known of it by then counts, and the rest is not understood. */
export class OutOfSteps extends Error {}

/** @throws OutOfSteps */
export function spend(steps: Steps, amount: number): void {
  steps.left -= amount;
  if (steps.left < 0) throw new OutOfSteps();
}

/** Returns empty effects. */
export function emptyEffects(steps: Steps): EffectsDraft {
  return { steps, execs: [], reads: [], writes: [], deletes: [], possiblePaths: [], net: [], unknown: [], hidden: [] };
}

/** Maximum number of paths of a command. Judging one takes up to 0.1 ms, and no handwritten command names more. */
const MAX_PLACES = 2_000;

/**
 * Removes duplicates, and effects beyond the limit.
 *
 * @returns whether there were effects beyond the limit
 */
export function boundPlaces({ reads, writes, deletes, possiblePaths }: EffectsDraft): boolean {
  let left = MAX_PLACES;
  let overflows = false;
  for (const list of [deletes, writes, reads, possiblePaths]) {
    const once = new Map(list.map((effect) => [`${effect.exec ?? ''} ${effect.tree} ${effect.linked === true} ${effect.path}`, effect]));
    list.splice(0, list.length, ...Array.from(once.values()).slice(0, left));
    overflows ||= once.size > left;
    left -= list.length;
  }
  return overflows;
}

/** A simple command with its words. */
export interface ExecInput {
  readonly words: readonly KnownWord[];
  /** The command as written. */
  readonly text: string;
  /** Whether it has input from a pipe or a redirection. */
  readonly piped: boolean;
  /** Whether an unknown word may turn into several, or into options. */
  readonly splits: boolean;
  /** See `HostEffect`. */
  readonly overlaps: boolean;
}

/** Maximum number of programs of a command. */
const MAX_EXECS = 2_000;
const MAX_WRAPPERS = 16;
/** Maximum length of a word that is searched for commands, in characters. */
const MAX_LENGTH = 4_000;

/** Maximum number of option words before the subcommand that are searched. */
const MAX_LEADING = 8;

/** Removes words before the subcommand of `npm --silent publish`: one form for each word that may be the subcommand. */
function withoutLeadingOptions(words: readonly KnownWord[]): Array<readonly KnownWord[]> {
  const forms: Array<readonly KnownWord[]> = [];
  for (let index = 1; index < Math.min(words.length - 1, MAX_LEADING); index += 1) {
    // `cargo +nightly` names a toolchain.
    const isOption = words[index]?.startsWith('-') === true || (index === 1 && words[index]?.startsWith('+') === true);
    // A word after an option is either its value or the subcommand.
    if (!isOption && words[index - 1]?.startsWith('-') !== true) break;
    forms.push([words[0], ...words.slice(index + 1)]);
  }
  return forms;
}

/** Maximum number of words of a launcher that are searched. */
const MAX_LAUNCHED = 16;

/**
 * Returns the possible commands of a program that runs another: the words from each position on, and commands inside a
 * word. Only deny and ask rules check these.
 */
function launched(words: readonly KnownWord[], steps: Steps): Array<readonly KnownWord[]> {
  spend(steps, stepsFor(words));
  const texts = words.slice(1).filter((word) => word !== undefined && /\s/u.test(word));
  const within = texts
    .flatMap((text) => {
      const start = (text ?? '').slice(0, MAX_LENGTH);
      // As many commands and words as characters.
      spend(steps, start.length);
      return start.split(/[;&|\n"']+/u);
    })
    .map((text) => text.trim().replace(/^(?:-\w*?S|--[\w-]+=)/u, ''));
  const tails = words.slice(1, MAX_LAUNCHED).map((_, index) => words.slice(index + 1));
  return [...tails, ...within.filter((text) => text !== '').map((text) => text.split(/\s+/u))];
}

/** Number of characters that one step looks at. */
const STEP_CHARACTERS = 64;

/** The steps for looking at words once. */
function stepsFor(words: readonly KnownWord[]): number {
  let characters = 0;
  for (const word of words) characters += word?.length ?? 0;
  return words.length + characters / STEP_CHARACTERS;
}

type Place = (path: string) => readonly string[];
type Unknown = (...reasons: string[]) => void;

type Found = ReturnType<typeof programEffects>['effects'];

function record(exec: Exec, { draft, effects, place, overlaps }: { draft: EffectsDraft; effects: Found; place: Place; overlaps: boolean }): void {
  const index = draft.execs.push(exec) - 1;
  for (const { kind, value, tree, linked = false } of effects) {
    if (kind === 'host') {
      draft.net.push({ host: value, exec: index, ...(value === undefined ? { folders: place('.'), ...(overlaps ? { overlaps } : {}) } : {}) });
      continue;
    }
    const list = { read: draft.reads, write: draft.writes, delete: draft.deletes, possiblePath: draft.possiblePaths }[kind];
    for (const path of place(value ?? '')) {
      spend(draft.steps, 1 + path.length / STEP_CHARACTERS);
      if (path !== '') list.push({ path, tree, exec: index, ...(linked ? { linked } : {}) });
    }
  }
}

/** A command without the wrappers around it. */
interface Unwrapped {
  readonly words: readonly KnownWord[];
  /** The command with each of its wrappers. */
  readonly layers: ReadonlyArray<readonly KnownWord[]>;
  /** Why the program may do something else than its words say. */
  readonly doubts: readonly string[];
  /** Whether a wrapper adds words when it runs. */
  readonly appended: boolean;
}

function withoutWrappers(given: readonly KnownWord[], steps: Steps): Unwrapped {
  const layers: Array<readonly KnownWord[]> = [];
  const doubts: string[] = [];
  let words = given;
  let appended = false;
  for (let layer = 0; layer < MAX_WRAPPERS; layer += 1) {
    const inner = isWrapper(words[0]) ? unwrap(words) : undefined;
    if (inner?.words === undefined) break;
    spend(steps, words.length);
    if (inner.words.length === 0) {
      doubts.push(`${words[0]} has no command that could be judged`);
      break;
    }
    layers.push(words);
    doubts.push(...inner.reasons);
    for (const assignment of inner.assignments) {
      const reason = assignmentReason((assignment ?? '').split('=', 1)[0] ?? '');
      if (reason !== undefined) doubts.push(reason);
    }
    appended ||= /^(?:xargs|parallel)$/u.test(programName(words[0] ?? ''));
    words = inner.words;
    if (words[0] === undefined) doubts.push('the command word is only known when it runs');
  }
  return { words, layers, doubts, appended };
}

/** Returns the other words by which a rule may name a command. */
function formsOf(
  { words, layers, doubts }: Unwrapped,
  {
    name,
    canonical,
    given,
    steps,
  }: { name: string | undefined; canonical: readonly KnownWord[] | undefined; given: readonly KnownWord[]; steps: Steps },
): Array<readonly KnownWord[]> {
  const forms = [...layers];
  const add = (found: Array<readonly KnownWord[]>): void => {
    for (const form of found) {
      spend(steps, 1 + form.length);
      forms.push(form);
    }
  };
  if (canonical !== undefined && canonical.length !== words.length) forms.push(canonical);
  add(withoutLeadingOptions(words));
  // An unknown option may take the next word, which may be a command for a wrapper.
  if (doubts.length > 0) add(launched(given, steps));
  if (runsAny(words[0]) && isLauncher(words) && !isShell(name)) add(launched(words, steps));
  const base = name?.slice(name.lastIndexOf('/') + 1);
  // /opt/bin/rm is not rm for an allow rule, but it is for a deny rule.
  if (base !== undefined && base !== words[0]) forms.push([base, ...words.slice(1)]);
  for (const form of [words, ...forms]) {
    spend(steps, 1);
    add(aliasedCommands(form));
  }
  return forms;
}

/** Why the number of words is not known; undefined if it is, or does not matter. */
function splitDoubt({ splits }: ExecInput, name: string | undefined): string | undefined {
  if (!splits || (name !== undefined && findProgram(name)?.words?.anyWords === true)) return undefined;
  return 'an argument is only known when it runs, and may become several';
}

/**
 * Adds the effects of a simple command to the draft. Removes wrappers and looks up the program.
 *
 * @returns texts that it passes to a shell
 */
export function readExec(input: ExecInput, draft: EffectsDraft, place: Place, unknown: Unknown): { texts: string[] } {
  const { steps } = draft;
  if (draft.execs.length >= MAX_EXECS) throw new OutOfSteps();
  // The table of its program reads each word several times.
  spend(steps, 2 * stepsFor(input.words));
  const unwrapped = withoutWrappers(input.words, steps);
  const { words, appended } = unwrapped;
  const [first] = words;
  const name = first === undefined ? undefined : programName(first);
  if (name?.includes('/') === true) effectsOfPath(name, draft, place);
  if ((input.piped || appended) && interpreterReason(words) !== undefined) unknown(`${name} runs what is fed to it`);
  const read = name === undefined ? undefined : programEffects(name, words);
  record(execOf(input, unwrapped, name, read, steps), { draft, effects: read?.effects ?? [], place, overlaps: input.overlaps });
  const held = heldBy(name, words, input.words);
  if (held === undefined) return { texts: [] };
  unknown(...(held.unknown ?? []));
  const inner = (held.commands ?? []).flatMap(
    (command) => readExec({ words: command, text: input.text, piped: false, splits: false, overlaps: true }, draft, place, unknown).texts,
  );
  return { texts: [...(held.texts ?? []), ...inner] };
}

/** A simple command as it is judged. @param name of its program, if it is known */
function execOf(input: ExecInput, unwrapped: Unwrapped, name: string | undefined, read: ProgramEffects | undefined, steps: Steps): Exec {
  const { words, appended } = unwrapped;
  // Such a wrapper may make the program write.
  const altered = unwrapped.doubts.length > 0;
  const split = splitDoubt(input, name);
  return {
    words: name === undefined ? words : [name, ...words.slice(1)],
    text: input.text,
    name,
    forms: formsOf(unwrapped, { name, canonical: read?.canonical, given: input.words, steps }),
    wrapped: words === input.words ? undefined : input.words,
    altered,
    installed: name === undefined || altered ? undefined : installedProgram(name, words),
    doubts: [...new Set([...unwrapped.doubts, ...(read?.doubts ?? []), ...(split === undefined ? [] : [split])])],
    onlyReads: read?.onlyReads === true && !altered && split === undefined,
    splits: input.splits,
    appended,
  };
}

const isWrapper = (word: KnownWord): boolean => findProgram(programName(word ?? ''))?.wrapper !== undefined;

/** Whether the program has commands that run their arguments. */
const runsAny = (word: KnownWord): boolean => programsLike(word ?? '').some(({ runs, runsIn }) => runs !== undefined || runsIn !== undefined);

const isShell = (name: string | undefined): boolean => name !== undefined && programsLike(name).some(({ shell }) => shell === true);

/** Returns the commands in the words of a program. Recognizes a shell in any spelling of its name. */
function heldBy(name: string | undefined, words: readonly KnownWord[], given: readonly KnownWord[]): HeldCommands | undefined {
  if (name === undefined) return undefined;
  const holds = programsLike(name).find(({ shell }) => shell === true)?.holds ?? findProgram(name)?.holds;
  return holds?.(words, given);
}

/** Adds the program's file: running a program in the workspace reads it. */
function effectsOfPath(name: string, draft: EffectsDraft, place: Place): void {
  for (const path of place(name)) draft.possiblePaths.push({ path, tree: false, exec: undefined });
}
