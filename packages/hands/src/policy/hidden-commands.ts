import type { CommandPattern, KnownWord } from './command-pattern.ts';
import type { Exec } from './effects.ts';
import { assignmentReason } from './exec-effects.ts';
import { runsOf, unwrap } from './interpreters.ts';
import { programEffects } from './program-effects.ts';
import { findProgram, programName, programsLike, type KnownProgram } from './program-table.ts';
import type { Program, Role } from './program.ts';

// What a deny rule for a program cannot see. Loaded always, run only where such a rule exists.

/** Wrappers that a command is looked for in. */
const MAX_WRAPPERS = 16;
/** Options that take code, or a file of code, in nearly every language: `-c`, `-e`, `-we`, `--eval=…`. */
const CODE_OPTION = /^-[A-Za-z]*[ceEpr]|^--(?:eval|print|exec|execute|command|cmd|require|import|loader)/u;
/** Characters of code that no file name or number has. */
const CODE_TEXT = /[\s();|!`]/u;

/** Options of programs that connect elsewhere, whose value is a command of this machine: `ssh -o ProxyCommand=…`, `rsync -e`, `socat EXEC:…`. */
const LOCAL_COMMAND = /command=|^-[a-zA-Z0-9]*[eSDF]|^--(?:rsh|exec|sh-exec|lua-exec|rsync-path)|^(?:exec|system):/iu;
/** Names under which git starts its subcommands, and what `push` consists of. */
const GIT_PART = /^git-(?<subcommand>[-a-z]+)$/u;
const PLUMBING: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    push: ['send-pack', 'http-push'],
    fetch: ['fetch-pack', 'http-fetch'],
    commit: ['commit-tree'],
  }),
);

const CODE_ROLES: ReadonlySet<Role | undefined> = new Set(['code', 'script']);

/** Whether a program of the table can start another one, by any of its arguments. */
function startsOthers(program: KnownProgram): boolean {
  const { words } = program;
  if (program.startsNothing === true) return false;
  if (words === undefined || program.read !== undefined || program.also !== undefined || program.runs !== undefined) return true;
  const roles = [
    words.operands,
    words.first,
    words.last,
    ...[words.options, words.attached, words.second, words.switches].flatMap(Object.values<Role>),
  ];
  return roles.some((role) => CODE_ROLES.has(role));
}

/** Returns why the wrappers of a command may run another one, or the command without them. */
function inside(given: readonly KnownWord[]): string | readonly KnownWord[] {
  let words = given;
  for (let layer = 0; layer < MAX_WRAPPERS; layer += 1) {
    const name = programName(words[0] ?? '');
    const wrapper = findProgram(name)?.wrapper;
    const inner = wrapper === undefined ? undefined : unwrap(words);
    if (inner?.words === undefined) return words;
    if (inner.words.length === 0) return `${name} has no command that could be judged`;
    // More power, or more arguments, are no other command.
    const odd = inner.reasons.find((reason) => wrapper?.reason === undefined || reason !== `${name}: ${wrapper.reason}`);
    const variable = inner.assignments.map((word) => assignmentReason((word ?? '').split('=', 1)[0] ?? '')).find((reason) => reason !== undefined);
    if (odd !== undefined || variable !== undefined) return odd ?? variable ?? '';
    const before = words.slice(1, words.length - inner.words.length);
    if (name === 'parallel' || (name === 'xargs' && before.some((word) => /^-[a-zA-Z0-9]*[IiJ]|^--replace/u.test(word ?? ''))))
      return `${name} puts its input into the command`;
    words = inner.words;
  }
  return 'commands are nested too deeply';
}

/** Whether arguments of an interpreter of code hold some. */
function holdsCode(rows: readonly Program[], given: readonly KnownWord[]): boolean {
  const isPlain = rows.find(({ isPlainCode }) => isPlainCode !== undefined)?.isPlainCode;
  if (isPlain !== undefined) return !given.every((word) => isPlain(word ?? ''));
  return given.some((word) => CODE_OPTION.test(word ?? '') || CODE_TEXT.test(word ?? ''));
}

/** Returns why a program that runs its arguments may run another command by them; undefined for others. */
function inArguments(name: string, words: readonly KnownWord[]): string | undefined {
  const given = words.slice(1);
  const rows = programsLike(name);
  const runs = runsOf(words);
  const runsHere = rows.some(({ shell }) => shell === true) || (runs !== undefined && runs !== 'elsewhere');
  if (runsHere && given.includes(undefined)) return `${name} runs what is only known when it runs`;
  if (runs === 'elsewhere' && given.some((word) => LOCAL_COMMAND.test(word ?? ''))) return `${name} runs a command in its arguments`;
  return runs === 'code' && holdsCode(rows, given) ? `${name} runs code in its arguments` : undefined;
}

function inProgram(words: readonly KnownWord[], splits: boolean): string | undefined {
  const [first] = words;
  if (first === undefined) return 'the command word is only known when it runs';
  const name = programName(first);
  const byArguments = inArguments(name, words);
  if (byArguments !== undefined) return byArguments;
  const program = findProgram(name);
  if (program === undefined || !startsOthers(program)) return undefined;
  const { doubts, hides } = programEffects(name, words);
  if (hides !== undefined) return hides ?? undefined;
  return doubts.length > 0 || splits ? (doubts[0] ?? 'an argument may become several') : undefined;
}

/** Returns why a command may start another program than its words show; undefined if it does not, as far as the policy knows its program. */
export function hiddenReason({ words, wrapped, splits }: Exec): string | undefined {
  const command = inside(wrapped ?? words);
  return typeof command === 'string' ? command : inProgram(command, splits);
}

/** The subcommand of git that a program such as `git-push` is; undefined for others. */
function gitPart(program: string): string | undefined {
  return GIT_PART.exec(program.slice(program.lastIndexOf('/') + 1))?.groups?.['subcommand'];
}

/** Whether a command is what a pattern is about under another name: a part of git, or a copy of the program in the project. */
function underOtherName(pattern: CommandPattern, words: readonly KnownWord[]): string | undefined {
  const [program = '', subcommand] = pattern.literalWords;
  const [first = '', ...rest] = words;
  const part = gitPart(first);
  if (part !== undefined && pattern.mayMatch(['git', part, ...rest], false)) return `${first} is a part of git`;
  if (subcommand === undefined) return undefined;
  if (program === 'git' && PLUMBING.get(subcommand)?.includes(part ?? rest[0] ?? '') === true) return `it is a part of git ${subcommand}`;
  // A program of the project may be a copy of it.
  return first.includes('/') && findProgram(programName(first)) === undefined && rest[0] === subcommand ? `${first} may be ${program}` : undefined;
}

/** Whether an option, or an argument of an unknown program, has a text with all words of a pattern. */
function isIn({ literalWords }: CommandPattern, [first = '', ...rest]: readonly KnownWord[]): boolean {
  if (literalWords.length === 0) return false;
  const isKnown = findProgram(programName(first)) !== undefined;
  return rest.some((word = '') => (!isKnown || /^-.*=/u.test(word)) && /\s/u.test(word) && literalWords.every((one) => word.includes(one)));
}

/** Whether a command may be what a pattern is about: it is only known in parts, or hides another command. */
export function mayBe(pattern: CommandPattern, exec: Exec): string | undefined {
  const plain = exec.wrapped ?? exec.words;
  const other = underOtherName(pattern, plain);
  if (other !== undefined) return other;
  if (isIn(pattern, plain)) return 'an argument may be a command';
  const { name, words, splits, appended } = exec;
  // Without its global options, git needs no guess at which word is the subcommand.
  const canonical = name === undefined ? undefined : programEffects(name, words).canonical;
  const forms = canonical === undefined ? exec.forms : [canonical];
  const isLike = [words, ...forms].some((form) => pattern.mayMatch(appended ? [...form, undefined] : form, splits || appended));
  return isLike && (appended || words.includes(undefined)) ? 'a part of it is only known when it runs' : hiddenReason(exec);
}
