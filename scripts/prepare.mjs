// Runs on any Node >= 20, before anything is installed: no dependency, no syntax newer than that.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamps = join(root, 'node_modules', '.synapse');
const isWindows = process.platform === 'win32';

/** The Node that this repository pins; where its package has no build for this platform, the one at hand if it is new enough. */
export function pinnedNode() {
  const pinned = join(root, 'node_modules', '.bin', isWindows ? 'node.cmd' : 'node');
  if (existsSync(pinned)) return pinned;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  throw new Error(`Synapse needs Node 24, which npm has no package of for ${process.platform}-${process.arch}. Install Node 24 and try again.`);
}

/** Runs a command of this repository with the pinned Node first on the path; returns its exit code. */
export function run(command, commandArguments, options = {}) {
  const path = `${join(root, 'node_modules', '.bin')}${isWindows ? ';' : ':'}${process.env.PATH ?? ''}`;
  const result = spawnSync(command, commandArguments, {
    cwd: root,
    stdio: 'inherit',
    ...options,
    env: { ...process.env, PATH: path, ...options.env },
  });
  if (result.error) throw result.error;
  return result.status ?? 1;
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

/** Installs from the lock file, unless exactly that is installed already. */
export function install({ quiet = true } = {}) {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (stampMatches('installed', lock)) return;
  process.stderr.write('Installing (once) …\n');
  // npm itself prints to stdout, which belongs to results. Install scripts are not needed and not run.
  const stdio = quiet ? ['ignore', 'ignore', 'inherit'] : ['ignore', 2, 'inherit'];
  const npm = process.env.npm_execpath;
  const command = npm?.endsWith('.js') ? [process.execPath, npm] : [isWindows ? 'npm.cmd' : 'npm'];
  const flags = ['ci', '--include=dev', '--include=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  must('npm ci', run(command[0], [...command.slice(1), ...flags], { stdio, shell: isWindows && command.length === 1 }));
  writeStamp('installed', lock);
}

/** Compiles, unless nothing that is compiled has changed. */
export function build() {
  const sources = files(join(root, 'packages'), (name) => /\.(?:ts|json)$/u.test(name) && !name.endsWith('.test.ts'));
  const state = [...['tsconfig.base.json', 'tsconfig.build.json', 'scripts/bundle.mjs'].map((name) => join(root, name)), ...sources]
    .map((path) => `${path} ${statSync(path).mtimeMs} ${statSync(path).size}`)
    .join('\n');
  const stamp = createHash('sha256').update(state).digest('hex');
  if (stampMatches('built', stamp) && existsSync(join(root, 'packages', 'cli', 'dist', 'program', 'main.js'))) return;
  process.stderr.write('Building …\n');
  must(
    'The build',
    run(pinnedNode(), [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--build', 'tsconfig.build.json'], {
      stdio: ['ignore', 2, 'inherit'],
    }),
  );
  must('Joining the modules', run(pinnedNode(), [join(root, 'scripts', 'bundle.mjs')], { stdio: ['ignore', 2, 'inherit'] }));
  writeStamp('built', stamp);
}

/** Makes the checkout ready to run. */
export function prepare() {
  install();
  build();
}
