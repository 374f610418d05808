import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { expect, it } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));
const BUILT_IN = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`), 'node:sqlite']);

/** The package that a module name belongs to. */
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** The modules that a file names. A parser finds them: bundles have no line for each. */
function modulesIn(file: string, text: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.map((entry) => entry.moduleRequest?.value)),
    ...dynamicImports.map(({ moduleRequest }) => /^["'`]([^"'`]+)["'`]$/u.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1]),
  ].filter((name) => name !== undefined);
}

/** What the built files of a package import from elsewhere. */
function imported(dist: string): Set<string> {
  // Sources in a folder of that name are compiled there, too.
  const built = [`${dist}/bundle`, `${dist}/program`].find((folder) => existsSync(folder)) ?? dist;
  const names = [built]
    .flatMap((folder) => readdirSync(folder).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => modulesIn(file, readFileSync(file, 'utf8')));
  return new Set(names.filter((name) => !name.startsWith('.') && !BUILT_IN.has(name)).map(packageOf));
}

interface Dependencies {
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
}
const manifestOf = (name: string): Dependencies => JSON.parse(readFileSync(`${PACKAGES}/${name}/package.json`, 'utf8')) as Dependencies;

/** What a package says it depends on, by name. */
const dependenciesOf = (name: string): Record<string, string> => manifestOf(name).dependencies ?? {};

// In this repository every package finds everything; where a package is installed alone, it is not.
it.each(readdirSync(PACKAGES))('%s imports only what it depends on', (name) => {
  // OpenTelemetry is there if the application uses it, and is not missed otherwise.
  const dependencies = { ...dependenciesOf(name), ...manifestOf(name).peerDependencies };
  const used = imported(`${PACKAGES}/${name}/dist`);
  // The protocol brings its zod along, and so needs nothing.
  expect(used.size > 0).toBe(name !== 'protocol');
  expect([...used].filter((one) => !Object.hasOwn(dependencies, one))).toEqual([]);
});

// The command line has the other packages in it, and so what they depend on.
it('they agree on the versions of what several depend on', () => {
  const versions = new Map<string, string>();
  for (const [name, version] of readdirSync(PACKAGES).flatMap((one) => Object.entries(dependenciesOf(one)))) {
    expect({ name, version }).toEqual({ name, version: versions.get(name) ?? version });
    versions.set(name, version);
  }
});

it('the command line keeps the license of everything that it has in it', () => {
  const licenses = readFileSync(`${PACKAGES}/cli/dist/program/LICENSES.txt`, 'utf8');
  for (const name of ['zod', '@modelcontextprotocol/server']) expect(licenses).toMatch(new RegExp(`^${name} \\d+\\.`, 'mu'));
});
