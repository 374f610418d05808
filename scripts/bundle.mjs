// Joins the compiled modules of each package into a few files: Node takes 0.3 ms to find and load one, and there are
// hundreds. What is imported when it is needed stays apart. Other packages stay outside, found from where they belong,
// but for the small ones that every start needs; the command line has all that it starts with in files of its own.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isAbsolute, join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

/** Packages of many files, or in CommonJS, that every start needs. None of their values is shared with anybody. */
const SMALL = ['ignore', 'jsonc-parser', 'unbash'];
/** What the command line alone joins beside them: nobody hands it a schema or a server. Of zod, its languages stay out. */
const OWN = [
  '@synapse/protocol',
  '@synapse/hands',
  '@synapse/mcp-server',
  '@synapse/brain',
  '@synapse/remote',
  '@modelcontextprotocol/server',
  '@modelcontextprotocol/core',
  'zod',
];

/** Run where no other file can be read or shared, so each is a program of its own. Found beside the file that starts it. */
const PROGRAMS = ['sandbox/network/proxy-bridge.js', 'web/markdown-worker.js'];

/** What to join: the files that are entered, below `packages`, those of one build in one list; the folder to write; what joins in. */
const BUNDLES = [
  { folder: 'protocol/dist/bundle', builds: [['protocol/dist/index.js', 'protocol/dist/remote.js']], joined: SMALL },
  { folder: 'hands/dist/bundle', builds: [['hands/dist/index.js'], ...PROGRAMS.map((file) => [`hands/dist/${file}`])], joined: SMALL },
  { folder: 'mcp-server/dist/bundle', builds: [['mcp-server/dist/index.js']], joined: SMALL },
  { folder: 'brain/dist/bundle', builds: [['brain/dist/index.js']], joined: SMALL },
  { folder: 'remote/dist/bundle', builds: [['remote/dist/index.js', 'remote/dist/brain.js']], joined: SMALL },
  { folder: 'cli/dist/program', builds: [['cli/dist/main.js'], ...PROGRAMS.map((file) => [`hands/dist/${file}`])], joined: [...SMALL, ...OWN] },
];

const packages = join(root, 'packages');
/** Of our own packages the modules are joined, not what was joined already: what is not used then stays out. */
const alias = {
  '@synapse/protocol/remote': join(packages, 'protocol', 'dist', 'remote.js'),
  '@synapse/remote/brain': join(packages, 'remote', 'dist', 'brain.js'),
  ...Object.fromEntries(readdirSync(packages).map((name) => [`@synapse/${name}`, join(packages, name, 'dist', 'index.js')])),
};

/** The folder of the package from elsewhere that a module is of; undefined for our own. */
function foreignPackage(module) {
  const at = module.lastIndexOf(`${sep}node_modules${sep}`);
  if (at === -1) return undefined;
  const [scope, name] = module.slice(at + `${sep}node_modules${sep}`.length).split(sep);
  return join(module.slice(0, at), 'node_modules', scope, scope.startsWith('@') ? name : '');
}

/** Their licences want to go where the code goes. */
function notices(modules) {
  const folders = [...new Set(modules.map(foreignPackage))].filter((folder) => folder !== undefined);
  return folders
    .map((folder) => {
      const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/iu.test(entry));
      if (file === undefined) throw new Error(`${name} has no licence that could be kept.`);
      return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8')}`;
    })
    .join('\n\n');
}

for (const { folder, builds, joined } of BUNDLES) {
  const target = join(packages, folder);
  rmSync(target, { recursive: true, force: true });
  const isJoined = (id) => joined.some((name) => id === name || id.startsWith(`${name}/`));
  const modules = [];
  for (const entries of builds) {
    const input = entries.map((entry) => join(packages, entry));
    const missing = input.find((file) => !existsSync(file));
    if (missing !== undefined) throw new Error(`${missing} is not there: it was moved, or not compiled.`);
    const bundle = await rolldown({
      input,
      platform: 'node',
      // ES modules first: some packages name CommonJS first, for which Node has to guess the exports.
      resolve: { mainFields: ['module', 'main'], alias: joined === SMALL ? {} : alias },
      external: (id) => !id.startsWith('.') && !id.startsWith('#') && !isAbsolute(id) && !isJoined(id),
      onLog: (_level, log) => {
        throw new Error(`${folder}: ${log.message}`);
      },
    });
    const { output } = await bundle.write({
      dir: target,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      comments: false,
    });
    modules.push(...output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])));
    await bundle.close();
  }
  writeFileSync(join(target, 'LICENSES.txt'), notices(modules));
}
