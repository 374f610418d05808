import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';

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
  /** Folder for compiled sources: scripts with the same imports start faster. */
  readonly cache?: string;
}

/** Starts a module in a separate process. For tests. */
export function runScript(script: string, { asOther = false, cache }: ScriptStart = {}): RunningScript {
  const other = asOther ? ({ uid: 65534, gid: 65534 } as const) : {};
  const child = spawn(process.execPath, [...SCRIPT_OPTIONS, script], {
    ...other,
    env: { ...process.env, ...(asOther ? { HOME: tmpdir() } : {}), ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) },
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
