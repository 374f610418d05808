import { asRecord, Lines } from '../lines.ts';
import type { Command, CommandPurpose, ManifestFacts } from '../manifest.ts';
import { parseJson } from './json-text.ts';

/** Script names by purpose, the best first. */
const SCRIPTS: Readonly<Record<CommandPurpose, readonly string[]>> = {
  test: ['test', 'test:unit'],
  start: ['start', 'dev', 'serve'],
  build: ['build', 'compile'],
  check: ['check', 'lint', 'typecheck'],
};

/** The placeholder script of `npm init`, which is not a test. */
const PLACEHOLDER = /no test specified/u;

/** Finds commands among named scripts. `run` returns the command line of a script. */
export function scriptCommands(scripts: unknown, lines: Lines, run: (script: string) => string, from: number): Command[] {
  const table = asRecord(scripts);
  return Object.entries(SCRIPTS).flatMap(([purpose, names]) => {
    const name = names.find((name) => typeof table[name] === 'string' && !PLACEHOLDER.test(table[name]));
    return name === undefined ? [] : [{ purpose: purpose as CommandPurpose, value: run(name), line: lines.find([`"${name}"`], from) }];
  });
}

const MANAGER_OF_LOCK: Readonly<Record<string, string>> = { 'pnpm-lock.yaml': 'pnpm', 'yarn.lock': 'yarn', 'bun.lock': 'bun', 'bun.lockb': 'bun' };

function packageManager(field: unknown, siblings: readonly string[]): string {
  const named = typeof field === 'string' ? /^(?:npm|pnpm|yarn|bun)(?=@)/u.exec(field)?.[0] : undefined;
  const lock = siblings.find((name) => Object.hasOwn(MANAGER_OF_LOCK, name));
  return named ?? (lock === undefined ? undefined : MANAGER_OF_LOCK[lock]) ?? 'npm';
}

/** Parses npm's package.json. */
export function parsePackageJson(text: string, siblings: readonly string[]): ManifestFacts {
  const manifest = asRecord(parseJson(text));
  const lines = new Lines(text);
  const at = (key: string): number => lines.find([`"${key}"`, ':']);
  const manager = packageManager(manifest['packageManager'], siblings);
  const node = asRecord(manifest['engines'])['node'];
  const workspaces = Array.isArray(manifest['workspaces']) ? manifest['workspaces'] : asRecord(manifest['workspaces'])['packages'];
  const { bin } = manifest;
  return {
    name: lines.fact(manifest['name'], ['"name"', ':']),
    version: lines.fact(manifest['version'], ['"version"', ':']),
    description: lines.fact(manifest['description'], ['"description"', ':']),
    engine: lines.fact(typeof node === 'string' ? `Node ${node}` : '', ['"node"'], at('engines')),
    commands: scriptCommands(manifest['scripts'], lines, (script) => npmCommand(manager, script), at('scripts')),
    entryPoints:
      typeof bin === 'object'
        ? lines.facts(bin, at('bin'))
        : [bin, manifest['main']].flatMap((path) => lines.fact(path, [`"${String(path)}"`]) ?? []).slice(0, 1),
    members: lines.facts(Array.isArray(workspaces) ? workspaces : [], at('workspaces')),
    dependencies: lines.facts(manifest['dependencies'], at('dependencies')),
    devDependencies: lines.facts(manifest['devDependencies'], at('devDependencies')),
  };
}

/** Returns the command that runs a script: `npm test` and `npm start` need no `run`; `bun test` is a different command. */
function npmCommand(manager: string, script: string): string {
  return (script === 'test' && manager !== 'bun') || (script === 'start' && manager === 'npm') ? `${manager} ${script}` : `${manager} run ${script}`;
}
