// Other Node versions for tests, from their npm packages. `npm run test:node -- 22.13.0 [filter …]` runs unit tests on one.
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepare, root, run } from './prepare.mjs';

/** The oldest supported version, the newest, and one that is too old, which must fail with a clear sentence. */
export const NODE_VERSIONS = ['20.19.0', '22.13.0', '26.10.0'];
/** Those that Synapse supports besides the pinned one. */
export const OTHER_VERSIONS = NODE_VERSIONS.slice(1);

const folderOf = (version) => join(root, 'node_modules', '.synapse', `node-${version}`);

/** Returns the program of a version; undefined if it is not installed, or npm has none for this platform. */
export function nodeOf(version) {
  const program = join(folderOf(version), 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return existsSync(program) ? program : undefined;
}

/** Installs missing versions. Without the registry they stay missing, and tests that need them are skipped. */
export function installNodeVersions(versions = NODE_VERSIONS) {
  for (const version of versions.filter((one) => nodeOf(one) === undefined)) {
    process.stderr.write(`Installing Node ${version} for the tests (once) …\n`);
    const flags = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const wanted = `node-${process.platform}-${process.arch}@${version}`;
    const code = run('npm', ['install', ...flags, '--prefix', folderOf(version), wanted], { stdio: ['ignore', 'ignore', 'inherit'] });
    if (code !== 0) process.stderr.write(`Node ${version} could not be installed: its tests are skipped.\n`);
  }
}

/** Returns the command line that runs tests on a version of Node; undefined if it is not installed. */
export async function testsOn(version, filters) {
  const program = nodeOf(version);
  if (program === undefined) return undefined;
  if (Number.parseInt(version, 10) < 24) await (await import('./older-node/compile-sources.mjs')).compileSources();
  return [program, join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...filters];
}

/** The environment in which the programs that tests start run on the same Node as the tests. */
export const environmentOf = (program) => ({ PATH: `${dirname(program)}${delimiter}${process.env.PATH ?? ''}` });

const [version, ...filters] = process.argv.slice(2);
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (version === undefined) throw new Error('Usage: npm run test:node -- VERSION [FILTER …]');
  await prepare();
  installNodeVersions([version]);
  const command = await testsOn(version, filters.length > 0 ? filters : ['packages/']);
  if (command === undefined) throw new Error(`Node ${version} is not installed.`);
  const [program, ...words] = command;
  process.exitCode = run(program, words, { env: environmentOf(program) });
}
