import type { Program, Runs, Wrapper } from './program.ts';
import { aliasedCommands, findProgram, programName, programsLike } from './program-table.ts';

/** The command inside a wrapper. */
interface Unwrapped<Word> {
  /** Undefined if the wrapper only describes a command; empty if there is no command. */
  readonly words: readonly Word[] | undefined;
  /** `NAME=value` words before the command. */
  readonly assignments: readonly Word[];
  /** Why the whole command is uncertain. */
  readonly reasons: readonly string[];
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/u;

interface OptionReading {
  readonly takesNext: boolean;
  readonly problem?: string;
  readonly describes?: boolean;
}

function readOption(wrapper: Wrapper, option: string): OptionReading {
  if (option.startsWith('--')) {
    const [name = '', value] = option.slice(2).split('=', 2);
    if (wrapper.longFlags?.includes(name) === true) return { takesNext: false };
    if (wrapper.longValues?.includes(name) === true) return { takesNext: value === undefined };
    return { takesNext: false, problem: `the option --${name.slice(0, 40)} is not known here` };
  }
  const letters = option.slice(1);
  for (let index = 0; index < letters.length; index += 1) {
    const letter = letters.charAt(index);
    if (wrapper.describes?.includes(letter) === true) return { takesNext: false, describes: true };
    if (wrapper.values?.includes(letter) === true) return { takesNext: index === letters.length - 1 };
    if (wrapper.flags?.includes(letter) !== true) return { takesNext: false, problem: `the option -${letter} is not known here` };
  }
  return { takesNext: false };
}

/** Reads the options of a wrapper. @returns the index of the word behind them; undefined if the wrapper only describes a command */
function endOfOptions(name: string, wrapper: Wrapper, words: ReadonlyArray<string | undefined>, reasons: string[]): number | undefined {
  let index = 1;
  for (; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) reasons.push(`${name}: a word before the command is not known`);
    if (word === '--') return index + 1;
    if (word === undefined || word === '-' || !word.startsWith('-')) break;
    const { takesNext, problem, describes } = readOption(wrapper, word);
    if (describes === true) return undefined;
    if (problem !== undefined) reasons.push(`${name}: ${problem}`);
    if (takesNext) index += 1;
  }
  return index;
}

/**
 * Removes one wrapper from a command, such as `timeout 5`. Unknown words are undefined.
 *
 * @returns undefined if the command is not a wrapper
 */
export function unwrap<Word extends string | undefined>(words: readonly Word[]): Unwrapped<Word> | undefined {
  const name = programName(words[0] ?? '');
  const wrapper = findProgram(name)?.wrapper;
  if (wrapper === undefined) return undefined;
  const reasons: string[] = wrapper.reason === undefined ? [] : [`${name}: ${wrapper.reason}`];
  const begin = endOfOptions(name, wrapper, words, reasons);
  if (begin === undefined) return { words: undefined, assignments: [], reasons };
  const assignments: Word[] = [];
  let index = begin;
  for (; wrapper.assignments === true && index < words.length && ASSIGNMENT.test(words[index] ?? ''); index += 1) {
    const word = words[index];
    if (word !== undefined) assignments.push(word);
  }
  return { words: words.slice(index + (wrapper.operands ?? 0)), assignments, reasons };
}

/** Why a rule with a wildcard after such a command allows any code, by kind. */
const REASONS: Record<Runs, string> = {
  code: 'runs any code that its arguments hold',
  commands: 'runs any command that its arguments hold',
  packages: 'downloads and runs any package',
  elsewhere: 'runs commands on another machine or in a container',
  later: 'makes a program run later, out of sight',
  power: 'runs any command with more power',
};

/** A program or subcommand that runs its arguments or input. */
interface Interpreter {
  readonly words: readonly string[];
  readonly runs: Runs;
}

const interpreters = new Map<Program, readonly Interpreter[]>();

function interpretersOf(program: Program): readonly Interpreter[] {
  let found = interpreters.get(program);
  if (found === undefined) {
    const name = program.names.split(' ', 1)[0] ?? '';
    const whole: Interpreter[] = program.runs === undefined ? [] : [{ words: [name], runs: program.runs }];
    const some = (Object.keys(REASONS) as Runs[]).flatMap((runs) =>
      (program.runsIn?.[runs] ?? []).map((command): Interpreter => ({ words: [name, ...command.split(' ')], runs })),
    );
    interpreters.set(program, (found = [...whole, ...some]));
  }
  return found;
}

/** Returns the interpreter rows of a program; undefined if it runs none of its arguments. */
function rowsOf(word: string | undefined): readonly Interpreter[] | undefined {
  const rows = programsLike(word ?? '').flatMap(interpretersOf);
  return rows.length === 0 ? undefined : rows;
}

function find(words: ReadonlyArray<string | undefined>): Interpreter | undefined {
  const rows = rowsOf(words[0]);
  const names = rows === undefined ? [] : [words, ...aliasedCommands(words)];
  return rows?.find((row) => names.some((name) => row.words.slice(1).every((word, index) => name[index + 1] === word)));
}

/** Returns what a command runs from its arguments or input; undefined if nothing. */
export function runsOf(words: ReadonlyArray<string | undefined>): Runs | undefined {
  return find(words)?.runs;
}

/** Returns why a command passes its arguments or input to an interpreter; undefined if it does not. */
export function interpreterReason(words: ReadonlyArray<string | undefined>): string | undefined {
  const found = find(words);
  return found === undefined ? undefined : REASONS[found.runs];
}

/**
 * Whether a command runs its arguments as a command on this machine. Code in the program's language does not count:
 * its words only look like commands.
 */
export function isLauncher(words: ReadonlyArray<string | undefined>): boolean {
  const found = find(words);
  return found !== undefined && found.runs !== 'code' && found.runs !== 'elsewhere';
}

const TASK = /^\w[\w:-]*$/u;

/** Whether words run a task. The project defines it, whatever its arguments. A file has an extension or a folder in its name. */
function isTask([program = '', second = '', task = '']: readonly string[]): boolean {
  return second !== '' && TASK.test(task) && programsLike(program).some(({ runsTasks }) => runsTasks === second);
}

/** Returns why a pattern with a wildcard after these words allows any code; undefined if it does not. */
export function openEndedReason(literalWords: readonly string[]): string | undefined {
  const inner = unwrap(literalWords);
  if (inner?.words !== undefined && inner.words.length > 0 && inner.reasons.length === 0) return openEndedReason(inner.words);
  if (isTask(literalWords)) return undefined;
  const [program, second = ''] = literalWords;
  const rows = rowsOf(program);
  if (second.startsWith('-') && rows !== undefined) return `"${program} ${second}" can be followed by any of its commands`;
  // `git *` covers `git config`, so it allows everything that `git config` allows.
  const names = rows === undefined ? [] : [literalWords, ...aliasedCommands(literalWords)];
  const row = rows?.find(({ words }) =>
    names.some((name) => words.slice(1, Math.min(words.length, name.length)).every((word, index) => name[index + 1] === word)),
  );
  return row === undefined ? undefined : `"${[program, ...row.words.slice(1)].join(' ')}" ${REASONS[row.runs]}`;
}
