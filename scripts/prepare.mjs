// Runs on any Node >= 20, before anything is installed: no dependencies, no newer syntax.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { downloads, packageCount, steps } from './progress.mjs';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamps = join(root, 'node_modules', '.synapse');
const isWindows = process.platform === 'win32';

/** Returns the Node that this repository pins; if it has no build for this platform, the current one if new enough. */
export function pinnedNode() {
  const pinned = join(root, 'node_modules', '.bin', isWindows ? 'node.cmd' : 'node');
  if (existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error(`Synapse needs Node 24, which npm has no package of for ${process.platform}-${process.arch}. Install Node 24 and try again.`);
}

/** Returns the environment of commands of this repository: the pinned Node is first on the path. */
function environment(own) {
  const path = `${join(root, 'node_modules', '.bin')}${isWindows ? ';' : ':'}${process.env.PATH ?? ''}`;
  return { ...process.env, PATH: path, ...own };
}

/** Runs a command of this repository; returns its exit code. */
export function run(command, commandArguments, options = {}) {
  const result = spawnSync(command, commandArguments, { cwd: root, stdio: 'inherit', ...options, env: environment(options.env) });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

const exit = (child) => new Promise((resolve, reject) => child.once('error', reject).once('close', (code) => resolve(code ?? 1)));

/** Like `run`, and others can run meanwhile. */
export async function show(command, commandArguments) {
  return await exit(spawn(command, commandArguments, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env: environment() }));
}

/** Runs a command; returns its exit code and what it printed, so that the outputs of several do not mix. */
export async function collect(command, commandArguments, env = {}) {
  const child = spawn(command, commandArguments, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: environment(env) });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return { code: await exit(child), output };
}

/** Runs a command and processes its log while it runs. */
async function runTelling(command, commandArguments, log, options) {
  const child = spawn(command, commandArguments, { cwd: root, ...options, stdio: ['ignore', 'ignore', 'pipe'], env: environment() });
  child.stderr.setEncoding('utf8').on('data', (text) => log.write(text));
  const code = await exit(child);
  log.end();
  return code;
}

function must(what, code) {
  if (code !== 0) throw new Error(`${what} failed with exit code ${code}.`);
}

function stampMatches(name, value) {
  const file = join(stamps, name);
  return existsSync(file) && readFileSync(file, 'utf8') === value;
}

function writeStamp(name, value) {
  mkdirSync(stamps, { recursive: true });
  writeFileSync(join(stamps, name), value);
}

function files(folder, keep) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : files(path, keep);
    return keep(entry.name) ? [path] : [];
  });
}

const say = (text) => process.stderr.write(text);

function installedState() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

/** Installs from the lock file. */
async function install(state) {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const log = downloads(packageCount(lock), { terminal: process.stderr.isTTY, say });
  // npm prints to stdout, which is for results. Install scripts are not needed and not run.
  const npm = process.env.npm_execpath;
  const command = npm?.endsWith('.js') ? [process.execPath, npm] : [isWindows ? 'npm.cmd' : 'npm'];
  const flags = ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http'];
  must('npm ci', await runTelling(command[0], [...command.slice(1), ...flags], log, { shell: isWindows && command.length === 1 }));
  writeStamp('installed', state);
}

/** Returns the state of all sources, with their modification times. */
function sourceState() {
  const sources = files(join(root, 'packages'), (name) => /\.(?:tsx?|json|css|html|svg|c|h)$/u.test(name) && !name.endsWith('.test.ts'));
  const scripts = ['bundle.mjs', 'bundle-page.mjs', 'bundle-types.mjs', 'grammars.mjs', 'launcher.mjs'].map((name) => `scripts/${name}`);
  const state = [
    ...['tsconfig.base.json', 'tsconfig.build.json', ...scripts].map((name) => join(root, name)),
    ...files(join(root, 'scripts', 'older-node'), () => true),
    ...sources,
  ]
    .map((path) => `${path} ${statSync(path).mtimeMs} ${statSync(path).size}`)
    .join('\n');
  return createHash('sha256').update(state).digest('hex');
}

const isPackage = (name) => existsSync(join(root, 'packages', name, 'package.json'));
const isCompiled = (name) => existsSync(join(root, 'packages', name, 'dist', '.tsbuildinfo'));
const isBuilt = (state) => stampMatches('built', state) && readdirSync(join(root, 'packages')).filter(isPackage).every(isCompiled);

const NODE_OUTPUT = { stdio: ['ignore', 2, 'inherit'] };

function compile() {
  must('The build', run(pinnedNode(), [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--build', 'tsconfig.build.json'], NODE_OUTPUT));
}

function bundle() {
  for (const script of ['bundle.mjs', 'bundle-types.mjs'])
    must('Joining the modules', run(pinnedNode(), [join(root, 'scripts', script)], NODE_OUTPUT));
}

/** Prepares the checkout: installs and compiles if something has changed. Without `build`, for what runs the sources. */
export async function prepare({ build = true } = {}) {
  const [lock, source] = [installedState(), sourceState()];
  const installs = !stampMatches('installed', lock);
  const builds = build && !isBuilt(source);
  const next = steps([...(installs ? ['Downloading packages, once'] : []), ...(builds ? ['Compiling', 'Joining the modules'] : [])], say);
  if (installs) {
    next();
    await install(lock);
  }
  if (!builds) return;
  next();
  compile();
  next();
  bundle();
  writeStamp('built', source);
}
