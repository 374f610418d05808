import { codeOnly } from './code-lines.ts';
import { extension } from '../structure/languages.ts';

/** A module of the project that a line imports. */
export interface LocalImport {
  /** The specifier as written. */
  readonly specifier: string;
  /** Line number, from 1. */
  readonly line: number;
  /** Files that it may resolve to, relative to the top folder. */
  readonly candidates: readonly string[];
  /** Imported names. */
  readonly names: readonly string[];
  /** Folders, one of which must exist for the module to belong to the project. Absent if it certainly does. */
  readonly ownIf?: readonly string[];
}

const SCRIPT_ENDINGS = ['ts', 'tsx', 'mts', 'cts', 'd.ts', 'js', 'jsx', 'mjs', 'cjs', 'json', 'vue', 'svelte', 'node'];
const SCRIPTS: ReadonlySet<string> = new Set(['ts', 'tsx', 'mts', 'cts', 'js', 'jsx', 'mjs', 'cjs', 'vue', 'svelte']);
/** Extensions of compiled files, which stand for those of their sources. */
const COMPILED = /\.(?:js|jsx|mjs|cjs)$/u;

/** Resolves `.` and `..` in a path; undefined if it leaves the top folder. */
function normalize(path: string): string | undefined {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join('/');
}

const folderOf = (path: string): string => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

function lineAt(text: string, index: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

const SCRIPT_IMPORT =
  /^[ \t]*(?:import|export)\b(?:\s+type\b)?(?:[^'"`;{}]*\{(?<names>[^{}'"`]*)\})?[^'"`;{}]*?\bfrom\s*(['"])(?<path>\.{1,2}\/[^'"\n?]+)\2|^[ \t]*import\s*(['"])(?<bare>\.{1,2}\/[^'"\n?]+)\4|^[^'"`\n/]*\b(?:require|import)\(\s*(['"])(?<called>\.{1,2}\/[^'"\n?]+)\6\s*\)/gmu;

function scriptImports(path: string, text: string): LocalImport[] {
  return [...text.matchAll(SCRIPT_IMPORT)].flatMap(({ groups = {}, index, 0: whole }) => {
    const specifier = groups['path'] ?? groups['bare'] ?? groups['called'] ?? '';
    const target = normalize(`${folderOf(path)}/${specifier}`);
    if (target === undefined || target === '') return [];
    const stem = target.replace(COMPILED, '');
    const candidates = [
      target,
      ...[...new Set([target, stem])].flatMap((base) => SCRIPT_ENDINGS.flatMap((ending) => [`${base}.${ending}`, `${base}/index.${ending}`])),
    ];
    const names = (groups['names'] ?? '')
      .replaceAll(/\/\/[^\n]*|\/\*.*?\*\//gsu, '')
      .split(',')
      .map(
        (name) =>
          name
            .trim()
            .replace(/^type\s+/u, '')
            .split(/\s+as\s+/u)[0]
            ?.trim() ?? '',
      )
      .filter((name) => /^[A-Za-z_$][\w$]*$/u.test(name) && name !== 'default');
    // Line of the specifier, because an import may span several lines.
    return [{ specifier, line: lineAt(text, index + whole.length), candidates, names }];
  });
}

const PYTHON_IMPORT = /^[ \t]*from[ \t]+(?<dots>\.*)(?<module>[\w.]*)[ \t]+import[ \t]+(?:\((?<many>[^)]*)\)|(?<some>[^\n#]*))/gmu;

function pythonImports(path: string, text: string): LocalImport[] {
  return [...text.matchAll(PYTHON_IMPORT)].flatMap(({ groups = {}, index }) => {
    const dots = groups['dots'] ?? '';
    const module = groups['module'] ?? '';
    if (dots === '' && module === '') return [];
    const up = '../'.repeat(Math.max(0, dots.length - 1));
    const below = module.replaceAll('.', '/');
    // Without dots, a module is looked up from the top and never beside the file, except by a script that is run there.
    const bases = dots === '' ? ['', 'src/', 'lib/'] : [`${folderOf(path)}/${up}`];
    const places = bases.flatMap((base) => normalize(`${base}${below}`) ?? []).filter((place) => place !== '');
    const candidates = places.flatMap((place) => [`${place}.py`, `${place}.pyi`, `${place}/__init__.py`, `${place}.pyx`, `${place}.so`]);
    const names = (groups['many'] ?? groups['some'] ?? '')
      .replaceAll(/#[^\n]*/gu, '')
      .split(',')
      .map((name) => name.trim().split(/\s+as\s+/u)[0] ?? '')
      .filter((name) => /^[A-Za-z_]\w*$/u.test(name));
    // `from numpy import array` does not import from the project, and some modules are created at import time.
    const ownIf = places.map((place) => folderOf(place)).filter((folder) => folder !== '' && module.includes('.'));
    const isTried = /\btry:\s*$/u.test(text.slice(0, index).trimEnd()) || /(?:^|\.)_?version$/u.test(module);
    return isTried ? [] : [{ specifier: `${dots}${module}`, line: lineAt(text, index), candidates, names, ...(dots === '' ? { ownIf } : {}) }];
  });
}

/** An attribute above the line that sets another path for the module. */
const PLACED = /#\[(?:path\b|cfg_attr\b.*\bpath\b)/u;

const byLine = (pattern: RegExp, resolve: (name: string, path: string) => readonly string[]) =>
  function imports(path: string, text: string): LocalImport[] {
    return text.split('\n').flatMap((line, index, lines) => {
      if (lines.slice(Math.max(0, index - 2), index).some((above) => PLACED.test(above))) return [];
      const specifier = pattern.exec(line)?.[1];
      if (specifier === undefined) return [];
      const candidates = resolve(specifier, path).flatMap((candidate) => normalize(candidate) ?? []);
      return candidates.length === 0 ? [] : [{ specifier, line: index + 1, candidates, names: [] }];
    });
  };

/** Resolves Rust's `mod name;`: a file next to `lib.rs`, `main.rs` and `mod.rs`, or in the folder named after the file. */
function rustModule(name: string, path: string): string[] {
  const folder = folderOf(path);
  const own = path.slice(folder.length).replace(/^\//u, '').replace(/\.rs$/u, '');
  const bases = ['lib', 'main', 'mod'].includes(own) ? [folder] : [folder, `${folder}/${own}`];
  return bases.flatMap((base) => [`${base}/${name}.rs`, `${base}/${name}/mod.rs`]);
}

const READERS: Readonly<Record<string, (path: string, text: string) => LocalImport[]>> = {
  py: pythonImports,
  rs: byLine(/^\s*(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)\s*;/u, rustModule),
  rb: byLine(/^\s*require_relative\s*\(?\s*["']([^"'#]+)["']/u, (name, path) => [`${folderOf(path)}/${name}.rb`, `${folderOf(path)}/${name}`]),
  php: byLine(/^\s*(?:require|include)(?:_once)?\s*\(?\s*__DIR__\s*\.\s*["']\/([^"'$]+)["']/u, (name, path) => [`${folderOf(path)}/${name}`]),
};

/** Returns the project modules that a file imports by path. */
export function localImports(path: string, text: string): LocalImport[] {
  const ending = extension(path);
  const read = SCRIPTS.has(ending) ? scriptImports : Object.hasOwn(READERS, ending) ? READERS[ending] : undefined;
  // An import in a comment or a docstring is an example.
  return read?.(path, codeOnly(text, path)) ?? [];
}
