import { wordPattern } from '../syntax/read-uses.ts';
import type { CodeSymbol } from '../syntax/read-symbols.ts';
import type { EditedFile } from './edited-file.ts';
import type { Located } from './locate.ts';
import type { Untouched } from './rename-plan.ts';
import { type SourceFile, syntaxOf } from './source.ts';

/** Maximum number of places that are collected. */
const MAX_UNTOUCHED = 500;
/** Maximum number of lines of the head of a class, which names the classes that it extends. */
const MAX_HEAD_LINES = 6;

/** A class that declares a member of the name, with the head of its declaration. */
interface Holder {
  readonly name: string;
  readonly head: string;
  readonly at: string;
  readonly isRenamed: boolean;
}

function headOf({ lines }: SourceFile, { nameLine }: CodeSymbol): string {
  const head = lines.slice(nameLine - 1, nameLine - 1 + MAX_HEAD_LINES);
  const end = head.findIndex((line) => /[{:]\s*(?:#.*|\/\/.*)?$/u.test(line));
  return (end === -1 ? head.slice(0, 1) : head.slice(0, end + 1)).join(' ');
}

/** The classes in a file that declare a member of the name. */
function holdersIn(source: SourceFile, symbols: readonly CodeSymbol[], name: string, touches: EditedFile['touches']): Holder[] {
  return symbols.flatMap((member): Holder[] => {
    if (member.name !== name || member.kind !== 'method') return [];
    const path = member.path.slice(0, -name.length - 1);
    const holder = symbols.find((one) => one.path === path && one.kind !== 'method');
    if (holder === undefined) return [];
    const at = `${source.path}:${member.nameLine} ${member.path}`;
    return [{ name: holder.name, head: headOf(source, holder), at, isRenamed: touches(member.nameLine, member.nameColumn) }];
  });
}

const names = ({ head }: Holder, { name }: Holder): boolean => wordPattern(name).test(head);

/** Members that stay, of classes that extend one whose member is renamed, or are extended by it. */
function relatedTo(holders: readonly Holder[]): string[] {
  const family = new Set(holders.filter(({ isRenamed }) => isRenamed));
  if (family.size === 0) return [];
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const one of holders)
      if ([...family].some((other) => one !== other && one.name !== other.name && (names(one, other) || names(other, one)))) family.add(one);
  }
  return [...family].filter(({ isRenamed }) => !isRenamed).map(({ at }) => at);
}

/** What a rename leaves. */
export interface Leftover {
  readonly untouched: readonly Untouched[];
  /** Members that override a renamed one, by their syntax, and stay: some servers do not know overrides. */
  readonly related: readonly string[];
}

/** Where the old name stays: in strings and comments, and as the name of other things. */
export async function readUntouched(files: readonly SourceFile[], edited: readonly EditedFile[], { name }: Pick<Located, 'name'>): Promise<Leftover> {
  const byPath = new Map(edited.map((one) => [one.source.path, one]));
  const untouched: Untouched[] = [];
  const holders: Holder[] = [];
  for (const file of files) {
    using syntax = await syntaxOf(file);
    if (syntax === undefined) continue;
    const touches: EditedFile['touches'] = (line, column) => byPath.get(file.path)?.touches(line, column) === true;
    const symbols = syntax.symbols();
    holders.push(...holdersIn(file, symbols, name, touches));
    const left = syntax.usesOf(name).filter(({ line, column }) => !touches(line, column));
    untouched.push(...left.slice(0, MAX_UNTOUCHED - untouched.length).map(({ line, as }) => ({ path: file.path, line, as })));
  }
  return { untouched, related: relatedTo(holders) };
}
