import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const PACKAGES = fileURLToPath(new URL('../../packages', import.meta.url));
const BUILT_IN = new Set([...builtinModules, ...builtinModules.map((name) => `node:${name}`), 'node:sqlite']);

/** The package that a module name belongs to. */
const packageOf = (name: string): string =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

/** What the built files of a package import from elsewhere. */
function imported(folder: string): Set<string> {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => [
      ...readFileSync(`${folder}/${file}`, 'utf8').matchAll(/^import\s(?:[^'"\n;]*\sfrom\s)?["']([^"']+)["'];$|\bimport\("([^"]+)"\)/gmu),
    ])
    .map(([, static_, dynamic]) => static_ ?? dynamic ?? '');
  return new Set(names.filter((name) => !name.startsWith('.') && !BUILT_IN.has(name)).map(packageOf));
}

// In this repository everything is found, whoever depends on it; where a package is installed alone, it is not.
it.each(readdirSync(PACKAGES))('%s imports only what it depends on', (name) => {
  const { dependencies = {} } = JSON.parse(readFileSync(`${PACKAGES}/${name}/package.json`, 'utf8')) as { dependencies?: Record<string, string> };
  const used = imported(`${PACKAGES}/${name}/dist/bundle`);
  expect(used.size).toBeGreaterThan(0);
  expect([...used].filter((one) => !Object.hasOwn(dependencies, one))).toEqual([]);
});
