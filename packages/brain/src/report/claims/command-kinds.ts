import type { CommandPart } from './command-line.ts';

/** What a command checks. */
export const CHECK_KINDS = ['tests', 'lint', 'types', 'build', 'format'] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

/** A check that a command makes. */
export interface Check {
  readonly kind: CheckKind;
  /** What it is limited to, such as one file; undefined if it checks everything. */
  readonly only: string | undefined;
  /** The folder that its options name. */
  readonly folder: string | undefined;
}

/** Programs that check: their words up to the subcommand. */
const PROGRAMS: ReadonlyArray<readonly [words: RegExp, kind: CheckKind]> = [
  [
    /^(?:vitest|jest|mocha|ava|tap|jasmine|karma|pytest|py\.test|tox|nox|rspec|phpunit|ctest|nosetests|behat|bats|busted|cypress run|playwright test|pest|codecept run)\b/u,
    'tests',
  ],
  [/^node\b.* --test\b/u, 'tests'],
  [/^python[\d.]* -m (?:pytest|unittest|nose2?)\b/u, 'tests'],
  [/^python[\d.]* (?:manage\.py|setup\.py) test\b/u, 'tests'],
  [
    /^(?:cargo (?:\+\S+ )?(?:test|nextest run)|go test|dotnet test|swift test|mix test|deno test|bun test|flutter test|dart test|zig build test|sbt test|lein test|stack test|cabal test|rake (?:test|spec)|rails test|ember test|ng test)\b/u,
    'tests',
  ],
  [/^(?:make|just|task) (?:\S+ )*?(?:test|tests|unit|check-tests)\b/u, 'tests'],
  [/^(?:mvn|mvnw|\.\/mvnw)\b.* ?(?:test|verify)\b/u, 'tests'],
  [/^(?:gradle|gradlew|\.\/gradlew)\b.* ?(?:test|check)\b/u, 'tests'],
  [
    /^(?:eslint|oxlint|tslint|stylelint|standard|xo|jshint|flake8|pylint|rubocop|shellcheck|golangci-lint|staticcheck|hadolint|yamllint|markdownlint|ktlint|detekt|phpstan|psalm|credo|swiftlint|biome (?:lint|check|ci)|ruff(?: check)?(?! format)|deno lint|cargo (?:\+\S+ )?clippy|go vet|ng lint|next lint|mix credo)\b/u,
    'lint',
  ],
  [/^(?:make|just|task) (?:\S+ )*?lint\b/u, 'lint'],
  [/^(?:tsc|vue-tsc|mypy|pyright|basedpyright|pytype|flow check|cargo (?:\+\S+ )?check|deno check|svelte-check|sorbet|srb tc)\b/u, 'types'],
  [/^(?:make|just|task) (?:\S+ )*?(?:types|typecheck|type-check)\b/u, 'types'],
  [
    /^(?:prettier\b.* (?:--check|-c)|oxfmt\b.* --check|black\b.* --check|gofmt -l|cargo (?:\+\S+ )?fmt\b.* --check|ruff format\b.* --check|rustfmt --check|biome format|dprint check|deno fmt --check)\b/u,
    'format',
  ],
  [
    /^(?:vite build|webpack|rollup|esbuild|tsup|parcel build|next build|nuxt build|ng build|cargo (?:\+\S+ )?build|go build|dotnet build|swift build|docker build|mix compile|cmake --build|ninja|zig build|bazel build|hugo|jekyll build)\b/u,
    'build',
  ],
  [/^(?:make|just|task)(?: (?:all|build|compile|-j\d*))*$/u, 'build'],
  [/^(?:mvn|mvnw|\.\/mvnw)\b.* ?(?:package|compile|install)\b/u, 'build'],
  [/^(?:gradle|gradlew|\.\/gradlew)\b.* ?(?:build|assemble)\b/u, 'build'],
];

/** Kinds by the name of a package script. */
const SCRIPTS: ReadonlyArray<readonly [name: RegExp, kind: CheckKind]> = [
  [/^(?:tests?|unit|e2e|spec)(?:[:_-]|$)|[:_-]tests?$/u, 'tests'],
  [/^(?:lint|eslint)(?:[:_-]|$)|[:_-]lint$/u, 'lint'],
  [/^(?:types?|typecheck|type-check|check-types|tsc|typings)(?:[:_-]|$)|[:_-](?:types?|typecheck)$/u, 'types'],
  [/^(?:build|compile|bundle)(?:[:_-]|$)/u, 'build'],
  [/^(?:format|fmt|prettier)[:_-]check$|^check[:_-](?:format|fmt)$/u, 'format'],
];

const RUNNERS: ReadonlySet<string> = new Set(['npm', 'pnpm', 'yarn', 'bun', 'deno', 'composer', 'rush', 'turbo', 'nx']);
/** Options that make a program only tell about itself, or about what it would do. */
const ONLY_TELLS =
  /^(?:--help|-h|--version|-V|--collect-only|--co|--listTests|--list|--list-tests|--no-run|--dry-run|--showConfig|--show-config|--print-config|--passWithNoTests=only)$/u;
/** Options with a value that limits what is tested. */
const LIMITING =
  /^(?:-t|-k|-m|-g|-f|-run|--run|--grep|--fgrep|--filter|--testNamePattern|--testPathPattern|--test-name-pattern|--tests|--only|--tag|--related|--changed|--onlyChanged|-o|--lf|--last-failed|--bail-only|-p|--package|--project|--shard)(?:=|$)/u;

interface Script {
  readonly name: string;
  readonly rest: readonly string[];
  readonly folder: string | undefined;
}

/** The option of a runner that names the folder or package it works in, with its value if that is in the same word. */
const FOLDER_OPTION = /^(?:--prefix|--cwd|-C|--dir|--workspace|-w|--filter|-F|-F)(?:=(.+))?$/u;

/** The words after the runner without its own options: those before its first operand, and those about its folder up to a `--`. */
function operandsOf(words: readonly string[]): { readonly operands: string[]; readonly folder: string | undefined } {
  let folder: string | undefined;
  const operands: string[] = [];
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const named = operands.includes('--') ? null : FOLDER_OPTION.exec(word);
    if (named !== null) {
      folder = named[1] ?? words[at + 1] ?? folder;
      if (named[1] === undefined) at += 1;
    } else if (operands.length > 0 || word === '--' || !word.startsWith('-')) operands.push(word);
  }
  return { operands, folder };
}

const RUN_WORDS: ReadonlySet<string | undefined> = new Set(['run', 'run-script', 'task']);

/** The script that a package manager runs. */
function scriptOf(words: readonly string[]): Script | undefined {
  const [runner = ''] = words;
  if (!RUNNERS.has(runner)) return undefined;
  const { operands, folder } = operandsOf(words);
  const [name, ...rest] = RUN_WORDS.has(operands[0]) ? operands.slice(1) : operands;
  // Bun has tests of its own.
  if (name === undefined || (runner === 'bun' && name === 'test' && !words.includes('run'))) return undefined;
  return { name: name === 't' || name === 'tst' ? 'test' : name, rest: rest.filter((word) => word !== '--'), folder };
}

const PATH_LIKE = /[/\\]|\.(?:[cm]?[jt]sx?|py|rb|go|rs|php|java|kt|cs|exs?|dart)$|::/u;
const EVERYTHING = /^(?:\.|\.\/|\.\/\.\.\.|src\/?|tests?\/?|\.\/tests?|\.\/src|packages\/?|spec\/?|lib\/?|\*\*?)$/u;

function limitOf(words: readonly string[], kind: CheckKind): string | undefined {
  // What a linter or compiler looks at is its operands anyway; tests are claimed as a whole.
  if (kind !== 'tests') {
    const file = words.find(
      (word) => !word.startsWith('-') && /\.[a-z]{1,5}$/u.test(word) && PATH_LIKE.test(word) && !/(?:config|rc|tsconfig[\w.]*)\.\w+$/u.test(word),
    );
    return file;
  }
  for (const [at, word] of words.entries()) {
    if (LIMITING.test(word)) return word.includes('=') ? word : `${word} ${words[at + 1] ?? ''}`.trim();
    if (!word.startsWith('-') && PATH_LIKE.test(word) && !EVERYTHING.test(word)) return word;
  }
  return undefined;
}

/** Returns what a command checks; undefined if it checks nothing that is known. */
export function checkOf({ words }: Pick<CommandPart, 'words'>): Check | undefined {
  if (words.some((word) => ONLY_TELLS.test(word))) return undefined;
  const script = scriptOf(words);
  if (script !== undefined) {
    const kind = SCRIPTS.find(([name]) => name.test(script.name))?.[1];
    if (kind !== undefined) return { kind, only: limitOf(script.rest, kind), folder: script.folder };
  }
  const [program = '', ...rest] = words;
  // A program may be given by its path, such as `node_modules/.bin/eslint`.
  const line = [program.startsWith('./gradlew') || program.startsWith('./mvnw') ? program : program.replace(/^.*\//u, ''), ...rest].join(' ');
  const kind = PROGRAMS.find(([start]) => start.test(line))?.[1];
  if (kind === undefined) return undefined;
  if (/^vitest (?:list|init|bench)\b|^jest --init/u.test(line)) return undefined;
  return {
    kind,
    only: limitOf(
      rest.filter((word) => !/^(?:test|run|-m|pytest|unittest|nextest)$/u.test(word)),
      kind,
    ),
    folder: undefined,
  };
}
