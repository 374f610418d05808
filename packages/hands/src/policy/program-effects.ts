import type { KnownWord } from './command-pattern.ts';
import { canonicalHost } from './host-pattern.ts';
import { readGit } from './git-effects.ts';
import { programFamily } from './program-name.ts';
import { NETWORK_PROGRAMS } from './network-programs.ts';
import type { Program, Role } from './program.ts';
import { CODE_OPTIONS, PROGRAMS } from './programs.ts';

/** What a program does with one of its words. */
export interface WordEffect {
  readonly kind: 'read' | 'write' | 'delete' | 'mention' | 'host';
  /** A path, or the host; undefined for a host that nobody names. */
  readonly value: string | undefined;
  readonly tree: boolean;
}

/** What a program does with all of them. */
export interface ProgramEffects {
  readonly effects: readonly WordEffect[];
  readonly doubts: readonly string[];
  /** The command without its global options, where it has any. */
  readonly canonical?: readonly KnownWord[];
}

type Kind = WordEffect['kind'];

/** The effects of each role. */
const ROLE_KINDS: Record<Role, readonly Kind[]> = {
  data: [],
  code: [],
  list: ['read'],
  read: ['read'],
  readTree: ['read'],
  write: ['write'],
  writeTree: ['write'],
  delete: ['delete'],
  deleteTree: ['delete'],
  readWrite: ['read', 'write'],
  move: ['read', 'delete'],
  url: ['host'],
};
const TREE_ROLES: ReadonlySet<Role> = new Set(['readTree', 'writeTree', 'deleteTree', 'move']);

interface Scan {
  readonly effects: WordEffect[];
  readonly doubts: string[];
  /** Code that passes is only data. */
  check?: Program['check'];
}

function add(scan: Scan, role: Role, value: string): void {
  if (role === 'code' && scan.check?.(value) !== true) scan.doubts.push(`"${value.slice(0, 60)}" is run, or names what is run`);
  // A lone dash is standard input or output.
  if (value === '-' && role !== 'url') return;
  for (const kind of ROLE_KINDS[role]) {
    scan.effects.push({ kind, value: kind === 'host' ? canonicalHost(value) : value, tree: TREE_ROLES.has(role) });
  }
}

/** The role of an option's value; GNU programs take any unambiguous beginning of a long name. */
function optionRole(options: Readonly<Record<string, Role>>, name: string): Role | undefined {
  if (Object.hasOwn(options, name)) return options[name];
  if (!name.startsWith('--') || name.length < 4) return undefined;
  const longer = Object.keys(options).filter((option) => option.startsWith(name));
  return longer.map((option) => options[option]).find((role) => role !== 'data') ?? (longer[0] === undefined ? undefined : options[longer[0]]);
}

interface ReadOptions {
  readonly operands: string[];
  readonly seen: Set<string>;
}

/** Goes through the words: values of options are given their role, operands are collected. */
function readWords(words: readonly KnownWord[], options: Readonly<Record<string, Role>>, anyWords: boolean, scan: Scan): ReadOptions {
  const operands: string[] = [];
  const seen = new Set<string>();
  let onlyOperands = false;
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index];
    if (word === undefined) {
      if (!anyWords) scan.doubts.push('an argument is only known when it runs');
    } else if (onlyOperands || !word.startsWith('-') || word === '-') operands.push(word);
    else if (word === '--') onlyOperands = true;
    else {
      const takesNext = word.startsWith('--') ? readLong(word, options, seen, scan) : readShort(word, options, seen, scan);
      if (takesNext === undefined) continue;
      index += 1;
      const value = words[index];
      if (value !== undefined) add(scan, takesNext, value);
      else if (index < words.length && takesNext !== 'data') scan.doubts.push('an argument is only known when it runs');
    }
  }
  return { operands, seen };
}

/** Gives back the role of the next word, if the option takes it. */
function readLong(word: string, options: Readonly<Record<string, Role>>, seen: Set<string>, scan: Scan): Role | undefined {
  const at = word.indexOf('=');
  const name = at === -1 ? word : word.slice(0, at);
  const role = optionRole(options, name);
  seen.add(name);
  for (const option of Object.keys(options)) if (name.length > 3 && option.startsWith(name)) seen.add(option);
  if (at === -1) return role;
  const value = word.slice(at + 1);
  if (role === undefined) mention(value, scan);
  else add(scan, role, value);
  return undefined;
}

function readShort(word: string, options: Readonly<Record<string, Role>>, seen: Set<string>, scan: Scan): Role | undefined {
  // find, go and others write long names behind one dash.
  if (Object.hasOwn(options, word)) {
    seen.add(word);
    return options[word];
  }
  for (let index = 1; index < word.length; index += 1) {
    const name = `-${word.charAt(index)}`;
    seen.add(name);
    const role = Object.hasOwn(options, name) ? options[name] : undefined;
    if (role === undefined) continue;
    if (index === word.length - 1) return role;
    add(scan, role, word.slice(index + 1));
    return undefined;
  }
  // An option that is not known here may have its value hanging on it: `-F.env`.
  if (/[./]/u.test(word.slice(2))) mention(word.slice(2), scan);
  return undefined;
}

/** Adds a word that may be, or hold, a path: `--file=.env`, `@.env`, `HEAD:.env`, `if=.env`. */
function mention(word: string, scan: Scan): void {
  if (word === '') return;
  scan.effects.push({ kind: 'mention', value: word, tree: false });
  for (const piece of word.split(/[=:@,]/u)) {
    if (piece !== word && piece !== '') scan.effects.push({ kind: 'mention', value: piece, tree: false });
  }
  // The value of a short option may hang on it.
  if (/^-[A-Za-z]./u.test(word) && !word.startsWith('--')) scan.effects.push({ kind: 'mention', value: word.slice(2), tree: false });
}

function readProgram(program: Program, words: readonly KnownWord[], scan: Scan): void {
  if (program.check !== undefined) scan.check = program.check;
  const { operands, seen } = readWords(words, program.options ?? {}, program.anyWords === true, scan);
  const has = (names: readonly string[] | undefined): boolean => names?.some((name) => seen.has(name)) === true;
  const changed = Object.entries(program.switches ?? {}).find(([name]) => seen.has(name))?.[1];
  const role = changed ?? program.operands ?? 'data';
  let rest = operands;
  if (program.first !== undefined && !has(program.firstIsOption)) {
    const first = rest[0];
    rest = rest.slice(1);
    if (first !== undefined) add(scan, program.first, first);
  }
  if (program.last !== undefined && rest.length > 1 && !has(program.lastIsOption)) {
    const target = rest.at(-1) ?? '';
    add(scan, program.last, target);
    rest = rest.slice(0, -1);
    // Where the last one is a folder, the others land in it.
    for (const source of rest) add(scan, program.last, `${target}/${source.replace(/\/+$/u, '').replace(/^.*\//su, '')}`);
  }
  if (rest.length === 0 && (changed === 'readTree' || (program.withoutOperands !== undefined && !has(['--version', '--help']))))
    add(scan, program.withoutOperands ?? 'readTree', '.');
  for (const operand of rest) add(scan, role, operand);
}

function readUnknown(name: string, words: readonly KnownWord[], scan: Scan): void {
  const codeOptions = Object.hasOwn(CODE_OPTIONS, name) ? (CODE_OPTIONS[name] ?? []) : [];
  for (const word of words.slice(1)) {
    if (word === undefined) {
      scan.doubts.push('an argument is only known when it runs');
      continue;
    }
    const option = word.split('=', 1)[0] ?? '';
    const isCode = codeOptions.some(
      (code) =>
        code === option ||
        (code.startsWith('--')
          ? option.length > 3 && code.startsWith(option)
          : code.length === 2 && /^-[^-]/u.test(word) && word.includes(code.charAt(1))),
    );
    if (isCode) scan.doubts.push(`${name} ${option} can run a program`);
    mention(word, scan);
  }
}

/** `find` has a little language instead of options. */
function readFind(words: readonly KnownWord[], scan: Scan): void {
  const start = words.findIndex((word, index) => index > 0 && word !== undefined && /^[-(!]/u.test(word) && !/^-[HLPD]|^-O\d/u.test(word));
  const starts = words.slice(1, start === -1 ? undefined : start).filter((word) => word === undefined || !word.startsWith('-'));
  const deletes = words.includes('-delete');
  for (const [index, word] of words.entries()) {
    if (word === undefined) scan.doubts.push('an argument is only known when it runs');
    else if (/^-f(?:print0?|printf|ls)$/u.test(word)) add(scan, 'write', words[index + 1] ?? '');
    else if (word === '-files0-from') add(scan, 'code', words[index + 1] ?? '');
    else if (/^-(?:newer..|newer|samefile|anewer|cnewer)$/u.test(word)) add(scan, 'list', words[index + 1] ?? '');
  }
  for (const place of starts.length === 0 ? ['.'] : starts) if (place !== undefined) add(scan, deletes ? 'deleteTree' : 'list', place);
}

function readDd(words: readonly KnownWord[], scan: Scan): void {
  for (const word of words.slice(1)) {
    if (word === undefined) scan.doubts.push('an argument is only known when it runs');
    else if (word.startsWith('if=')) add(scan, 'read', word.slice(3));
    else if (word.startsWith('of=')) add(scan, 'write', word.slice(3));
  }
}

/**
 * What a program does with its words.
 *
 * @param name the program, as `programName` gives it
 */
export function programEffects(name: string, words: readonly KnownWord[]): ProgramEffects {
  const scan: Scan = { effects: [], doubts: [] };
  let canonical: readonly KnownWord[] | undefined;
  // A program outside the system folders is not the one of the table, whatever its name.
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (program !== undefined) readProgram(program, words, scan);
  else if (name === 'find') readFind(words, scan);
  else if (name === 'dd') readDd(words, scan);
  else if (name === 'git') {
    const git = readGit(words);
    canonical = git.canonical;
    scan.doubts.push(...git.reasons);
    if (git.network) scan.effects.push({ kind: 'host', value: undefined, tree: false });
    const messages = Object.fromEntries(git.messages.map((option) => [option, 'data' as const]));
    const { operands } = readWords(git.canonical.slice(1), { ...git.options, ...messages }, false, scan);
    for (const operand of operands) {
      if (git.operands === undefined) mention(operand, scan);
      else add(scan, git.operands, operand);
    }
    if (git.subcommand === 'clean' && operands.length === 0) add(scan, 'deleteTree', '.');
  } else readUnknown(name, words, scan);
  // What is written where nobody says is written in the working folder.
  if (name === 'wget' || (name === 'curl' && words.some((word) => word !== undefined && /^-[a-zA-Z]*O|^--remote-name/u.test(word))))
    add(scan, 'write', '.');
  if (NETWORK_PROGRAMS.has(programFamily(name))) scan.effects.push({ kind: 'host', value: undefined, tree: false });
  if (name === 'curl') readUploads(words, scan);
  return { effects: scan.effects, doubts: scan.doubts, ...(canonical === undefined ? {} : { canonical }) };
}

/** `curl -d @file`, `-F name=@file` and `--data-urlencode name@file` send a file. */
function readUploads(words: readonly KnownWord[], scan: Scan): void {
  for (const word of words) {
    const file = /@(.+)$/su.exec(word ?? '')?.[1];
    if (file !== undefined && !/^https?:/u.test(word ?? '')) add(scan, 'read', file);
    const form = /=<(.+)$/su.exec(word ?? '')?.[1];
    if (form !== undefined) add(scan, 'read', form);
  }
}
