import { wordPattern, type NameUse } from '../syntax/read-uses.ts';
import type { CodeSymbol } from '../syntax/read-symbols.ts';
import type { EditedFile } from './edited-file.ts';
import type { Located } from './locate.ts';
import type { Untouched } from './rename-plan.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of places that are collected. */
const MAX_UNTOUCHED = 500;
/** Maximum number of lines of the head of a class, which names the classes that it extends. */
const MAX_HEAD_LINES = 6;
/** Maximum number of lines from the head of a class to one of its body. */
const MAX_BODY_LINES = 5_000;

/** A class that declares a member of the name, with the head of its declaration. */
interface Holder {
  readonly name: string;
  readonly head: string;
  readonly at: string;
  readonly isRenamed: boolean;
  /** Whether types fit it by their members alone, as an interface of TypeScript and a protocol of Python. */
  readonly isInterface: boolean;
}

const PROTOCOL = /^\s*class\b[^:]*\bProtocol\b/u;

function headOf({ lines }: SourceFile, { nameLine }: Pick<CodeSymbol, 'nameLine'>): string {
  const head = lines.slice(nameLine - 1, nameLine - 1 + MAX_HEAD_LINES);
  const end = head.findIndex((line) => /[{:]\s*(?:#.*|\/\/.*)?$/u.test(line));
  return (end === -1 ? head.slice(0, 1) : head.slice(0, end + 1)).join(' ');
}

const CLASS = /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+([\p{L}_$][\p{L}\p{N}_$]*)/u;
const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The line of the class whose body has a line, by the indentation. Index from 0. */
function classAround(lines: readonly string[], index: number): { readonly name: string; readonly at: number } | undefined {
  const indent = indentOf(lines[index] ?? '');
  for (let at = index - 1; at >= 0 && index - at < MAX_BODY_LINES; at -= 1) {
    const line = lines[at] ?? '';
    // The head of a class may end on a line of its own.
    if (line.trim() === '' || /^\s*[)\]}]/u.test(line) || indentOf(line) >= indent) continue;
    const name = CLASS.exec(line)?.[1];
    return name === undefined ? undefined : { name, at };
  }
  return undefined;
}

/** The classes in a file whose body sets the name, as Python declares what all instances share. Also classes within functions. */
function settersIn(source: SourceFile, uses: readonly NameUse[], name: string, touches: EditedFile['touches']): Holder[] {
  if (!/\.pyi?$/u.test(source.path)) return [];
  const { lines, path } = source;
  return uses.flatMap(({ line, column, as }): Holder[] => {
    const text = lines[line - 1] ?? '';
    const isSet =
      as === 'code' && /^\s*(?:(?:async\s+)?def\s+)?$/u.test(text.slice(0, column)) && /^\s*[:=(](?!=)/u.test(text.slice(column + name.length));
    const around = isSet ? classAround(lines, line - 1) : undefined;
    if (around === undefined) return [];
    const head = headOf(source, { nameLine: around.at + 1 });
    const at = `${path}:${line} ${around.name}.${name}`;
    return [{ name: around.name, head, at, isRenamed: touches(line, column), isInterface: PROTOCOL.test(head) }];
  });
}

/** The classes in a file that declare a member of the name. */
function holdersIn(source: SourceFile, symbols: readonly CodeSymbol[], name: string, touches: EditedFile['touches']): Holder[] {
  return symbols.flatMap((member): Holder[] => {
    if (member.name !== name || member.kind !== 'method') return [];
    const path = member.path.slice(0, -name.length - 1);
    const holder = symbols.find((one) => one.path === path && one.kind !== 'method');
    if (holder === undefined) return [];
    const at = `${source.path}:${member.nameLine} ${member.path}`;
    const head = headOf(source, holder);
    const isInterface = holder.kind === 'interface' || PROTOCOL.test(head);
    return [{ name: holder.name, head, at, isRenamed: touches(member.nameLine, member.nameColumn), isInterface }];
  });
}

/** A class that extends what only the running program knows, as in `class Mine(other.kind)`: classes are in upper case. */
const UNKNOWN_BASE = /\([^)]*(?:\.[a-z_][a-z\d_]*\s*[,)]|\btype\()/u;

const names = ({ head }: Holder, { name }: Holder): boolean => wordPattern(name).test(head) || UNKNOWN_BASE.test(head);

/** Members that stay, of classes that extend one whose member is renamed, or are extended by it. */
function relatedTo(holders: readonly Holder[]): string[] {
  const family = new Set(holders.filter(({ isRenamed }) => isRenamed));
  if (family.size === 0) return [];
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const one of holders)
      if ([...family].some((other) => one !== other && one.name !== other.name && (names(one, other) || names(other, one)))) family.add(one);
  }
  return [...new Set([...family].filter(({ isRenamed }) => !isRenamed).map(({ at }) => at))];
}

/** Members that stay, of types that may fit an interface by them, or of interfaces that a type may fit by what is renamed. */
function fittingTo(holders: readonly Holder[]): string[] {
  const renamed = holders.filter(({ isRenamed }) => isRenamed);
  const isOfInterface = renamed.some(({ isInterface }) => isInterface);
  const left = renamed.length === 0 ? [] : holders.filter(({ isRenamed, isInterface }) => !isRenamed && (isOfInterface || isInterface));
  return [...new Set(left.map(({ at }) => at))];
}

/** What a rename leaves. */
export interface Leftover {
  readonly untouched: readonly Untouched[];
  /** Members that override a renamed one, by their syntax, and stay: some servers do not know overrides. */
  readonly related: readonly string[];
  /** Members that stay, and may belong to a renamed one by an interface, which types fit without saying so. */
  readonly fitting: readonly string[];
  /** What is declared by the renamed name, with what it is in, such as `Class.method`; undefined for a parameter or a variable of a function. */
  readonly declared: string | undefined;
}

/** Where the old name stays: in strings and comments, and as the name of other things. */
export async function readUntouched(files: readonly SourceFile[], edited: readonly EditedFile[], { name }: Pick<Located, 'name'>): Promise<Leftover> {
  const byPath = new Map(edited.map((one) => [one.source.path, one]));
  const untouched: Untouched[] = [];
  const holders: Holder[] = [];
  let declared: string | undefined;
  for (const file of files) {
    using syntax = await syntaxOf(file);
    if (syntax === undefined) continue;
    const touches: EditedFile['touches'] = (line, column) => byPath.get(file.path)?.touches(line, column) === true;
    const symbols = syntax.symbols();
    const uses = syntax.usesOf(name);
    declared ??= symbols.find(({ nameLine, nameColumn }) => touches(nameLine, nameColumn))?.path;
    holders.push(...holdersIn(file, symbols, name, touches), ...settersIn(file, uses, name, touches));
    const left = uses.filter(({ line, column }) => !touches(line, column));
    untouched.push(...left.slice(0, MAX_UNTOUCHED - untouched.length).map(({ line, as }) => ({ path: file.path, line, as })));
  }
  return { untouched, related: relatedTo(holders), fitting: fittingTo(holders), declared };
}
