import { atLine, inAnswer, type Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';
import { definitionIn, familyOf, IMPORT, usesDefinition, type Definition } from './definitions.ts';
import type { GoneFile } from './commits.ts';
import type { PatchedFile } from './patch-lines.ts';
import { isAside, isProse } from './path-kinds.ts';
import { isKeptOnPurpose } from './kept-on-purpose.ts';
import { readSources } from './source.ts';

/** A removed name or file that is still used elsewhere. */
export interface StillUsed {
  readonly kind: 'definition' | 'file';
  /** The name or path. */
  readonly what: string;
  /** The file that contained it; `to` is its new path if it was renamed. */
  readonly from: string;
  readonly to: string | undefined;
  /** Whether a commit removed it; otherwise an uncommitted change did. */
  readonly committed: boolean;
  /** The first places that still use it. */
  readonly uses: readonly { readonly path: string; readonly line: number }[];
  readonly evidence: readonly Evidence[];
}

/** A patch with the files it removed. */
export interface SeenPatch {
  readonly files: readonly PatchedFile[];
  readonly gone: readonly GoneFile[];
  readonly committed: boolean;
  readonly evidence: Evidence;
}

/** Maximum number of names to search for. A rewrite removes hundreds, which is not meaningful. */
const MAXIMUM_NAMES = 16;
const MATCHES = 600;
const MATCHES_PER_FILE = 20;
const SHOWN_USES = 3;
/** Maximum number of files to read for what a line alone does not show. */
const MAXIMUM_FILES_READ = 24;
/** Minimum length of a file name without extension. Short or common words occur in many unrelated files. */
const SHORTEST_STEM = 3;
const COMMON_STEMS: ReadonlySet<string> = new Set(
  'index main mod lib init __init__ test tests types utils helpers readme setup config app package'.split(' '),
);

interface Lost extends Definition {
  readonly path: string;
  readonly patch: SeenPatch;
}
interface Gone extends GoneFile {
  readonly stem: string;
  readonly patch: SeenPatch;
}

function lostDefinitions(patch: SeenPatch): Lost[] {
  const defined = (pick: (file: PatchedFile) => readonly string[], file: PatchedFile): Definition[] =>
    pick(file).flatMap((line) => definitionIn(line, file.path) ?? []);
  const kept = new Set(patch.files.flatMap((file) => defined(({ added }) => added, file).map(({ name }) => name)));
  const lost = patch.files
    .filter(({ path }) => !isAside(path))
    .flatMap((file) => defined(({ removed }) => removed, file).map((definition) => ({ ...definition, path: file.path, patch })));
  return [...new Map(lost.filter(({ name }) => !kept.has(name)).map((each) => [each.name, each])).values()];
}

const ownName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const stemOf = (path: string): string => ownName(path).replace(/(?<=.)\..*$/u, '');

function clearlyGone(patch: SeenPatch, known: ReadonlySet<string>): Gone[] {
  const stems = new Set(Array.from(known, stemOf));
  return patch.gone.flatMap(({ path, to }) => {
    const stem = stemOf(path);
    // If another file has the same name, a line may refer to that one.
    const isClear = stem.length >= SHORTEST_STEM && !COMMON_STEMS.has(stem.toLowerCase()) && !stems.has(stem);
    return known.has(path) || isAside(path) || isProse(path) || !isClear ? [] : [{ path, to, stem, patch }];
  });
}

const escape = (name: string): string => name.replaceAll(/[$.*+?()[\]{}|^\\]/gu, String.raw`\$&`);

/** Whether a line imports the removed file. */
function bringsIn(line: string, { path, stem }: Gone): boolean {
  if (/^\s*(?:\/\/|#(?!\s*include)|\*|--)/u.test(line)) return false;
  const name = escape(stem);
  if (line.includes(path) || new RegExp(`(?<![\\w-])${escape(ownName(path))}(?![\\w-])`, 'u').test(line)) return true;
  // `from './stem'`, `import stem`, `mod stem;`, `use crate::stem::…`, `require_relative 'stem'`
  return IMPORT.test(line) && new RegExp(`(?:^|[\\s"'./:(<,])${name}(?=$|[\\s"'.;:)>,/])`, 'u').test(line);
}

/** Whether an import may refer to a file: it contains the file's name, or a path within the project. */
const takesFrom = (line: string, path: string): boolean =>
  line.includes(stemOf(path)) || /["'`]\.{1,2}\/|\bfrom\s+\.|\b(?:crate|super|self)::/u.test(line);

/**
 * Finds definitions and files that were renamed or deleted but are still used: half-finished refactorings. One search
 * of the whole project covers all names.
 *
 * @param known all files; if undefined, no file counts as removed
 */
export async function findHalfMoves(ask: Ask, patches: readonly SeenPatch[], known: ReadonlySet<string> | undefined): Promise<StillUsed[]> {
  const lost = patches.flatMap(lostDefinitions).slice(0, MAXIMUM_NAMES);
  const gone = known === undefined ? [] : patches.flatMap((patch) => clearlyGone(patch, known)).slice(0, MAXIMUM_NAMES);
  const names = [...new Set([...lost.map(({ name }) => name), ...gone.map(({ stem }) => stem)])];
  if (names.length === 0) return [];
  const answer = await ask('search_text', {
    pattern: String.raw`\b(?:${names.map(escape).join('|')})\b`,
    path: '.',
    hidden: true,
    limit: MATCHES,
    per_file: MATCHES_PER_FILE,
  });
  // With too many matches some are omitted, possibly including the definition.
  if (!answer.ok || answer.data.truncated !== undefined) return [];
  const hits = answer.data.matches.filter(({ path }) => !path.startsWith('.git/') && !isAside(path));
  const inFamilyOf = (definition: Lost): typeof hits =>
    hits.filter(({ path }) => familyOf(definition.path).some((ending) => path.endsWith(`.${ending}`)));
  const usedNames = lost.filter((definition) => inFamilyOf(definition).some(({ text }) => usesDefinition(text, definition)));
  const usedFiles = gone.filter((each) => hits.some(({ text }) => bringsIn(text, each)));
  if (usedNames.length + usedFiles.length === 0) return [];
  // A line does not show whether it is in a docstring, so the files are read. A hit in a file that was not read is no proof.
  const paths = [...usedNames.flatMap(inFamilyOf), ...hits.filter(({ text }) => usedFiles.some((each) => bringsIn(text, each)))].map(
    ({ path }) => path,
  );
  const files = await readSources(ask, [...new Set(paths)].slice(0, MAXIMUM_FILES_READ));
  const inCode = hits.flatMap((hit) => {
    const code = files.get(hit.path)?.code[hit.line - 1];
    return code === undefined ? [] : [{ path: hit.path, line: hit.line, text: code }];
  });
  const used = (what: Omit<StillUsed, 'uses' | 'evidence'>, matches: typeof inCode, patch: SeenPatch): StillUsed[] => {
    const uses = matches.slice(0, SHOWN_USES).map(({ path, line }) => ({ path, line }));
    const [first] = uses;
    return first === undefined ? [] : [{ ...what, uses, evidence: [atLine(answer, first.path, first.line), patch.evidence, inAnswer(answer)] }];
  };
  const definitions = usedNames.flatMap((definition) => {
    const family = familyOf(definition.path);
    const isInFamily = ({ path }: { path: string }): boolean => family.some((ending) => path.endsWith(`.${ending}`));
    // Defined elsewhere: it was moved, and its users may already import it from there.
    if (hits.some((hit) => isInFamily(hit) && definitionIn(hit.text, hit.path)?.name === definition.name)) return [];
    const { name, path, patch } = definition;
    if (hits.some((hit) => isInFamily(hit) && isKeptOnPurpose(name, files.get(hit.path), hit.line))) return [];
    // A file that imports the name from elsewhere uses that one.
    const inFamily = inCode.filter(isInFamily);
    const elsewhere = new Set(inFamily.filter(({ text }) => IMPORT.test(text) && !takesFrom(text, path)).map((hit) => hit.path));
    return used(
      { kind: 'definition', what: name, from: path, to: undefined, committed: patch.committed },
      inFamily.filter((hit) => !elsewhere.has(hit.path) && usesDefinition(hit.text, definition)),
      patch,
    );
  });
  const moved = usedFiles.flatMap((each) =>
    used(
      { kind: 'file', what: each.path, from: each.path, to: each.to, committed: each.patch.committed },
      inCode.filter(({ path, text }) => path !== each.to && !isProse(path) && bringsIn(text, each)),
      each.patch,
    ),
  );
  return [...moved, ...definitions];
}

/** Extensions by the ones that replace them in common migrations. */
const SUCCESSORS: Readonly<Record<string, readonly string[]>> = {
  js: ['ts', 'tsx', 'mjs'],
  jsx: ['tsx', 'ts'],
  coffee: ['js', 'ts'],
  java: ['kt'],
  m: ['swift'],
  c: ['cpp', 'cc', 'rs'],
  scss: ['css'],
  py2: ['py'],
};
const MARKED =
  /^(?<stem>.+?)(?:[-_.](?<old>old|legacy|orig|backup|bak|deprecated)|[-_.](?<new>new|v2|2|next|rewrite)|(?<camelOld>Old|Legacy|Deprecated)|(?<camelNew>New|V2))$/u;

/** Two files, one of which will replace the other. */
export interface Pair {
  readonly old: string;
  readonly new: string;
}

const OLD_MARKS = ['_old', '-old', '_legacy', '-legacy', 'Old', 'Legacy'];
const NEW_MARKS = ['_new', '-new', '_v2', '-v2', 'New', 'V2'];

/** A path, with what is before its extension and the extension. */
interface Parted {
  readonly path: string;
  readonly stem: string;
  readonly ending: string;
}

/** The pairs of a file with those of another extension, whether there are such files or not. */
function migrations({ path, stem, ending }: Parted): Pair[] {
  const steps = Object.entries(SUCCESSORS).flatMap(([from, into]) => into.map((to) => ({ from, to })));
  return steps.flatMap(({ from, to }): Pair[] => {
    if (ending === from) return [{ old: path, new: `${stem}.${to}` }];
    return ending === to ? [{ old: `${stem}.${from}`, new: path }] : [];
  });
}

/** The pairs of a file with those whose name says that they are the old or the new one, whether there are such files or not. */
function renewals({ path, stem, ending }: Parted): Pair[] {
  const marked = MARKED.exec(stem)?.groups;
  if (marked !== undefined) {
    const plain = `${marked['stem'] ?? ''}.${ending}`;
    const isOld = marked['old'] !== undefined || marked['camelOld'] !== undefined;
    return [isOld ? { old: path, new: plain } : { old: plain, new: path }];
  }
  const olds = OLD_MARKS.map((mark): Pair => ({ old: `${stem}${mark}.${ending}`, new: path }));
  const news = NEW_MARKS.map((mark): Pair => ({ old: path, new: `${stem}${mark}.${ending}` }));
  return [...olds, ...news];
}

/** Finds files next to their replacements, if one of the two changed recently. */
export function findPairs(known: ReadonlySet<string>, recent: ReadonlySet<string>): Pair[] {
  const pairs = Array.from(recent).flatMap((path) => {
    if (isAside(path) || isProse(path) || !known.has(path)) return [];
    const ending = ownName(path).replace(/^.*\./u, '');
    const parted = { path, ending, stem: path.slice(0, path.length - ending.length - 1) };
    return [...migrations(parted), ...renewals(parted)].filter((pair) => known.has(pair.old) && known.has(pair.new));
  });
  return [...new Map(pairs.map((pair) => [`${pair.old} ${pair.new}`, pair])).values()];
}
