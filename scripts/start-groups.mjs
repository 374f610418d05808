// Which modules the bundler puts together, so that a start loads a few files instead of hundreds.
import { basename, join } from 'node:path';
import { root } from './prepare.mjs';

const packages = join(root, 'packages');

/**
 * What most starts load, in steps: an import of the library, then hands; a command that prints what is stored, one that opens hands, a server.
 * All that a step adds comes into two files. Without this it would be some hundred, as code that lazy modules share gets files of its own.
 */
export const STARTS = {
  hands: ['hands/dist/index.js', 'hands/dist/runtime/create-hands.js'],
  cli: ['cli/dist/main.js', 'cli/dist/commands/log.js', 'hands/dist/runtime/create-hands.js', 'cli/dist/commands/mcp.js'],
};

/** Entries that load nothing of a start that they do without: `providers` is for browsers too, and `policy` answers alone. */
const LIGHT = ['cli/dist/main.js', 'hands/dist/index.js', 'hands/dist/providers.js', 'hands/dist/policy.js'];

/**
 * For each start, the modules that it loads and those before it do not, as groups for the bundler.
 *
 * @param output the files that come out without groups
 * @param isForeign whether a module is of another package: such code is shortened, so it gets a file of its own
 */
export function startGroups(starts, output, isForeign) {
  const chunks = new Map(output.flatMap((one) => (one.type === 'chunk' ? [[one.fileName, one]] : [])));
  const loadedBy = (first) => {
    const loaded = new Set([first]);
    for (const { imports } of loaded) for (const name of imports) if (chunks.has(name)) loaded.add(chunks.get(name));
    return loaded;
  };
  const modulesOf = (loaded) => [...loaded].flatMap(({ moduleIds }) => moduleIds);
  const entries = [...chunks.values()].filter(({ isEntry }) => isEntry);
  const light = LIGHT.map((path) => join(packages, path)).flatMap((path) =>
    entries.filter(({ facadeModuleId }) => facadeModuleId === path).map(loadedBy),
  );
  return starts
    .map((path) => join(packages, path))
    .flatMap((start, index) => {
      const first = [...chunks.values()].find(({ moduleIds }) => moduleIds.includes(start));
      if (first === undefined) return [];
      // An entry stays what it is.
      const apart = new Set([
        ...entries.map(({ facadeModuleId }) => facadeModuleId),
        ...light.filter((loaded) => !loaded.has(first)).flatMap(modulesOf),
      ]);
      const modules = new Set(modulesOf(loadedBy(first)).filter((id) => !apart.has(id)));
      const priority = starts.length - index;
      const group = (groupName, isPart) => ({
        name: groupName,
        test: (id) => modules.has(id) && isPart(id),
        priority,
        // What they import is among them already, but for what tree shaking took away.
        includeDependenciesRecursively: false,
      });
      const startName = basename(start, '.js');
      return [group(startName, (id) => !isForeign(id)), group(`${startName}-packages`, isForeign)];
    });
}
