import { extension } from '../structure/languages.ts';

/** A name that a line of code defines. */
export interface Definition {
  readonly name: string;
  /** Whether it is called or used as a type. */
  readonly kind: 'function' | 'type';
}

/** Groups of languages that can use each other's names. */
const FAMILIES = [
  ['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte'],
  ['py', 'pyi'],
  ['go'],
  ['rs'],
  ['rb', 'rake', 'erb'],
  ['java', 'kt', 'kts', 'scala', 'groovy'],
  ['cs', 'fs', 'vb'],
  ['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp', 'm', 'mm'],
  ['php'],
  ['ex', 'exs'],
  ['swift'],
  ['dart'],
  ['lua'],
] as const;
const FAMILY_OF: ReadonlyMap<string, readonly string[]> = new Map(FAMILIES.flatMap((family) => family.map((ending) => [ending, family] as const)));

/** Returns the extensions of files that can use the definitions of a file; empty for an unknown language. */
export function familyOf(path: string): readonly string[] {
  return FAMILY_OF.get(extension(path)) ?? [];
}

const TYPE =
  /^\s*(?:export\s+(?:default\s+)?|public\s+|private\s+|protected\s+|internal\s+|abstract\s+|final\s+|sealed\s+|static\s+|open\s+|data\s+|pub(?:\([^)]*\))?\s+|type(?=\s+\w+\s+(?:struct|interface)\b))*\s*(?:class|interface|struct|enum|trait|record|protocol|module|object|type)\s+([A-Za-z_]\w*)/u;
const FUNCTION =
  /^\s*(?:export\s+(?:default\s+)?|public\s+|private\s+|protected\s+|internal\s+|static\s+|override\s+|open\s+|suspend\s+|async\s+|unsafe\s+|const\s+|pub(?:\([^)]*\))?\s+)*(?:function\*?|func(?:\s+\([^)]*\))?|fn|fun|def|defp|defmacro)\s+(?:self\.)?([A-Za-z_]\w*[?!]?)/u;
/** `export const total = …` and `const total = (…) =>` */
const VALUE =
  /^\s*(?:export\s+(?:const|let|var)\s+([A-Za-z_$][\w$]*)|(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*(?::[^=]+)?=>)/u;
/** A method in Java, C# and similar languages. */
const METHOD =
  /^\s+(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized)\s+)+[\w<>[\],.? ]+\s+([A-Za-z_]\w*)\s*\(/u;
/** A C function at the start of a line, its declaration in a header, or a macro. */
const PLAIN_C =
  /^(?:#\s*define\s+([A-Za-z_]\w*)|(?!return|else|typedef|using|namespace|if|while|for|switch)[A-Za-z_][\w:<>,*& ]*[ *&](?:\w+::)?([A-Za-z_]\w*)\s*\([^;{]*\)?\s*(?:const)?\s*[{;]?\s*$)/u;

/** Names that are too common to be meaningful. */
const EVERYWHERE: ReadonlySet<string> = new Set(
  'main test init setup index render run start stop open close read write create update delete remove get set add new from into default value data item name type constructor toString equals hashCode clone copy next call apply handler options props state config self this initialize teardown before after describe'.split(
    ' ',
  ),
);
/** Minimum length of a name to search for, in characters. */
const SHORTEST = 4;

const METHOD_ENDINGS: ReadonlySet<string> = new Set(['java', 'cs', 'kt', 'php', 'scala']);
const C_ENDINGS: ReadonlySet<string> = new Set(['c', 'h', 'cc', 'cpp', 'cxx', 'hh', 'hpp']);

/** Lines that define what is called, and the extensions of the files that have them. The first one that fits has the name. */
const CALLED: ReadonlyArray<{ readonly pattern: RegExp; readonly endings?: ReadonlySet<string> }> = [
  { pattern: FUNCTION },
  { pattern: VALUE },
  { pattern: METHOD, endings: METHOD_ENDINGS },
  { pattern: PLAIN_C, endings: C_ENDINGS },
];

function calledIn(line: string, ending: string): string | undefined {
  for (const { pattern, endings } of CALLED) {
    if (endings?.has(ending) === false) continue;
    const [, ...groups] = pattern.exec(line) ?? [];
    const name = groups.find((group) => group !== undefined);
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Returns the definition in a line, if any. */
export function definitionIn(line: string, path: string): Definition | undefined {
  const type = TYPE.exec(line)?.[1];
  const name = (type ?? calledIn(line, extension(path)))?.replace(/[?!]$/u, '');
  if (name === undefined || name.length < SHORTEST || EVERYWHERE.has(name)) return undefined;
  return { name, kind: type === undefined ? 'function' : 'type' };
}

/** Whether a name consists of several words, which makes it unlikely to name something else. */
const isCompound = (name: string): boolean => /[a-z\d][A-Z]|[A-Za-z]_[A-Za-z]/u.test(name);

/** Matches the start of a comment. */
const COMMENT = /^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:include|define|\[))|--|;|%|<!--|"""|''')/u;
/** Matches imports and module declarations. */
export const IMPORT =
  /\b(?:import|from|require|require_relative)\b|^\s*(?:pub\s+)?(?:use|using|mod|source|load|include)\b|^\s*export\b.*\bfrom\b|^\s*#\s*include\b/u;

/** Whether a line uses a definition: calls it, imports it, or uses it as a type. `!` ends the names of macros and of methods in Ruby. */
export function usesDefinition(line: string, { name, kind }: Definition): boolean {
  if (COMMENT.test(line)) return false;
  const code = line.replace(/\s(?:\/\/|#\s).*$/u, '');
  for (const found of code.matchAll(new RegExp(String.raw`(?<![\w$])${name}(?![\w$])`, 'gu'))) {
    const before = code.slice(0, found.index);
    const after = code.slice(found.index + name.length);
    // Inside quotes, or a member of something else with the same short name.
    if ((before.match(/["'`]/gu) ?? []).length % 2 === 1) continue;
    if (/(?:\.|->|::)\s*$/u.test(before) && !isCompound(name)) continue;
    if (IMPORT.test(code)) return true;
    if (
      kind === 'type'
        ? /\b(?:new|extends|implements|instanceof|:|<|is|as)\s*$|[<:(,|&]\s*$|^\s*$/u.test(before) || /^\s*(?:[.{(>]|::)/u.test(after)
        : /^\s*\(|^!(?:[\s([{]|$)/u.test(after)
    )
      return true;
  }
  return false;
}
