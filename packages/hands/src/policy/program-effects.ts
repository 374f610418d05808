import type { KnownWord } from './command-pattern.ts';
import { canonicalHost } from './host-pattern.ts';
import { readGit, type GitReading } from './git-effects.ts';
import { programFamily } from './program-name.ts';
import { NETWORK_PROGRAMS } from './network-programs.ts';
import type { Program, Role } from './program.ts';
import { programFlags } from './program-flags.ts';
import { readWords, type WordSink } from './program-words.ts';
import { onlyReads } from './reading-commands.ts';
import { CODE_OPTIONS, PROGRAMS } from './programs.ts';
import { decoded, namesOfAddresses, sentFiles } from './transfers.ts';

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
  /** Whether it does nothing but read, so that it can run where nothing can be written. */
  readonly onlyReads: boolean;
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
  /** Code that passes is only data. */
  check?: Program['check'];
}

/** Whether a value makes the program do more than its table says. */
function isCode(scan: Scan, role: Role, value: string): boolean {
  if (role === 'code') return true;
  if (role === 'script') return scan.check?.(value) !== true;
  // sed puts the name of the file where the star is: `-i'.git/hooks/*'`.
  return role === 'suffix' && /[/*]/u.test(value);
}

function add(scan: Scan, role: Role, value: string): void {
  if (isCode(scan, role, value)) {
    scan.doubts.push(`"${value.slice(0, 60)}" is run, or names what is run`);
    // `sed -f .env`: it is read all the same, and errors tell of it.
    if (role === 'code') mention(value, scan);
  }
  if (role === 'url') return addUrl(scan, value);
  // A lone dash is standard input or output.
  if (value === '-') return;
  for (const kind of ROLE_KINDS[role]) scan.effects.push({ kind, value, tree: TREE_ROLES.has(role) });
  // Some read more arguments from there, and tell of those they do not know.
  if (role === 'read' && value.startsWith('@')) scan.effects.push({ kind: 'mention', value: value.slice(1), tree: false });
}

function addUrl(scan: Scan, value: string): void {
  if (/^file:/iu.test(value)) {
    scan.doubts.push(`"${value.slice(0, 60)}" is a file, not another machine`);
    scan.effects.push({ kind: 'read', value: decoded(URL.canParse(value) ? new URL(value).pathname : value), tree: false });
    return;
  }
  const host = canonicalHost(value);
  // A list or range of hosts, a password, or the value of an option that nobody here knows.
  if (host === undefined) scan.doubts.push(`"${value.slice(0, 60)}" is no address that is understood`);
  scan.effects.push({ kind: 'host', value: host, tree: false });
}

/** Adds a word that may be, or hold, a path: `--file=.env`, `@.env`, `HEAD:.env`, `if=.env`. */
function mention(word: string, scan: Scan): void {
  if (word === '') return;
  scan.effects.push({ kind: 'mention', value: word, tree: false });
  for (const piece of word.split(/[=:@,]/u)) {
    if (piece !== word && piece !== '') scan.effects.push({ kind: 'mention', value: piece, tree: false });
  }
  // The value of a short option may hang on it, or on the last one of several: `-cfx.tar`.
  const letters = /^-([A-Za-z]{1,6})./u.exec(word)?.[1]?.length ?? 0;
  for (let length = 1; length <= letters; length += 1) scan.effects.push({ kind: 'mention', value: word.slice(length + 1), tree: false });
}

function sinkOf(scan: Scan): WordSink {
  return {
    add: (role, value) => add(scan, role, value),
    mention: (word) => mention(word, scan),
    doubt: (reason) => void scan.doubts.push(reason),
  };
}

function readProgram(name: string, program: Program, words: readonly KnownWord[], scan: Scan): void {
  if (program.check !== undefined) scan.check = program.check;
  const { operands, seen } = readWords(words, program, programFlags(name), sinkOf(scan));
  const has = (names: readonly string[] | undefined): boolean => names?.some((option) => seen.has(option)) === true;
  const changed = Object.entries(program.switches ?? {}).find(([option]) => seen.has(option))?.[1];
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
    for (const source of rest) {
      add(scan, program.last, `${target}/${source.replace(/\/+$/u, '').replace(/^.*\//su, '')}`);
      if (has(['--parents'])) add(scan, program.last, `${target}/${source}`);
    }
    if (role === 'link') addLinked(scan, rest, target);
  }
  if (rest.length === 0 && (changed === 'readTree' || (program.withoutOperands !== undefined && !has(['--version', '--help']))))
    add(scan, program.withoutOperands ?? 'readTree', '.');
  for (const operand of rest) add(scan, role, operand);
  if (program.alone !== undefined && operands.length === 0) add(scan, program.alone, '.');
}

/** What a link leads to is counted from the folder that the link is in, which may be the last word or the folder of it. */
function addLinked(scan: Scan, sources: readonly string[], target: string): void {
  const folder = target.replace(/\/*[^/]*\/*$/u, '');
  for (const source of sources) {
    if (source.startsWith('/')) continue;
    for (const start of [folder, target]) if (start !== '') add(scan, 'link', `${start}/${source}`);
  }
}

/** Whether a word is, or holds, an option that runs something. */
function isCodeOption(code: string, word: string): boolean {
  const option = word.split('=', 1)[0] ?? '';
  if (code.endsWith('*')) return word.startsWith(code.slice(0, -1));
  if (code.startsWith('--')) return option === code || (option.length > 2 && code.startsWith(option));
  // Go takes its options with one dash or two.
  if (option === code || option === `-${code}`) return true;
  return /^-[A-Z]{1,2}$|^-[a-z@]$/u.test(code) && /^-[^-]/u.test(option) && option.includes(code.slice(1));
}

function readUnknown(name: string, words: readonly KnownWord[], scan: Scan): void {
  const codeOptions = Object.hasOwn(CODE_OPTIONS, name) ? (CODE_OPTIONS[name] ?? []) : [];
  for (const [index, word] of words.slice(1).entries()) {
    if (word === undefined) {
      scan.doubts.push('an argument is only known when it runs');
      continue;
    }
    // `tar cIf` is `tar -cIf`.
    const given = index === 0 && name === 'tar' && !word.startsWith('-') ? `-${word}` : word;
    if (codeOptions.some((code) => isCodeOption(code, given))) scan.doubts.push(`${name} ${word.split('=', 1)[0]} can run a program`);
    // An archive on another machine, reached by a program such as ssh.
    if (name === 'tar' && /^(?:-[A-Za-z]*f|--file=)?[^-/=][^/=]*:/u.test(word)) scan.doubts.push(`"${word.slice(0, 60)}" may be on another machine`);
    mention(word, scan);
  }
}

/** What makes `find` more than a search. */
const FIND_ACTIONS = /^-(?:exec|execdir|ok|okdir|delete)$/u;

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

/** A place that git itself takes for one outside its repository, which makes `git diff` an ordinary diff. */
const LEADS_OUT = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/u;

function readGitWords(words: readonly KnownWord[], scan: Scan): GitReading {
  const git = readGit(words);
  scan.doubts.push(...git.reasons);
  if (git.network) scan.effects.push({ kind: 'host', value: undefined, tree: false });
  const messages = Object.fromEntries(git.messages.map((option) => [option, 'data' as const]));
  const { operands, seen } = readWords(git.canonical.slice(1), { options: { ...git.options, ...messages } }, undefined, sinkOf(scan));
  const noIndex = Array.from(seen).some((option) => option.length > 5 && '--no-index'.startsWith(option));
  const plainDiff = git.subcommand === 'diff' && (noIndex || operands.some((operand) => LEADS_OUT.test(operand)));
  const role = plainDiff ? 'readTree' : git.operands;
  // The pattern of `git grep`; the rest is searched, and without any the whole folder is.
  const rest = git.subcommand === 'grep' && !seen.has('-e') && !seen.has('-f') ? operands.slice(1) : operands;
  for (const operand of rest) {
    if (role !== undefined) add(scan, role, operand);
    else if (LEADS_OUT.test(operand)) add(scan, 'read', operand);
    else mention(operand, scan);
  }
  if (git.subcommand === 'grep' && rest.length === 0) add(scan, 'readTree', '.');
  if (git.subcommand === 'clean' && operands.length === 0) add(scan, 'deleteTree', '.');
  // The patch names the files that it changes.
  if (git.subcommand === 'apply' || git.subcommand === 'am') add(scan, 'writeTree', '.');
  return git;
}

/**
 * What a program does with its words.
 *
 * @param name the program, as `programName` gives it
 */
export function programEffects(name: string, words: readonly KnownWord[]): ProgramEffects {
  const scan: Scan = { effects: [], doubts: [] };
  let git: GitReading | undefined;
  // A program outside the system folders is not the one of the table, whatever its name.
  const program = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name] : undefined;
  if (program !== undefined) readProgram(name, program, words, scan);
  else if (name === 'find') readFind(words, scan);
  else if (name === 'dd') readDd(words, scan);
  else if (name === 'git') git = readGitWords(words, scan);
  else readUnknown(name, words, scan);
  // What is written where nobody says is written in the working folder.
  if (name === 'wget' || (name === 'curl' && words.some((word) => word !== undefined && /^-[a-zA-Z]*O|^--remote-name/u.test(word))))
    for (const target of ['.', ...namesOfAddresses(words)]) add(scan, 'write', target);
  if (NETWORK_PROGRAMS.has(programFamily(name))) scan.effects.push({ kind: 'host', value: undefined, tree: false });
  if (name === 'curl') readUploads(words, scan);
  const understood = program !== undefined || (name === 'find' && !words.some((word) => FIND_ACTIONS.test(word ?? '')));
  const declared = git?.onlyReads ?? (scan.doubts.length === 0 && (understood || onlyReads(name, words)));
  return {
    effects: scan.effects,
    doubts: scan.doubts,
    onlyReads: declared && scan.effects.every(({ kind }) => kind === 'read' || kind === 'mention'),
    ...(git === undefined ? {} : { canonical: git.canonical }),
  };
}

/** What curl sends: also by globs, which only it knows the files of. */
function readUploads(words: readonly KnownWord[], scan: Scan): void {
  const { reads, mentions } = sentFiles(words);
  for (const file of reads) add(scan, 'read', file);
  for (const file of mentions) mention(file, scan);
  const uploads = words.some((word) => word !== undefined && /^-[^-]*T|^--upload/u.test(word));
  if (uploads && words.some((word) => word !== undefined && /[{[]/u.test(word))) scan.doubts.push('curl finds the files that it sends');
}
