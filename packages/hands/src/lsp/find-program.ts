import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { childEnvironment } from '../process/environment.ts';
import { isWithin } from '../workspace/open-root.ts';
import type { ServerRow } from './server-table.ts';

/** A program that can be started as a language server. */
export interface ServerProgram {
  readonly argv: readonly [string, ...string[]];
  /** In words, for the answer: whose it is, and which version where that is known. */
  readonly origin: string;
  /** What it needs to see of itself: its folder, or itself alone where that is a folder of everything. */
  readonly place: string;
}

/** Where programs are looked for. */
export interface ProgramPlaces {
  /** The real path of the workspace. */
  readonly root: string;
  /** Whether a person trusts the workspace, so that its own programs may run. */
  readonly trusted: boolean;
  /** The folders to look in. Default: those of PATH. */
  readonly path?: string;
}

/** The first with the language server in it. */
const TYPESCRIPT_MAJOR = 7;

/** The home folder must not be shown because somebody keeps a program in it. */
function placeOf(program: string): string {
  const folder = dirname(program);
  // A program of a virtual environment is a few lines: its interpreter and modules are beside its folder.
  const environment = existsSync(join(folder, '..', 'pyvenv.cfg')) ? dirname(folder) : folder;
  return isWithin(homedir(), environment) ? program : environment;
}

/**
 * How a program is called. npm links to a file of a package from a folder that a sandbox need not show, and that file is
 * found by its own name. Other links stay: some programs tell by their name what they are to be.
 */
const callName = (program: string, real: string): string => (real.includes('/node_modules/') ? real : program);

/** A program on the PATH. What lies in the workspace is the repository's own, whatever the PATH says. */
function onPath(name: string, { root, trusted, path }: ProgramPlaces): { readonly program: string; readonly place: string } | undefined {
  for (const folder of (path ?? childEnvironment(process.env)['PATH'] ?? '').split(':')) {
    const program = join(folder, name);
    try {
      accessSync(program, constants.X_OK);
      const real = realpathSync(program);
      if (!statSync(real).isFile() || (!trusted && isWithin(real, root))) continue;
      return { program: callName(program, real), place: placeOf(real) };
    } catch {
      // Not there, or not to be run by this user: the next folder is tried.
    }
  }
  return undefined;
}

/** The native compiler of an installed package; undefined where it is older, or has none for this platform. */
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
    // It is optional, and not there.
    return undefined;
  }
}

async function findTypescript({ root, trusted }: ProgramPlaces): Promise<ServerProgram | undefined> {
  const candidates = [
    // The version that the project is written for, but it is a program of the project.
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

/** The program to run for a language; undefined where there is none that may run. */
export async function findProgram(row: ServerRow, places: ProgramPlaces): Promise<ServerProgram | undefined> {
  const typescript = row.typescript === true ? await findTypescript(places) : undefined;
  if (typescript !== undefined) return typescript;
  for (const [name, ...rest] of row.programs) {
    const found = onPath(name, places);
    if (found !== undefined) return { argv: [found.program, ...rest], origin: name, place: found.place };
  }
  return undefined;
}
