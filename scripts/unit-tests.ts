// Keeps unit tests quick, and apart though they share their modules: none starts a process, or leaves the environment changed.
import { deepEqual } from 'node:assert/strict';
import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { basename } from 'node:path';
import { afterAll } from 'vitest';

const STARTERS = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'];

const attempts: string[] = [];

function refuse(command: unknown): never {
  const name = basename(String(command));
  attempts.push(name);
  throw new Error(`A unit test starts a process: ${name}\nList its file in scripts/process-tests.ts.`);
}

// Named imports of modules that are loaded already refer to it, too.
Object.assign(childProcess, Object.fromEntries(STARTERS.map((name) => [name, refuse])));
syncBuiltinESMExports();

const before = { folder: process.cwd(), environment: { ...process.env } };

// Here for errors that the tested code handles.
afterAll(() => {
  deepEqual(attempts, [], `The file starts processes: list it in scripts/process-tests.ts: ${attempts.join(', ')}`);
  deepEqual({ folder: process.cwd(), environment: { ...process.env } }, before);
});
