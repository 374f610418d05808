// Lets this process start programs of the sources on Node 22, also with an environment of their own.
import childProcess from 'node:child_process';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import workerThreads from 'node:worker_threads';

const IMPORT = `--import=${new URL('run-sources.mjs', import.meta.url).href}`;

/** Compiles a script that is given as text. The compiler is loaded only for this. */
function compiledScript(script) {
  const { transformSync } = createRequire(import.meta.url)('rolldown/utils');
  return transformSync('script.ts', script, { lang: 'ts', target: 'node22.13' }).code;
}

/** Adds the import to a command line that runs a source with this Node. */
function withImport(words) {
  const at = words.indexOf(process.execPath);
  const runsSources = words.slice(at + 1).some((word) => word === '--conditions=synapse-source' || String(word).endsWith('.ts'));
  if (at === -1 || !runsSources) return words;
  const script = words.findIndex((word) => word === '-e' || word === '--eval') + 1;
  const compiled = script > at && String(words[script]).includes('using ') ? words.with(script, compiledScript(words[script])) : words;
  return compiled.toSpliced(at + 1, 0, IMPORT);
}

function starter(original) {
  return (command, ...rest) => {
    if (!Array.isArray(rest[0])) return original(command, ...rest);
    const [program, ...words] = withImport([command, ...rest[0]]);
    return original(program, words, ...rest.slice(1));
  };
}

for (const name of ['spawn', 'spawnSync', 'execFile', 'execFileSync']) {
  const original = childProcess[name];
  childProcess[name] = starter(original);
  const promised = original[promisify.custom];
  if (promised !== undefined) childProcess[name][promisify.custom] = starter(promised);
}
// Threads of sources, too.
const { Worker } = workerThreads;
workerThreads.Worker = class extends Worker {
  constructor(file, options) {
    super(file, String(file).endsWith('.ts') ? { ...options, execArgv: [IMPORT] } : options);
  }
};
syncBuiltinESMExports();
