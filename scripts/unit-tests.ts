// Keeps unit tests quick, and apart though they share their modules: none starts a process, or leaves the environment changed.
import { deepEqual } from 'node:assert/strict';
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { afterAll } from 'vitest';

const STARTERS = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'];

function refuse(command: unknown): never {
  const error = new Error(`A unit test starts a process: ${basename(String(command))}\nName its file *.process.test.ts.`);
  // Fails the run also where the tested code handles the error, or where tests are skipped for want of the program.
  setImmediate(() => {
    throw error;
  });
  throw error;
}

// Named imports of modules that are loaded already refer to it, too.
Object.assign(childProcess, Object.fromEntries(STARTERS.map((name) => [name, refuse])));
syncBuiltinESMExports();

const before = { folder: process.cwd(), environment: { ...process.env } };

afterAll(() => deepEqual({ folder: process.cwd(), environment: { ...process.env } }, before));
