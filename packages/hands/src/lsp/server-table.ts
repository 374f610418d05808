/** The data of a language server. */
export interface ServerRow {
  readonly name: string;
  /** Language IDs of the protocol, by file extension without the dot. */
  readonly languages: Readonly<Record<string, string>>;
  /** Programs on the PATH with their arguments, best first. */
  readonly programs: ReadonlyArray<readonly [string, ...string[]]>;
  /** Whether TypeScript 7 of the project or of Synapse is tried first. */
  readonly typescript?: boolean;
  /** Names of project configuration files. A change of one restarts the server. */
  readonly manifests: readonly string[];
  /** Options that disable running code of the project. The sandbox confines it in any case. */
  readonly options?: unknown;
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Whether it finds uses only in files that it has read, which its diagnostics for them tell, and reads what they include from the disk, though
   * it may be open with another text. Default: it reads whole projects, with the texts that are open.
   */
  readonly readsOpened?: boolean;
  /** Whether it knows each name of a project that it has loaded: one that it does not know is not loaded, or in code that is left out. Default: code may leave types open. */
  readonly knowsNames?: boolean;
  /** Whether it takes headers for C++ where nothing tells how they are compiled. */
  readonly guessesHeaders?: boolean;
  /** Whether types implement what has their methods without saying so, and it renames a method without those. */
  readonly leavesImplementers?: boolean;
  /** Whether macros paste names together, as `##` does in C: the server knows such a use, and cannot rename it. */
  readonly pastesNames?: boolean;
  /** Whether calls name arguments, as in `f(name=1)`: a function may take any name. */
  readonly namesArguments?: boolean;
  /** Whether it renames only in files that the settings of the project include, though it knows what names mean in others. */
  readonly renamesIncluded?: boolean;
  /**
   * The declarations of tests and examples that are named after what they are about, which no server renames: their files, and a pattern for
   * patterns of a name and of what it belongs to.
   */
  readonly namedAfter?: { readonly glob: string; readonly declares: (name: string, owner: string | undefined) => string };
  /** Why it may be unable to load a project, and what to do about it. */
  readonly troubles?: ReadonlyArray<readonly [message: RegExp, advice: string]>;
  /** How to install the server. */
  readonly install: string;
}

const C = { c: 'c', h: 'c', cc: 'cpp', cpp: 'cpp', cxx: 'cpp', hh: 'cpp', hpp: 'cpp', hxx: 'cpp' } as const;

/** The supported servers. None is ever downloaded. */
export const SERVERS: readonly ServerRow[] = [
  {
    name: 'TypeScript',
    languages: {
      ts: 'typescript',
      mts: 'typescript',
      cts: 'typescript',
      tsx: 'typescriptreact',
      js: 'javascript',
      mjs: 'javascript',
      cjs: 'javascript',
      jsx: 'javascriptreact',
    },
    programs: [],
    typescript: true,
    manifests: ['tsconfig*.json', 'jsconfig*.json', 'package.json', 'package-lock.json', 'pnpm-lock.yaml', 'yarn.lock', 'bun.lock'],
    install: 'npm install typescript@7, beside Synapse or in the project',
  },
  {
    name: 'Python',
    languages: { py: 'python', pyi: 'python' },
    programs: [
      ['basedpyright-langserver', '--stdio'],
      ['pyright-langserver', '--stdio'],
    ],
    manifests: ['pyproject.toml', 'pyrightconfig.json', 'setup.cfg', 'requirements*.txt'],
    namesArguments: true,
    renamesIncluded: true,
    namedAfter: { glob: '**/*test*.py', declares: (name) => String.raw`^\s*(?:(?:async )?def|class) (?:test_|Test)${name}(?:_\w*)?\b` },
    install: 'npm install --global pyright, or pip install basedpyright',
  },
  {
    name: 'Go',
    languages: { go: 'go' },
    programs: [['gopls']],
    manifests: ['go.mod', 'go.sum', 'go.work'],
    // Use only the installed toolchain and no modules from elsewhere. go chooses the module mode: a repository may
    // have its modules in the vendor folder, and nothing can be written in any case.
    environment: { GOTOOLCHAIN: 'local', GOPROXY: 'off' },
    troubles: [
      [
        /GOPROXY=off|missing go\.sum entry|no required module provides/u,
        'Modules are missing on this machine: run_command with "go mod download" gets them, for which a person opens the network (--network packages).',
      ],
      [/requires go >= |toolchain not available/u, 'The project needs a newer Go, which a person can install.'],
    ],
    knowsNames: true,
    leavesImplementers: true,
    // `go vet` reads them: ExampleT_M shows the method M of T.
    namedAfter: {
      glob: '**/*_test.go',
      declares: (name, owner) =>
        owner === undefined
          ? String.raw`^func (?:(?:Test|Benchmark|Fuzz)_?|Example)${name}(?:_\w*)?\(`
          : String.raw`^func (?:(?:Test|Benchmark|Fuzz)_?(?:${owner}_?)?|Example${owner}_)${name}(?:_\w*)?\(`,
    },
    install: 'go install golang.org/x/tools/gopls@latest',
  },
  {
    name: 'Rust',
    languages: { rs: 'rust' },
    programs: [['rust-analyzer']],
    manifests: ['Cargo.toml', 'Cargo.lock', 'rust-toolchain.toml'],
    // Build scripts and procedural macros are programs of the repository.
    options: { cargo: { buildScripts: { enable: false } }, procMacro: { enable: false }, checkOnSave: false },
    environment: { CARGO_NET_OFFLINE: 'true' },
    knowsNames: true,
    install: 'rustup component add rust-analyzer',
  },
  {
    name: 'C and C++',
    languages: C,
    programs: [['clangd', '--background-index=false', '--enable-config=false']],
    manifests: ['compile_commands.json', 'compile_flags.txt'],
    readsOpened: true,
    knowsNames: true,
    pastesNames: true,
    guessesHeaders: true,
    install: 'the package clangd of the distribution',
  },
];

const extensionOf = (path: string): string => /\.([^./]+)$/u.exec(path)?.[1]?.toLowerCase() ?? '';

/** Returns the server for a file and the language ID to send; undefined if no server supports it. */
export function serverFor(path: string, servers: readonly ServerRow[] = SERVERS): { readonly row: ServerRow; readonly language: string } | undefined {
  const extension = extensionOf(path);
  for (const row of servers) {
    const language = Object.hasOwn(row.languages, extension) ? row.languages[extension] : undefined;
    if (language !== undefined) return { row, language };
  }
  return undefined;
}
