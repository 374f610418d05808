import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';

/** A process that runs a script of a test on the sources. */
export interface RunningScript {
  readonly process: ChildProcess;
  /** Settles with what it printed, once it is gone. */
  readonly output: Promise<string>;
}

/** The address of a source file, for an import in a script. */
export function sourceUrl(path: string): string {
  return JSON.stringify(new URL(`../${path}`, import.meta.url).href);
}

/** What makes Node run a text as a module, on the sources; the text comes behind it. */
export const SCRIPT_OPTIONS = ['--conditions=synapse-source', '--input-type=module', '-e'];

/** How a script is started. */
export interface ScriptStart {
  /** As the user 65534, where the tests run as root. */
  readonly asOther?: boolean;
  /** A folder for compiled sources: many scripts that import the same start faster. */
  readonly cache?: string;
}

/** Starts a script, a module, in a process of its own. For tests. */
export function runScript(script: string, { asOther = false, cache }: ScriptStart = {}): RunningScript {
  const other = asOther ? ({ uid: 65534, gid: 65534 } as const) : {};
  const child = spawn(process.execPath, [...SCRIPT_OPTIONS, script], {
    ...other,
    env: { ...process.env, ...(asOther ? { HOME: tmpdir() } : {}), ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { process: child, output: once(child, 'close').then(() => output) };
}
