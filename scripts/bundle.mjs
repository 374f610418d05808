// Bundles the compiled modules of each package into a few files: Node takes 0.3 ms to find and load one, and there are
// hundreds. Lazily imported code stays separate; what most starts load is together. Dependencies of a package stay
// external; other code it uses is bundled with its license: callers do not share its values, and an install stays small.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { minify } from 'rolldown/experimental';
import { bundlePage } from './bundle-page.mjs';
import { compressed, writeGrammars } from './grammars.mjs';
import { entryNames, LIBRARIES } from './libraries.mjs';
import { writeLaunchers } from './launcher.mjs';
import { root } from './prepare.mjs';
import { startGroups, STARTS } from './start-groups.mjs';

/** Programs that run without access to other files, so each is bundled separately, next to the file that starts it. */
const PROGRAMS = [
  'sandbox/network/proxy-bridge.js',
  'web/markdown-worker.js',
  'program/program-thread.js',
  'structure/structure-thread.js',
  'search-index/index-thread.js',
];
/** Modules of WebAssembly that these programs run, by their names beside them; compressed, with the ending .br. */
const FILES = { 'quickjs.wasm': '@jitl/quickjs-wasmfile-release-sync/wasm', 'ast-grep.wasm': '@ast-grep/wasm/wasm_bg.wasm' };
/** The programs that take over a detached job, and that work in a branch. They use most of the library, so they share its files. */
const PARTNERS = ['hands/dist/runtime/keep-job.js', 'hands/dist/runtime/serve-branch.js'];

/** The oldest supported Node: `using` is compiled for it, and missing globals are included. */
const OLDEST_NODE = 'node22.13';
const olderNode = join(root, 'scripts', 'older-node');
const shims = join(olderNode, 'shims.ts');
const transform = {
  target: OLDEST_NODE,
  inject: {
    DisposableStack: [shims, 'DisposableStack'],
    AsyncDisposableStack: [shims, 'AsyncDisposableStack'],
    'RegExp.escape': [shims, 'escapePattern'],
  },
};

/** What is evaluated first says which Node is needed: other code would end in an error that names no version. */
const [oldestMajor, oldestMinor] = OLDEST_NODE.match(/\d+/gu);
const CHECK = `{
	const node = globalThis.process?.versions?.node;
	const [major, minor] = (node ?? "${oldestMajor}.${oldestMinor}").split(".").map(Number);
	if (major < ${oldestMajor} || (major === ${oldestMajor} && minor < ${oldestMinor})) throw new Error(\`Synapse needs Node ${oldestMajor}.${oldestMinor} or newer; this is v\${node}. Install a newer one from https://nodejs.org.\`);
}
`;
/** Files that import none of ours are evaluated before those that do. The protocol and the remote parts run elsewhere than in Node, too. */
const isFirst = (name, { imports }, files) => !['protocol', 'remote'].includes(name) && !imports.some((file) => files.has(file));

const packages = join(root, 'packages');
const require = createRequire(join(packages, 'hands', 'package.json'));

/** Returns the entry files of a package, from its `exports`. */
const entriesOf = (name) => entryNames(name).map((entry) => `${name}/dist/${entry}.js`);

/** Bundles: the package, its output folder, and per build the entry files below `packages`. */
const BUNDLES = [
  ...LIBRARIES.map((name) => ({
    name,
    folder: 'dist/bundle',
    builds: [
      [...entriesOf(name), ...(name === 'hands' ? PARTNERS : [])],
      ...(name === 'hands' ? PROGRAMS.map((file) => [`hands/dist/${file}`]) : []),
    ],
  })),
  { name: 'cli', folder: 'dist/program', builds: [['cli/dist/main.js', ...PARTNERS], ...PROGRAMS.map((file) => [`hands/dist/${file}`])] },
];

/** Whether a module belongs to a dependency or to the runtime. */
function isOutside(name) {
  const { dependencies = {}, peerDependencies = {} } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
  const outside = Object.keys({ ...dependencies, ...peerDependencies }).filter((one) => one !== 'zod');
  return (id) =>
    id !== 'node:sqlite' && (isBuiltin(id) || id.startsWith('cloudflare:') || outside.some((one) => id === one || id.startsWith(`${one}/`)));
}

/** Leaves out zod's messages in other languages, which are half of its code. Our packages set no language. */
const englishZod = {
  name: 'english-zod',
  load: (id) => (id.endsWith(join('zod', 'v4', 'locales', 'index.js')) ? "export { default as en } from './en.js';" : undefined),
};

/** Keeps grammars from bringing JavaScript, which the runtime would evaluate. Ours have none. */
const noEval = {
  name: 'no-eval',
  transform: (code, id) => (id.endsWith('web-tree-sitter.js') ? code.replaceAll('eval(func)', "abort('a grammar with code')") : undefined),
};

const asUnits = (text) => Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');

/** V8 stores ASCII sources in half the memory. A file with other characters in String.raw stays as it is: an escape would change its value. */
function inAscii(code) {
  return /String\.raw`[^`]*[^\0-\x7f]/u.test(code) ? code : code.replaceAll(/[^\0-\x7f]/gu, asUnits);
}

/** Shares one copy of zod, from the protocol package, between our packages. */
const sharedZod = {
  name: 'shared-zod',
  resolveId: (id) => (id === 'zod' || id === 'zod/v4' ? { id: '@synapse/protocol/zod', external: true } : undefined),
};

/** Resolves our packages to their modules, not to their bundles, so that unused code is left out. */
const alias = Object.fromEntries(
  LIBRARIES.flatMap((name) =>
    entryNames(name).map((entry) => [`@synapse/${name}${entry === 'index' ? '' : `/${entry}`}`, join(packages, name, 'dist', `${entry}.js`)]),
  ).toSorted(([one], [other]) => other.length - one.length),
);

/** Returns the folder of the foreign package that a module belongs to; undefined for our code. */
function foreignPackage(module) {
  const at = module.lastIndexOf(`${sep}node_modules${sep}`);
  if (at === -1) return undefined;
  const [scope, name] = module.slice(at + `${sep}node_modules${sep}`.length).split(sep);
  return join(module.slice(0, at), 'node_modules', scope, scope.startsWith('@') ? name : '');
}

/** The least share of foreign code in a file that counts as foreign code, such as that of the program that reads pages. */
const FOREIGN_SHARE = 0.9;

/** Shortens foreign code. Names of functions and classes stay: such code asks for them. */
async function shortened({ fileName, code, modules }) {
  const lengths = Object.entries(modules).map(([id, { renderedLength }]) => [foreignPackage(id) !== undefined, renderedLength]);
  const total = lengths.reduce((sum, [, length]) => sum + length, 0);
  const foreign = lengths.reduce((sum, [isForeign, length]) => sum + (isForeign ? length : 0), 0);
  if (foreign === 0 || foreign / total < FOREIGN_SHARE) return code;
  const keepNames = { function: true, class: true };
  const options = { module: true, compress: { keepNames }, mangle: { toplevel: true, keepNames }, codegen: { removeWhitespace: true } };
  const { code: short, errors } = await minify(fileName, code, options);
  if (errors.length > 0) throw new Error(`${fileName}: ${errors[0].message}`);
  return short;
}

/** Where the text of a license begins that many packages share, after the copyright of each. */
const SHARED = /(?=^Permission is hereby granted)/mu;

/** Collects the licenses of bundled packages, which must accompany their code: each text once, after the packages that have it and their copyrights. */
function notices(modules) {
  const folders = [...new Set(modules.map(foreignPackage))].filter((folder) => folder !== undefined);
  const packages = folders.map((folder) => {
    const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/iu.test(entry));
    // Some state it only in their package.json.
    const whole =
      file === undefined
        ? license && `License: ${license}\nAuthor: ${author?.name ?? author ?? 'not stated'}`
        : readFileSync(join(folder, file), 'utf8');
    if (whole === undefined) throw new Error(`${name} has no license that could be kept.`);
    const parts = whole.split(SHARED);
    const [own, text] = parts.length === 2 ? parts : ['', whole];
    return { title: `${name} ${version}`, own: own.trim(), text: text.trim() };
  });
  const groups = Map.groupBy(packages, ({ text }) => text.replaceAll(/\s+/gu, ' '));
  return Array.from(groups.values(), (all) => {
    const owners = Map.groupBy(all, ({ own }) => own);
    const heads = Array.from(owners, ([own, ones]) => [...ones.map(({ title }) => title), ...(own === '' ? [] : [own])].join('\n'));
    return `${heads.join('\n\n')}\n\n${all[0].text}\n`;
  }).join('\n\n');
}

const exportsOf = (output) =>
  JSON.stringify(output.flatMap((one) => (one.type === 'chunk' && one.isEntry ? [[one.fileName, one.exports.toSorted()]] : [])).toSorted());

/** Bundles twice if there are starts: the first result says what they load. */
async function write(input, format, starts) {
  const bundle = await rolldown(input);
  const { output: alone } = await bundle[starts.length === 0 ? 'write' : 'generate'](format);
  await bundle.close();
  if (starts.length === 0) return alone;
  const groups = startGroups(starts, alone, (id) => foreignPackage(id) !== undefined);
  // Required for groups without their dependencies; the comparison sees to it that no entry is extended.
  const grouped = await rolldown({ ...input, preserveEntrySignatures: 'allow-extension' });
  const { output } = await grouped.write({ ...format, codeSplitting: { groups } });
  await grouped.close();
  if (exportsOf(output) !== exportsOf(alone)) throw new Error('A file that others import exports other names than its module.');
  return output;
}

for (const { name, folder, builds } of BUNDLES) {
  const target = join(packages, name, folder);
  rmSync(target, { recursive: true, force: true });
  const external = isOutside(name);
  const modules = [];
  for (const entries of builds) {
    const inputs = entries.map((entry) => join(packages, entry));
    const missing = inputs.find((file) => !existsSync(file));
    if (missing !== undefined) throw new Error(`${missing} is not there: it was moved, or not compiled.`);
    const input = {
      input: inputs,
      platform: 'node',
      transform,
      // ES modules first: some packages list CommonJS first, and Node has to guess its exports.
      resolve: { mainFields: ['module', 'main'], alias: { 'node:sqlite': join(olderNode, 'sqlite.ts'), ...(name === 'cli' ? alias : {}) } },
      external,
      plugins: [name === 'protocol' || name === 'cli' ? englishZod : sharedZod, noEval],
      // A slow machine is not a build error.
      checks: { bundlerTimings: false },
      onLog: (_level, log) => {
        throw new Error(`${name}: ${log.message}`);
      },
    };
    const format = {
      dir: target,
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
      // A thread needs at once what its modules load late, and takes longer to load five files than one.
      ...(entries.length === 1 ? { codeSplitting: false } : {}),
      comments: false,
      // Names of functions and classes stay, for stacks that can be read.
      minify: { compress: false, mangle: { toplevel: true, keepNames: { function: true, class: true } }, codegen: { removeWhitespace: true } },
    };
    const output = await write(input, format, entries.length > 1 ? (STARTS[name] ?? []) : []);
    const files = new Set(output.map(({ fileName }) => fileName));
    for (const chunk of output.filter(({ type }) => type === 'chunk')) {
      writeFileSync(join(target, chunk.fileName), `${isFirst(name, chunk, files) ? CHECK : ''}${inAscii(await shortened(chunk))}`);
    }
    modules.push(...output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])));
  }
  if (name === 'hands' || name === 'cli') modules.push(...(await writeGrammars(target)));
  if (name === 'hands' || name === 'cli') {
    for (const [file, source] of Object.entries(FILES)) writeFileSync(join(target, `${file}.br`), compressed(require.resolve(source)));
  }
  const texts = notices(modules);
  if (texts !== '') writeFileSync(join(target, 'LICENSES.txt'), texts);
}

const launchers = writeLaunchers([join(packages, 'hands/dist/bundle'), join(packages, 'cli/dist/program')]);
if (launchers.length === 0) process.stderr.write('No C compiler: shells and perl will start commands, which takes longer.\n');

await bundlePage();
