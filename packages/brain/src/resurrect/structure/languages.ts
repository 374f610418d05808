/** Endings of file names by language, in lower case. Data formats are left out: they say little about a project. */
const ENDINGS = {
  TypeScript: 'ts tsx mts cts',
  JavaScript: 'js jsx mjs cjs',
  Python: 'py pyi',
  Jupyter: 'ipynb',
  Ruby: 'rb',
  PHP: 'php',
  Perl: 'pl pm',
  Lua: 'lua',
  R: 'r',
  Julia: 'jl',
  Rust: 'rs',
  Go: 'go',
  C: 'c',
  'C++': 'cc cpp cxx hpp hh',
  Zig: 'zig',
  Nim: 'nim',
  Java: 'java',
  Kotlin: 'kt kts',
  Scala: 'scala',
  Groovy: 'groovy',
  Clojure: 'clj cljs cljc',
  'C#': 'cs',
  'F#': 'fs',
  Swift: 'swift',
  'Objective-C': 'm mm',
  Dart: 'dart',
  Elixir: 'ex exs',
  Erlang: 'erl',
  Haskell: 'hs',
  OCaml: 'ml mli',
  Elm: 'elm',
  Gleam: 'gleam',
  Crystal: 'cr',
  Solidity: 'sol',
  Terraform: 'tf',
  Nix: 'nix',
  Vue: 'vue',
  Svelte: 'svelte',
  Astro: 'astro',
  PowerShell: 'ps1',
  Shell: 'sh bash zsh fish',
  SQL: 'sql',
  HTML: 'html htm',
  CSS: 'css scss less',
  Markdown: 'md mdx',
  reStructuredText: 'rst',
  AsciiDoc: 'adoc',
  TeX: 'tex',
} as const;

/** A language by its name. */
export type Language = keyof typeof ENDINGS;

const LANGUAGE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language] as const)),
);

/** Languages that accompany code; they lead only where there is no other. */
const COMPANIONS: ReadonlySet<string> = new Set(['Markdown', 'reStructuredText', 'AsciiDoc', 'HTML', 'CSS', 'Shell', 'SQL']);

/** A language with its number of files. */
export interface LanguageCount {
  readonly language: string;
  readonly files: number;
}

/** The ending of a path's name in lower case, without its dot; empty where there is none. */
export function extension(path: string): string {
  return /[^/.]\.([^/.]+)$/u.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Parts of the counted files below which a language is not worth a word. */
const NEGLIGIBLE = 0.02;

/** Headers are written in the language of what includes them, as their names do not tell. */
const HEADER = 'h';
const HEADER_LANGUAGES = ['C', 'C++', 'Objective-C'] as const;

/** Counts files by language: code first, then what accompanies it, each by number of files. */
export function countLanguages(paths: Iterable<string>): LanguageCount[] {
  const counts = new Map<string, number>();
  const add = (language: string, files: number): void => void counts.set(language, (counts.get(language) ?? 0) + files);
  let headers = 0;
  for (const path of paths) {
    const ending = extension(path);
    const language = LANGUAGE_OF.get(ending);
    if (language !== undefined) add(language, 1);
    else if (ending === HEADER) headers += 1;
  }
  // Stable: without any code beside them, headers are C.
  const [including] = HEADER_LANGUAGES.toSorted((a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0));
  if (headers > 0 && including !== undefined) add(including, headers);
  const counted = [...counts.values()].reduce((sum, files) => sum + files, 0);
  return [...counts]
    .filter(([, files]) => files >= counted * NEGLIGIBLE)
    .map(([language, files]) => ({ language, files }))
    .sort(
      (a, b) => Number(COMPANIONS.has(a.language)) - Number(COMPANIONS.has(b.language)) || b.files - a.files || (a.language < b.language ? -1 : 1),
    );
}
