import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { LAUNCHER_VERSION } from './launcher-version.ts';

const execute = promisify(execFile);

/** `scripts`: the steps are done by the programs of `programs/`, as where there is no build for a machine. */
const VARIABLE = 'SYNAPSE_LAUNCHER';
/** Maximum milliseconds of a trial. */
const TRIAL_MS = 5_000;

/**
 * The launcher that is built from `compiled/`: one program for several steps, without the start of a shell or of perl for each. It and the
 * name and the words of a step are put before a command; if that begins with another step, one process takes both.
 */
export interface CompiledLauncher {
  readonly program: string;
  /** What the program says of itself. */
  readonly ask: (what: 'landlock-abi') => Promise<string>;
}

/** Where the build puts it: beside the code, which is the source in development. */
export function launcherFile(): string {
  const folder = import.meta.url.endsWith('.ts') ? '../../dist/bundle/' : './';
  return fileURLToPath(new URL(`${folder}launcher-${process.platform}-${process.arch}`, import.meta.url));
}

const run = async (program: string, word: string): Promise<string> => (await execute(program, [word], { timeout: TRIAL_MS, env: {} })).stdout.trim();

async function tryLauncher(program: string): Promise<CompiledLauncher | undefined> {
  try {
    // One of another version may take other words.
    if ((await run(program, 'version')) !== LAUNCHER_VERSION) return undefined;
    return { program, ask: async (what) => await run(program, what) };
  } catch {
    // It may not be executed where it is, or it is for another machine: scripts do the same.
    return undefined;
  }
}

const tried = new Map<string, Promise<CompiledLauncher | undefined>>();

function realOf(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    // There is no build for this machine.
    return undefined;
  }
}

const isWithin = (path: string, folder: string): boolean => !/^\.\.(?:\/|$)/u.test(relative(folder, path));

/**
 * Finds the compiled launcher; resolves to undefined where scripts must do its work. It runs outside of the sandbox, so one in the
 * workspace, which commands may change, is never executed.
 *
 * @param root the real path of the workspace; undefined if there is none
 */
export async function compiledLauncher(root: string | undefined, file = launcherFile()): Promise<CompiledLauncher | undefined> {
  const program = process.env[VARIABLE] === 'scripts' ? undefined : realOf(file);
  if (program === undefined || (root !== undefined && isWithin(program, root))) return undefined;
  let trial = tried.get(program);
  if (trial === undefined) tried.set(program, (trial = tryLauncher(program)));
  return await trial;
}

/** Why {@link compiledLauncher} finds none for any workspace. */
export function launcherProblem(file = launcherFile()): { readonly problem: string; readonly fix: string } {
  if (process.env[VARIABLE] === 'scripts') return { problem: `${VARIABLE} says so`, fix: `Unset ${VARIABLE}.` };
  const fix = 'Build Synapse where a C compiler is installed.';
  if (!existsSync(file)) return { problem: `this build has none for ${process.platform} ${process.arch}`, fix };
  return { problem: 'the one of this build does not run here, or is of another version', fix: `${fix} Its folder must permit programs (no noexec).` };
}
