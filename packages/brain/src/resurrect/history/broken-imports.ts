import type { Evidence } from '../evidence/evidence.ts';
import type { Ask } from '../call-log.ts';
import { localImports, type LocalImport } from './local-imports.ts';
import type { RecentText } from './recent-texts.ts';

/** An import that does not resolve: the module or the name in it is missing. */
export interface BrokenImport {
  readonly path: string;
  readonly line: number;
  readonly specifier: string;
  /** The missing name and its module, if the module exists. */
  readonly missing: { readonly name: string; readonly module: string } | undefined;
  readonly evidence: Evidence;
}

/** Maximum number of modules to search for names. */
const MAXIMUM_MODULES = 24;
/** Matches exports that do not list their names. */
const PASSES_ON = /\bexport\s*\*|\bmodule\.exports\b|\bimport\s*\*|__getattr__|\bdefineExpose\b|\bObject\.assign\(exports/u;

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '.');

/** All of the given files are known to be missing. */
const NONE = Symbol('none is there');

/** Lists folders, each once. A listing of files omits files that git ignores, although they may exist. */
class Folders {
  readonly #ask: Ask;
  readonly #listed = new Map<string, Promise<ReadonlySet<string> | undefined>>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Returns the paths in a folder; empty if the folder is missing, undefined if unknown. */
  async #list(folder: string): Promise<ReadonlySet<string> | undefined> {
    // A call for a missing path searches for similar names, which takes long in a large repository.
    if (folder !== '.' && (await this.has(folder)) === false) return new Set();
    const answer = await this.#ask('list_directory', { path: folder, depth: 1, hidden: true });
    if (answer.ok) return answer.data.truncated ? undefined : new Set(answer.data.entries.map(({ path }) => path));
    return answer.code === 'not_found' || answer.code === 'wrong_type' ? new Set() : undefined;
  }

  /** Whether a file or folder exists; undefined if unknown. */
  async has(path: string): Promise<boolean | undefined> {
    const folder = folderOf(path);
    const listed = this.#listed.get(folder) ?? this.#list(folder);
    this.#listed.set(folder, listed);
    return (await listed)?.has(path);
  }

  /** Returns the first existing path; {@link NONE} only if all are known to be missing. */
  async first(paths: readonly string[]): Promise<string | typeof NONE | undefined> {
    let isSure = true;
    for (const path of paths) {
      const has = await this.has(path);
      if (has === true) return path;
      isSure &&= has === false;
    }
    return isSure ? NONE : undefined;
  }
}

const hasName = (text: string, name: string): boolean =>
  new RegExp(String.raw`(?<![\w$])${name.replaceAll('$', String.raw`\$`)}(?![\w$])`, 'u').test(text);

/** Finds broken imports in recently changed files. Files that git ignores, such as generated code, count as existing. */
export async function findBrokenImports(ask: Ask, texts: readonly RecentText[], known: ReadonlySet<string>): Promise<BrokenImport[]> {
  const folders = new Folders(ask);
  const modules = new Map<string, Promise<string | undefined>>();
  const read = async (path: string): Promise<string | undefined> => {
    const own = texts.find((each) => each.path === path)?.text;
    if (own !== undefined) return own;
    const answer = await ask('read_file', { path });
    return answer.ok && answer.data.kind === 'text' && !answer.data.truncated ? answer.data.content : undefined;
  };
  const textOf = (path: string): Promise<string | undefined> => {
    const kept = modules.get(path);
    if (kept !== undefined || modules.size >= MAXIMUM_MODULES) return kept ?? Promise.resolve(undefined);
    const text = read(path);
    modules.set(path, text);
    return text;
  };

  const knownFolders = new Set(Array.from(known, folderOf));
  const isOwn = ({ ownIf }: LocalImport): boolean => ownIf === undefined || ownIf.some((folder) => knownFolders.has(folder));

  async function missingNames(path: string, at: Evidence, { specifier, names, line }: LocalImport, module: string): Promise<BrokenImport[]> {
    const text = names.length === 0 || /\.(?:json|vue|svelte|node|so)$/u.test(module) ? undefined : await textOf(module);
    if (text === undefined || PASSES_ON.test(text)) return [];
    const missing: BrokenImport[] = [];
    for (const name of names.filter((each) => !hasName(text, each))) {
      // The name may be a separate module in the package's folder.
      const inside = module.endsWith('/__init__.py') ? await folders.first([`${folderOf(module)}/${name}.py`, `${folderOf(module)}/${name}`]) : NONE;
      if (inside === NONE) missing.push({ path, line, specifier, missing: { name, module }, evidence: at });
    }
    return missing;
  }

  const found = await Promise.all(
    texts.map(async ({ path, text, at }) => {
      const broken: BrokenImport[] = [];
      for (const each of localImports(path, text)) {
        const quick = each.candidates.find((candidate) => known.has(candidate));
        if (quick === undefined && !isOwn(each)) continue;
        const target = quick ?? (await folders.first(each.candidates));
        if (target === undefined) continue;
        if (target !== NONE) broken.push(...(await missingNames(path, at(each.line), each, target)));
        else broken.push({ path, line: each.line, specifier: each.specifier, missing: undefined, evidence: at(each.line) });
      }
      return broken;
    }),
  );
  return found.flat();
}
