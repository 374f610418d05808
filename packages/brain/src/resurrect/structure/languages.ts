/** File extensions by language, in lower case. Data formats are omitted, because they say little about a project. */
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

/** A language name. */
export type Language = keyof typeof ENDINGS;

const LANGUAGE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).flatMap(([language, endings]) => endings.split(' ').map((ending) => [ending, language] as const)),
);

/** Languages that accompany code. They rank first only if there are no others. */
const COMPANIONS: ReadonlySet<string> = new Set(['Markdown', 'reStructuredText', 'AsciiDoc', 'HTML', 'CSS', 'Shell', 'SQL']);

/** A language with its number of files. */
export interface LanguageCount {
  readonly language: string;
  readonly files: number;
}

/** Returns the extension of a path in lower case, without its dot; empty if it has none. */
export function extension(path: string): string {
  return /[^/.]\.([^/.]+)$/u.exec(path)?.[1]?.toLowerCase() ?? '';
}

/** Minimum share of the counted files for a language to be listed. */
const NEGLIGIBLE = 0.02;

/** C header files. Their name does not show the language, so they count for the language of the other files. */
const HEADER = 'h';
const HEADER_LANGUAGES = ['C', 'C++', 'Objective-C'] as const;

/** Counts files by language: code first, then accompanying languages, each by number of files. */
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
  // The sort is stable: without other code, headers count as C.
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
