import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A process that runs a test script on the sources. */
export interface RunningScript {
  readonly process: ChildProcess;
  /** Resolves with its output when it has exited. */
  readonly output: Promise<string>;
}

/** Returns the URL of a source file as a string literal for an import. */
export function sourceUrl(path: string): string {
  return JSON.stringify(new URL(`../${path}`, import.meta.url).href);
}

/** Node options that run the following text as a module on the sources. */
export const SCRIPT_OPTIONS = ['--conditions=synapse-source', '--input-type=module', '-e'];

/** Options of a script. */
export interface ScriptStart {
  /** Runs as user 65534 if the tests run as root. */
  readonly asOther?: boolean;
}

/** The user and the group that own no files. */
const OTHER = 65_534;

/** Where the other user keeps compiled sources, of which the next process makes use: a start without takes twice the time. */
export function otherUsersCache(): string {
  const folder = join(tmpdir(), 'synapse-compiled-by-other');
  mkdirSync(folder, { recursive: true });
  chownSync(folder, OTHER, OTHER);
  return folder;
}

/** Starts a module in a separate process. For tests. */
export function runScript(script: string, { asOther = false }: ScriptStart = {}): RunningScript {
  const other = asOther ? ({ uid: OTHER, gid: OTHER } as const) : {};
  const child = spawn(process.execPath, [...SCRIPT_OPTIONS, script], {
    ...other,
    env: { ...process.env, ...(asOther ? { HOME: tmpdir(), NODE_COMPILE_CACHE: otherUsersCache() } : {}) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // A test that fails would leave the script running, and Vitest would wait for it forever.
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('close', () => process.off('exit', end));
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { process: child, output: once(child, 'close').then(() => output) };
}
