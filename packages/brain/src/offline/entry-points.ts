import type { Ask } from '../resurrect/call-log.ts';
import { atFile, atLine, type Evidence } from '../resurrect/evidence/evidence.ts';
import { say, type SafeText } from '../resurrect/evidence/safe-text.ts';
import { readSources } from '../resurrect/history/source.ts';
import { isAside, isTest } from '../resurrect/history/path-kinds.ts';
import type { Metadata } from '../resurrect/metadata/read-metadata.ts';
import type { Structure } from '../resurrect/structure/discover-structure.ts';

/** A file at which reading can begin, and why. */
export interface Entry {
  readonly path: string;
  readonly why: SafeText;
  readonly evidence: Evidence;
}

/** A main function at the start of a line, in languages where a program has one. */
const MAIN = String.raw`^(?:(?:static\s+)?(?:int|void)\s+main\s*\(|func main\(\)|(?:async\s+)?fn main\(\)|\s*public static void main\(|fun main\(|void main\()`;
const MAIN_FILES = ['**/*.c', '**/*.cc', '**/*.cpp', '**/*.go', '**/*.rs', '**/*.java', '**/*.kt', '**/*.dart'];
/** Programs that build, generate or measure. */
const TOOLING = /(?:^|\/)(?:build\.rs|xtask|tools?|scripts?|fuzz|bench|benches|benchmarks?|hack|contrib|docs?|website|site|sandbox)(?:\/|$)/u;
const MATCHES = 200;

/** File names of typical entry points. */
const BY_NAME =
  /(?:^|\/)(?:main|__main__|cli|server|app|index|lib|mod|Program|Main|Application|manage)\.(?:tsx?|mts|jsx?|mjs|cjs|py|go|rs|rb|java|kt|cs|c|cc|cpp|php|swift|exs?|dart)$/u;

const depth = (path: string): number => path.split('/').length;
const byDepth = (a: string, b: string): number => depth(a) - depth(b) || a.length - b.length || (a < b ? -1 : 1);

/** Whether a file is part of the program itself. */
const isOwn = (path: string): boolean => !isTest(path) && !isAside(path) && !TOOLING.test(path);

/** Finds main functions by one search. */
async function withMain(ask: Ask, structure: Structure, maximum: number): Promise<Entry[]> {
  if (!structure.languages.some(({ language }) => ['C', 'C++', 'Go', 'Rust', 'Java', 'Kotlin', 'Dart'].includes(language))) return [];
  const answer = await ask('search_text', { pattern: MAIN, glob: MAIN_FILES, context: 0, limit: MATCHES, per_file: 1 });
  if (!answer.ok) return [];
  const found = answer.data.matches.filter(({ path }) => isOwn(path)).toSorted((a, b) => byDepth(a.path, b.path));
  // The line may be in a comment or in a string of several lines.
  const sources = await readSources(
    ask,
    found.slice(0, maximum).map(({ path }) => path),
  );
  return found
    .filter(({ path, line }) => sources.get(path)?.code[line - 1]?.includes('main') === true)
    .map(({ path, line }) => ({ path, why: say`has the main function`, evidence: atLine(answer, path, line) }));
}

/** Returns the files that a manifest names as what to run or import. */
function declared({ manifests }: Metadata, known: ReadonlySet<string>): Entry[] {
  return manifests.flatMap((manifest) =>
    manifest.facts.entryPoints.flatMap((fact) => {
      const path = fact.value.replace(/^\.\//u, '');
      return known.has(path) ? [{ path, why: say`is what ${manifest.path} names as entry point`, evidence: manifest.at(fact) }] : [];
    }),
  );
}

/** Returns the file that a package begins with, which is named after it. */
function rootModules({ manifests }: Metadata, structure: Structure): string[] {
  const names = manifests.flatMap(({ facts }) => (facts.name === undefined ? [] : [facts.name.value.replace(/\/v\d+$/u, '')]));
  return [...new Set(names.map((name) => name.slice(name.lastIndexOf('/') + 1).toLowerCase()))].flatMap((name) => {
    const module = name.replaceAll('-', '_');
    const places = new Set([
      `src/${module}/__init__.py`,
      `${module}/__init__.py`,
      `${module}.py`,
      `src/${module}.py`,
      `lib/${name}.rb`,
      `lib/${module}.rb`,
      `lib/${name.replaceAll('-', '/')}.rb`,
      `${name}.go`,
      `lib/${module}.ex`,
      `lib/${name}.dart`,
      `lib/${name}.js`,
      `src/${name}.js`,
      `src/${name}.ts`,
    ]);
    return structure.paths.filter((path) => places.has(path.toLowerCase())).sort(byDepth);
  });
}

/** Finds the entry points, the most certain first; at most `maximum`. */
export async function findEntries(ask: Ask, structure: Structure, metadata: Metadata, maximum: number): Promise<Entry[]> {
  const known = new Set(structure.paths);
  const mains = await withMain(ask, structure, maximum);
  const told = new Set([...mains, ...declared(metadata, known)].map(({ path }) => path));
  const roots = rootModules(metadata, structure).map((path) => ({ path, why: say`is the module with the name of the project` }));
  const named = structure.paths
    .filter((path) => BY_NAME.test(path) && isOwn(path))
    .sort(byDepth)
    .map((path) => ({ path, why: say`is an entry point by its name` }));
  const guessed = await Promise.all(
    [...roots, ...named]
      .filter(({ path }, index, all) => !told.has(path) && all.findIndex((each) => each.path === path) === index)
      .slice(0, maximum)
      .map(async (each) => {
        const answer = await ask('read_file', { path: each.path });
        return answer.ok ? [{ ...each, evidence: atFile(answer, each.path) }] : [];
      }),
  );
  const all = [...mains, ...declared(metadata, known), ...guessed.flat()];
  return [...new Map(all.toReversed().map((entry) => [entry.path, entry])).values()].toReversed().slice(0, maximum);
}
