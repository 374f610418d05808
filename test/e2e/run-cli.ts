import { Projects } from '@synapse/hands/internal';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runInHost } from './command-line-host.ts';

export const CLI = fileURLToPath(new URL('../../packages/cli/bin/synapse.js', import.meta.url));

/** A tracked workspace with a few files, and an environment with a separate state folder. */
export interface Place {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
}

export async function makePlace(files: Record<string, string> = {}): Promise<Place> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-e2e-'));
  const state = await mkdtemp(join(tmpdir(), 'synapse-e2e-state-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  using projects = Projects.open(join(state, 'synapse'));
  projects.add(folder);
  // A shared compile cache: a new state folder has none, and a start takes twice as long without it.
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return { folder, environment: { PATH, HOME, NODE_COMPILE_CACHE, XDG_STATE_HOME: state } };
}

/** Starts the built command line in a place. */
export function startCli(place: Place, words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [CLI, ...words], { cwd: place.folder, env: place.environment, stdio: 'pipe' });
}

/** The result of a command line. */
export interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Waits for a started command line. */
export async function outcome(child: ChildProcess): Promise<Outcome> {
  if (child.stdout === null || child.stderr === null) throw new Error('The command has no pipes.');
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  return { code, out, err };
}

/** Runs a command line to its end in a process of its own, as a person does. */
export async function runCliProcess(place: Place, words: readonly string[], stdin = ''): Promise<Outcome> {
  const child = startCli(place, words);
  child.stdin?.on('error', () => {
    // A command may end before it has read all input.
  });
  child.stdin?.end(stdin);
  return outcome(child);
}

/** Runs a command line to its end in a process that runs others too, which takes a tenth of the time: `command-line-host.heavy.process.test.ts` compares them. */
export async function runCli({ folder, environment }: Place, words: readonly string[], stdin = ''): Promise<Outcome> {
  return runInHost({ words, folder, environment, stdin });
}
