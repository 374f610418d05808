import type { KnownWord } from './command-pattern.ts';
import type { Role, WordSink } from './program.ts';

/** Harmless options of a program. */
export interface ProgramFlags {
  /** Short options without their dash, and digits. */
  readonly letters: ReadonlySet<string>;
  /** Multi-letter options with a single dash: `-ps`. */
  readonly words: ReadonlySet<string>;
  /** Long names without a value. */
  readonly long: ReadonlySet<string>;
  /** Long names whose value must follow `=`; they do not take the next word. */
  readonly optional: ReadonlySet<string>;
  /** Long names with a value that is only data. */
  readonly valued: readonly string[];
}

/** Parses the `flags` of a program. */
export function parseFlags(text: string): ProgramFlags {
  const [first = '', ...names] = text.split(' ');
  const plain = names.filter((name) => !/[?=]$|^-/u.test(name));
  const ending = (mark: string): string[] => names.filter((name) => name.endsWith(mark)).map((name) => `--${name.slice(0, -1)}`);
  return {
    letters: new Set(first),
    words: new Set(names.filter((name) => name.startsWith('-'))),
    long: new Set(['--help', '--version', ...plain.map((name) => `--${name}`)]),
    optional: new Set(ending('?')),
    valued: ending('='),
  };
}

/** The options of a program that take a value. */
interface ReadableOptions {
  readonly options?: Readonly<Record<string, Role>>;
  readonly attached?: Readonly<Record<string, Role>>;
  readonly second?: Readonly<Record<string, Role>>;
  readonly anyWords?: boolean | undefined;
}

export interface ReadWords {
  readonly operands: readonly string[];
  readonly seen: ReadonlySet<string>;
}

interface Reading {
  readonly options: Readonly<Record<string, Role>>;
  readonly attached: Readonly<Record<string, Role>>;
  readonly flags: ProgramFlags | undefined;
  readonly seen: Set<string>;
  readonly sink: WordSink;
}

const UNKNOWN_ARGUMENT = 'an argument is only known when it runs';

/** Returns the role of an option's value. GNU programs accept any unambiguous prefix of a long name. */
function optionRole(options: Readonly<Record<string, Role>>, name: string): Role | undefined {
  if (Object.hasOwn(options, name)) return options[name];
  if (!name.startsWith('--') || name.length < 3) return undefined;
  const longer = Object.keys(options).filter((option) => option.startsWith(name));
  return longer.map((option) => options[option]).find((role) => role !== 'data') ?? (longer[0] === undefined ? undefined : options[longer[0]]);
}

function unknownOption(option: string, { sink }: Reading): void {
  sink.doubt(`the option ${option.slice(0, 40)} is not known here`);
}

/** Returns the role of a value that must follow the `=` of a long option; undefined for other options. */
function hangingRole(name: string, { attached, flags }: Reading): Role | undefined {
  if (Object.hasOwn(attached, name)) return attached[name];
  return flags?.optional.has(name) === true ? 'data' : undefined;
}

/** Returns the role of a value that may be the next word; undefined for an option without one, and for an unknown one. */
function valueRole(name: string, { options, flags }: Reading): Role | undefined {
  return optionRole(options, name) ?? (flags?.valued.includes(name) === true ? 'data' : undefined);
}

/** Returns the role of the next word, if the option takes it. */
function readLong(word: string, reading: Reading): Role | undefined {
  const { options, flags, seen, sink } = reading;
  const at = word.indexOf('=');
  const name = at === -1 ? word : word.slice(0, at);
  const value = at === -1 ? undefined : word.slice(at + 1);
  seen.add(name);
  const hanging = hangingRole(name, reading);
  if (hanging !== undefined) {
    if (value !== undefined) sink.add(hanging, value);
    return undefined;
  }
  if (flags?.long.has(name) === true && value === undefined) return undefined;
  for (const option of Object.keys(options)) if (name.length > 2 && option.startsWith(name)) seen.add(option);
  const role = valueRole(name, reading);
  if (role === undefined && flags !== undefined) unknownOption(name, reading);
  if (value === undefined) return role;
  if (role === undefined) sink.possiblePath(value);
  else sink.add(role, value);
  return undefined;
}

function readShort(word: string, reading: Reading): Role | undefined {
  const { options, attached, flags, seen, sink } = reading;
  // find, xxd and others write long names with one dash.
  if (Object.hasOwn(options, word)) {
    seen.add(word);
    return options[word];
  }
  if (flags?.words.has(word) === true) {
    seen.add(word);
    return undefined;
  }
  for (let index = 1; index < word.length; index += 1) {
    const letter = word.charAt(index);
    const name = `-${letter}`;
    const value = word.slice(index + 1);
    seen.add(name);
    const hanging = Object.hasOwn(attached, name) ? attached[name] : undefined;
    if (hanging !== undefined) {
      if (value !== '') sink.add(hanging, value);
      return undefined;
    }
    const role = Object.hasOwn(options, name) ? options[name] : undefined;
    if (role === undefined) {
      if (flags !== undefined && !flags.letters.has(letter)) unknownOption(name, reading);
      continue;
    }
    if (value === '') return role;
    sink.add(role, value);
    return undefined;
  }
  // An unknown option may have an attached value: `-F.env`.
  if (/[./]/u.test(word.slice(2))) sink.possiblePath(word.slice(2));
  return undefined;
}

/** Reads the words: assigns roles to the values of options, and collects the operands. */
export function readWords(words: readonly KnownWord[], program: ReadableOptions, flags: ProgramFlags | undefined, sink: WordSink): ReadWords {
  const operands: string[] = [];
  const reading: Reading = { options: program.options ?? {}, attached: program.attached ?? {}, flags, seen: new Set(), sink };
  let onlyOperands = false;
  const give = (role: Role, value: KnownWord, isThere: boolean): void => {
    if (value !== undefined) sink.add(role, value);
    else if (isThere && role !== 'data') sink.doubt(UNKNOWN_ARGUMENT);
  };
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) {
      if (program.anyWords !== true) sink.doubt(UNKNOWN_ARGUMENT);
    } else if (onlyOperands || !word.startsWith('-') || word === '-') operands.push(word);
    else if (word === '--') onlyOperands = true;
    else {
      const takesNext = word.startsWith('--') ? readLong(word, reading) : readShort(word, reading);
      if (takesNext === undefined) continue;
      index += 1;
      give(takesNext, words[index], index < words.length);
      const second = program.second !== undefined && Object.hasOwn(program.second, word) ? program.second[word] : undefined;
      if (second === undefined) continue;
      index += 1;
      give(second, words[index], index < words.length);
    }
  }
  return { operands, seen: reading.seen };
}
