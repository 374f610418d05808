import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { childEnvironment } from '../process/environment.ts';
import { isWithin } from '../workspace/workspace-path.ts';
import type { ServerRow } from './server-table.ts';

/** A program that can be started as a language server. */
export interface ServerProgram {
  readonly argv: readonly [string, ...string[]];
  /** Describes its owner, and its version if known, for the answer. */
  readonly origin: string;
  /** The path that it must see of itself: its folder, or only the program if that folder contains the home folder. */
  readonly place: string;
}

/** Where to search for programs. */
export interface ProgramPlaces {
  /** The real path of the workspace. */
  readonly root: string;
  /** Whether the workspace is trusted, so that its programs may run. */
  readonly trusted: boolean;
  /** The folders to search. Default: those of PATH. */
  readonly path?: string;
}

/** The first major version of TypeScript with a language server. */
const TYPESCRIPT_MAJOR = 7;

/** Returns the path that a program must see of itself. A program in the home folder must not expose the whole home folder. */
function placeOf(program: string): string {
  const folder = dirname(program);
  // A program of a virtual environment is a short script; its interpreter and modules are in a sibling folder.
  const environment = existsSync(join(folder, '..', 'pyvenv.cfg')) ? dirname(folder) : folder;
  return isWithin(homedir(), environment) ? program : environment;
}

/**
 * Returns the path to call a program by. npm links to a file of a package from a folder that a sandbox may hide; that
 * file works under its real path. Other links stay, because some programs select their function by their name.
 */
const callName = (program: string, real: string): string => (real.includes('/node_modules/') ? real : program);

/** Finds a program on the PATH. A program inside the workspace belongs to the repository, even if it is on the PATH. */
function onPath(name: string, { root, trusted, path }: ProgramPlaces): { readonly program: string; readonly place: string } | undefined {
  for (const folder of (path ?? childEnvironment(process.env)['PATH'] ?? '').split(':')) {
    const program = join(folder, name);
    try {
      accessSync(program, constants.X_OK);
      const real = realpathSync(program);
      if (!statSync(real).isFile() || (!trusted && isWithin(real, root))) continue;
      return { program: callName(program, real), place: placeOf(real) };
    } catch {
      // Missing, or not executable for this user: the next folder is tried.
    }
  }
  return undefined;
}

/** Finds the native compiler of an installed package; undefined if it is too old or has none for this platform. */
async function typescriptOf(manifest: string): Promise<{ readonly program: string; readonly version: string } | undefined> {
  try {
    const version: unknown = Object(JSON.parse(await readFile(manifest, 'utf8'))).version;
    if (typeof version !== 'string' || !/^\d{1,3}\.\d+\.\d[\w.+-]{0,40}$/u.test(version) || Number(version.split('.')[0]) < TYPESCRIPT_MAJOR)
      return undefined;
    const platform = createRequire(manifest).resolve(`@typescript/typescript-${process.platform}-${process.arch}/package.json`);
    const program = realpathSync(join(dirname(platform), 'lib', process.platform === 'win32' ? 'tsc.exe' : 'tsc'));
    accessSync(program, constants.X_OK);
    return { program, version };
  } catch {
    // Not installed, or without the part for this platform.
    return undefined;
  }
}

function ownManifest(): string | undefined {
  try {
    return realpathSync(createRequire(import.meta.url).resolve('typescript/package.json'));
  } catch {
    // TypeScript is optional and not installed.
    return undefined;
  }
}

async function findTypescript({ root, trusted }: ProgramPlaces): Promise<ServerProgram | undefined> {
  const candidates = [
    // The version that the project is written for, but also a program of the project.
    ...(trusted ? [{ manifest: join(root, 'node_modules/typescript/package.json'), whose: "the project's own" }] : []),
    { manifest: ownManifest(), whose: 'that of Synapse' },
  ];
  for (const { manifest, whose } of candidates) {
    const found = manifest === undefined ? undefined : await typescriptOf(manifest);
    if (found === undefined || (!trusted && isWithin(found.program, root))) continue;
    return { argv: [found.program, '--lsp', '--stdio'], origin: `TypeScript ${found.version}, ${whose}`, place: placeOf(found.program) };
  }
  return undefined;
}

/** Finds the program to run for a language; undefined if no allowed program exists. */
export async function findProgram(row: ServerRow, places: ProgramPlaces): Promise<ServerProgram | undefined> {
  const typescript = row.typescript === true ? await findTypescript(places) : undefined;
  if (typescript !== undefined) return typescript;
  for (const [name, ...rest] of row.programs) {
    const found = onPath(name, places);
    if (found !== undefined) return { argv: [found.program, ...rest], origin: name, place: found.place };
  }
  return undefined;
}
