import type { KnownWord } from './command-pattern.ts';
import { canonicalHost } from './host-pattern.ts';
import { decoded } from './curl-files.ts';
import type { Role, SpecialReading, WordSink, WordTable, Program } from './program.ts';
import { findProgram, programsLike, type KnownProgram, type ReadableWords } from './program-table.ts';
import { readWords, type ReadWords } from './program-words.ts';

/** Whether a command only reads, for a program without a table of its words. */
function onlyReads({ onlyReads: rows }: Pick<Program, 'onlyReads'>, words: readonly KnownWord[]): boolean {
  return rows?.some((row) => beginsWith(row, words.slice(1))) === true;
}

function beginsWith(row: string, given: readonly KnownWord[]): boolean {
  const expected = row === '' ? [] : row.split(' ');
  const open = expected.at(-1) === '*';
  const fixed = open ? expected.slice(0, -1) : expected;
  if (open ? given.length < fixed.length : given.length !== fixed.length) return false;
  return given.every((word) => word !== undefined) && fixed.every((word, index) => given[index] === word);
}

/** The effect of one word. */
export interface WordEffect {
  readonly kind: 'read' | 'write' | 'delete' | 'possiblePath' | 'host';
  /** A path or a host; undefined for a host that no word names. */
  readonly value: string | undefined;
  readonly tree: boolean;
  /** See `PathEffect`. */
  readonly linked?: boolean;
}

/** The effects of all words. */
export interface ProgramEffects {
  readonly effects: readonly WordEffect[];
  readonly doubts: readonly string[];
  /** Whether it only reads, so that it can run where nothing can be written. */
  readonly onlyReads: boolean;
  /** The command without its global options; undefined if it has none. */
  readonly canonical?: readonly KnownWord[];
  /** See `SpecialReading`. */
  readonly hides?: string | null;
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
  readWriteTree: ['read', 'write'],
  move: ['read', 'delete'],
  link: ['read', 'write'],
  url: ['host'],
  script: [],
  suffix: [],
};
const TREE_ROLES: ReadonlySet<Role> = new Set(['readTree', 'writeTree', 'readWriteTree', 'deleteTree', 'move', 'link']);

interface Scan {
  readonly effects: WordEffect[];
  readonly doubts: string[];
  /** A check for code: code that passes is only data. */
  check?: WordTable['check'];
}

/** Whether a value may run code or name another file. */
function isCode(scan: Scan, role: Role, value: string): boolean {
  if (role === 'code') return true;
  if (role === 'script') return scan.check?.(value) !== true;
  // sed replaces the star with the file name: `-i'.git/hooks/*'`.
  return role === 'suffix' && /[/*]/u.test(value);
}

function add(scan: Scan, role: Role, value: string): void {
  if (isCode(scan, role, value)) {
    scan.doubts.push(`"${value.slice(0, 60)}" is run, or names what is run`);
    // `sed -f .env` reads the file, and its errors show the content.
    if (role === 'code') possiblePath(value, scan);
  }
  if (role === 'url') return addUrl(scan, value);
  // A lone dash is standard input or output.
  if (value === '-') return;
  const linked = role === 'link' ? { linked: true } : {};
  for (const kind of ROLE_KINDS[role]) scan.effects.push({ kind, value, tree: TREE_ROLES.has(role), ...linked });
  // Some programs read more arguments from the file, and show unknown ones in errors.
  if (role === 'read' && value.startsWith('@')) scan.effects.push({ kind: 'possiblePath', value: value.slice(1), tree: false });
}

function addUrl(scan: Scan, value: string): void {
  if (/^file:/iu.test(value)) {
    scan.doubts.push(`"${value.slice(0, 60)}" is a file, not another machine`);
    scan.effects.push({ kind: 'read', value: decoded(URL.canParse(value) ? new URL(value).pathname : value), tree: false });
    return;
  }
  const host = canonicalHost(value);
  // A list or range of hosts, a password, or the value of an unknown option.
  if (host === undefined) scan.doubts.push(`"${value.slice(0, 60)}" is no address that is understood`);
  scan.effects.push({ kind: 'host', value: host, tree: false });
}

/** Adds a word that may be or contain a path: `--file=.env`, `@.env`, `HEAD:.env`, `if=.env`. */
function possiblePath(word: string, scan: Scan): void {
  if (word === '') return;
  scan.effects.push({ kind: 'possiblePath', value: word, tree: false });
  for (const piece of word.split(/[=:@,]/u)) {
    if (piece !== word && piece !== '') scan.effects.push({ kind: 'possiblePath', value: piece, tree: false });
  }
  // The value of a short option may be attached to it, or to the last of several: `-cfx.tar`.
  const letters = /^-([A-Za-z]{1,6})./u.exec(word)?.[1]?.length ?? 0;
  for (let length = 1; length <= letters; length += 1) scan.effects.push({ kind: 'possiblePath', value: word.slice(length + 1), tree: false });
}

function sinkOf(scan: Scan): WordSink {
  return {
    add: (role, value) => add(scan, role, value),
    possiblePath: (word) => possiblePath(word, scan),
    doubt: (reason) => void scan.doubts.push(reason),
    host: () => void scan.effects.push({ kind: 'host', value: undefined, tree: false }),
  };
}

/** Removes slashes at the end. An expression takes time with the square of their number. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** Adds the first and the last operand, if they have roles of their own. @returns the others */
function addEnds(program: ReadableWords, { operands, seen }: ReadWords, role: Role, scan: Scan): readonly string[] {
  const has = (option: string): boolean => seen.has(option);
  let rest = operands;
  if (program.first !== undefined && !program.firstIsOption.some(has)) {
    const first = rest[0];
    rest = rest.slice(1);
    if (first !== undefined) add(scan, program.first, first);
  }
  if (program.last !== undefined && rest.length > 1 && !program.lastIsOption.some(has)) {
    const target = rest.at(-1) ?? '';
    rest = rest.slice(0, -1);
    addTarget(scan, program.last, target, rest, has('--parents'));
    if (role === 'link') addLinked(scan, rest, target);
  }
  return rest;
}

function readTable(program: ReadableWords, flags: KnownProgram['flags'], words: readonly KnownWord[], scan: Scan): void {
  if (program.check !== undefined) scan.check = program.check;
  const read = readWords(words, program, flags, sinkOf(scan));
  const { operands, seen } = read;
  const changed = Object.entries(program.switches).find(([option]) => seen.has(option))?.[1];
  const role = changed ?? program.operands ?? 'data';
  const rest = addEnds(program, read, role, scan);
  const asksForFacts = seen.has('--version') || seen.has('--help');
  if (rest.length === 0 && (changed === 'readTree' || (program.withoutOperands !== undefined && !asksForFacts)))
    add(scan, program.withoutOperands ?? 'readTree', '.');
  for (const operand of rest) add(scan, role, operand);
  if (program.alone !== undefined && operands.length === 0) add(scan, program.alone, '.');
}

/** Adds the last operand: if it is a folder, the others go into it. */
function addTarget(scan: Scan, role: Role, target: string, sources: readonly string[], withParents: boolean): void {
  add(scan, role, target);
  for (const source of sources) {
    add(scan, role, `${target}/${withoutSlashes(source).replace(/^.*\//su, '')}`);
    if (withParents) add(scan, role, `${target}/${source}`);
  }
}

/** Adds the sources of links. A source is relative to the folder of the link, which may be the last word or its parent. */
function addLinked(scan: Scan, sources: readonly string[], target: string): void {
  const name = withoutSlashes(target);
  const folder = withoutSlashes(name.slice(0, name.lastIndexOf('/') + 1));
  for (const source of sources) {
    if (source.startsWith('/')) continue;
    for (const start of [folder, target]) if (start !== '') add(scan, 'link', `${start}/${source}`);
  }
}

/** Whether a word is or contains an option that runs something. */
function isCodeOption(code: string, word: string): boolean {
  const option = word.split('=', 1)[0] ?? '';
  if (code.endsWith('*')) return word.startsWith(code.slice(0, -1));
  if (code.startsWith('--')) return option === code || (option.length > 2 && code.startsWith(option));
  // Go accepts options with one dash or two.
  if (option === code || option === `-${code}`) return true;
  return /^-[A-Z]{1,2}$|^-[a-z@]$/u.test(code) && /^-[^-]/u.test(option) && option.includes(code.slice(1));
}

function readUnknown(name: string, codeOptions: readonly string[], words: readonly KnownWord[], scan: Scan): void {
  for (const [index, word] of words.slice(1).entries()) {
    if (word === undefined) {
      scan.doubts.push('an argument is only known when it runs');
      continue;
    }
    // `tar cIf` is `tar -cIf`.
    const given = index === 0 && name === 'tar' && !word.startsWith('-') ? `-${word}` : word;
    if (codeOptions.some((code) => isCodeOption(code, given))) scan.doubts.push(`${name} ${word.split('=', 1)[0]} can run a program`);
    possiblePath(word, scan);
  }
}

/** Reads words as the table says of the program. */
function readAs(program: KnownProgram | undefined, name: string, words: readonly KnownWord[], scan: Scan): SpecialReading {
  if (program === undefined) {
    readUnknown(name, [], words, scan);
    return { onlyReads: false };
  }
  const sink = sinkOf(scan);
  const special = program.read?.(words, sink);
  if (program.words !== undefined) readTable(program.words, program.flags, words, scan);
  else if (special === undefined) readUnknown(name, program.codeOptions, words, scan);
  program.also?.(words, sink);
  return special ?? { onlyReads: scan.doubts.length === 0 && (program.words !== undefined || onlyReads(program, words)) };
}

/**
 * Returns the effects of a program's words.
 *
 * @param name the program, from `programName`
 */
export function programEffects(name: string, words: readonly KnownWord[]): ProgramEffects {
  const scan: Scan = { effects: [], doubts: [] };
  // A program outside the system folders is not the one in the table, whatever its name.
  const reading = readAs(findProgram(name), name, words, scan);
  if (programsLike(name).some(({ network }) => network === true)) sinkOf(scan).host();
  return {
    effects: scan.effects,
    doubts: scan.doubts,
    onlyReads: reading.onlyReads && scan.effects.every(({ kind }) => kind === 'read' || kind === 'possiblePath'),
    ...(reading.canonical === undefined ? {} : { canonical: reading.canonical }),
    ...(reading.hides === undefined ? {} : { hides: reading.hides }),
  };
}
