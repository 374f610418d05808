import { programName } from './program-name.ts';

/** How to find the command that another command runs. */
interface Wrapper {
  /** Short options that take a value. */
  readonly values?: string;
  /** Short options that take none. */
  readonly flags?: string;
  /** Long options that take a value as the next word when it is not behind `=`. */
  readonly longValues?: readonly string[];
  /** Long options that take none. */
  readonly longFlags?: readonly string[];
  /** Words between the options and the command. */
  readonly operands?: number;
  /** `NAME=value` words may stand before the command. */
  readonly assignments?: boolean;
  /** Why the whole is never as harmless as the command inside. */
  readonly reason?: string;
  /** Options with which it only describes the command. */
  readonly describes?: string;
}

const MORE_POWER = 'the command runs with more power than Synapse has';
const FROM_INPUT = 'more arguments come from its input';
const DETACHED = 'the command runs out of sight';

/** Commands that run the command after them. */
const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { values: 'u', flags: 'i0v', longValues: ['unset'], longFlags: ['ignore-environment', 'null', 'debug'], assignments: true },
  command: { flags: 'p', describes: 'vV' },
  builtin: {},
  exec: { values: 'a', flags: 'cl' },
  nohup: {},
  time: { values: 'f', flags: 'pvaq', longValues: ['format'], longFlags: ['portability', 'verbose', 'quiet'] },
  timeout: {
    values: 'ks',
    flags: 'v',
    longValues: ['kill-after', 'signal'],
    longFlags: ['preserve-status', 'foreground', 'verbose'],
    operands: 1,
  },
  nice: { values: 'n', flags: '0123456789', longValues: ['adjustment'] },
  ionice: { values: 'cn', flags: 't', longValues: ['class', 'classdata'], longFlags: ['ignore'] },
  stdbuf: { values: 'ioe', longValues: ['input', 'output', 'error'] },
  setsid: { flags: 'cfw', longFlags: ['ctty', 'fork', 'wait'] },
  unbuffer: { flags: 'p' },
  busybox: {},
  toybox: {},
  taskset: { flags: 'ac', operands: 1 },
  chrt: { flags: 'bfiomrv', operands: 1 },
  sudo: {
    values: 'ugpCTrtDRhU',
    flags: 'AbEeHiKklnPSsv',
    longValues: ['user', 'group', 'prompt', 'chdir', 'host'],
    longFlags: ['preserve-env', 'login', 'non-interactive', 'stdin', 'shell', 'background'],
    assignments: true,
    reason: MORE_POWER,
  },
  doas: { values: 'uC', flags: 'Lns', reason: MORE_POWER },
  pkexec: { longValues: ['user'], reason: MORE_POWER },
  gosu: { operands: 1, reason: MORE_POWER },
  xargs: {
    values: 'aEIdLlnPs',
    flags: '0oprtx',
    longValues: ['arg-file', 'delimiter', 'max-args', 'max-lines', 'max-procs', 'max-chars', 'replace', 'eof'],
    longFlags: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'open-tty', 'exit'],
    reason: FROM_INPUT,
  },
  parallel: { values: 'jNnaIS', flags: '0kmXtuv', longValues: ['jobs'], reason: FROM_INPUT },
  watch: { values: 'n', flags: 'bcdegtx', longValues: ['interval'], reason: DETACHED },
  strace: { values: 'eops', flags: 'cfqtTvy', reason: 'strace writes and can change what the command does' },
  flock: { values: 'wEc', flags: 'Fnosux', operands: 1, reason: 'flock opens or creates its lock file' },
  chroot: { longValues: ['userspec', 'groups'], operands: 1, reason: 'paths mean something else in it' },
};

/** The command inside a wrapper. */
export interface Unwrapped<Word> {
  /** Undefined where it only describes a command; empty where there is none. */
  readonly words: readonly Word[] | undefined;
  /** `NAME=value` words before the command. */
  readonly assignments: readonly Word[];
  /** What makes the whole doubtful. */
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

/**
 * Takes one wrapper off a command, such as `timeout 5`. Words that nobody knows are undefined.
 *
 * @returns undefined where the command is no wrapper
 */
export function unwrap<Word extends string | undefined>(words: readonly Word[]): Unwrapped<Word> | undefined {
  const name = programName(words[0] ?? '');
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (wrapper === undefined) return undefined;
  const reasons: string[] = wrapper.reason === undefined ? [] : [`${name}: ${wrapper.reason}`];
  let index = 1;
  for (; index < words.length; index += 1) {
    const word: string | undefined = words[index];
    if (word === undefined) reasons.push(`${name}: a word before the command is not known`);
    if (word === '--') {
      index += 1;
      break;
    }
    if (word === undefined || word === '-' || !word.startsWith('-')) break;
    const { takesNext, problem, describes } = readOption(wrapper, word);
    if (describes === true) return { words: undefined, assignments: [], reasons };
    if (problem !== undefined) reasons.push(`${name}: ${problem}`);
    if (takesNext) index += 1;
  }
  const assignments: Word[] = [];
  for (; wrapper.assignments === true && index < words.length && ASSIGNMENT.test(words[index] ?? ''); index += 1) {
    const word = words[index];
    if (word !== undefined) assignments.push(word);
  }
  return { words: words.slice(index + (wrapper.operands ?? 0)), assignments, reasons };
}
