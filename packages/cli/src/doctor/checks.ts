import { createHands } from '@synapse/hands';
import {
  BACK_ENDS,
  BranchStore,
  canFetch,
  defaultStateFolder,
  FETCHING_NODE,
  FileLocks,
  holdBranch,
  probeSandbox,
  probeWatches,
} from '@synapse/hands/internal';
import { isSynapseError } from '@synapse/protocol';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outerEnvironment } from '../programs/outer-environment.ts';
import { checkSecrets } from './check-secrets.ts';
import type { Check, Finding } from './check.ts';
import { execFile } from 'node:child_process';

/** Milliseconds for a program to print its version. */
const TIMEOUT_MS = 5_000;

/** Milliseconds until a branch must be mounted. */
const BRANCH_MS = 10_000;

/** The outcome of a test run of a program. */
interface Probe {
  readonly found: boolean;
  readonly succeeded: boolean;
  readonly output: string;
}

/**
 * Runs a program as a test. It runs in `/` and without the folders of the project in PATH, so that the project does not decide
 * which program is found.
 *
 * @param project the real path of the project. Default: the current folder
 */
export function probe(program: string, words: readonly string[], project?: string): Promise<Probe> {
  const env = outerEnvironment(project);
  return new Promise((resolve) => {
    execFile(program, words, { cwd: '/', env, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 }, (error, stdout, stderr) => {
      const found = !(error !== null && 'code' in error && error.code === 'ENOENT');
      resolve({ found, succeeded: error === null, output: `${stdout}${stderr}`.trim() });
    });
  });
}

/** The first version number in a text, as numbers. */
export function versionIn(text: string): number[] | undefined {
  return /\d+(?:\.\d+)+/u.exec(text)?.[0].split('.').map(Number);
}

/** Whether a version is not older than another. */
export function atLeast(version: readonly number[], wanted: readonly number[]): boolean {
  for (const [index, number] of wanted.entries()) {
    const difference = (version[index] ?? 0) - number;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Write permission of group and others. Only the owner may write these files: they decide what is allowed and what runs. */
const OTHERS_WRITE = 0o022;
const NODE: readonly number[] = [22, 13];
/** The first git with `--no-optional-locks` and `status --porcelain=v2`. */
const GIT: readonly number[] = [2, 15];

async function checkNode(): Promise<Finding> {
  const ok = atLeast(versionIn(process.version) ?? [], NODE);
  const lacks = canFetch() ? '' : `; fetch_url needs ${FETCHING_NODE} or newer`;
  return { ok, detail: `Node ${process.version.slice(1)}${lacks}`, ...(ok ? {} : { fix: `Install Node ${NODE.join('.')} or newer.` }) };
}

async function checkStateFolder(): Promise<Finding> {
  const folder = defaultStateFolder();
  const file = join(folder, `.doctor-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(file, '');
    await rm(file);
    const { mode } = await stat(folder);
    // Windows shows this mode for every folder and stores permissions elsewhere.
    if (process.platform !== 'win32' && (mode & OTHERS_WRITE) !== 0)
      return { ok: false, detail: `others may write in ${folder}`, fix: `chmod 700 ${folder}`, repair: { folder, mode: 0o700 } };
    return { ok: true, detail: `${folder} is writable` };
  } catch {
    // The detail only includes reasons that a person can act on.
    return { ok: false, detail: `${folder} is not writable`, fix: 'Make it writable, or set XDG_STATE_HOME to a folder that is.' };
  }
}

async function checkConfinement(): Promise<Finding> {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-doctor-'));
  const stateFolder = await mkdtemp(join(tmpdir(), 'synapse-doctor-state-'));
  try {
    await using hands = await createHands({ workspace, stateFolder });
    if (hands.confinement === 'handle') return { ok: true, detail: 'files are reached by handle, through /proc: no race can leave the workspace' };
    return {
      ok: false,
      detail: '/proc is missing, so paths are checked before and after each access: best effort against races',
      fix: 'Use Linux, in a container with /proc where the workspace is not trusted.',
    };
  } finally {
    await rm(workspace, { recursive: true });
    await rm(stateFolder, { recursive: true });
  }
}

async function checkBranches(): Promise<Finding> {
  // On the file system where branches are.
  const folder = defaultStateFolder();
  const place = existsSync(folder) ? folder : tmpdir();
  const base = await realpath(await mkdtemp(join(place, '.doctor-branch-')));
  const [workspace, stateFolder] = [join(base, 'workspace'), join(base, 'state')];
  try {
    for (const folder of [workspace, stateFolder]) await mkdir(folder);
    const made = await new BranchStore(stateFolder, workspace).create('doctor');
    // A file system tells whether it has reflinks only when one is made.
    await writeFile(join(workspace, 'file'), 'content');
    using held = await holdBranch(made.folder, made.record, {
      stateFolder,
      locks: new FileLocks(join(stateFolder, 'locks')),
      signal: AbortSignal.timeout(BRANCH_MS),
    });
    const worse = held.tried.map(({ name, problem }) => `; ${name}: ${problem}`).join('');
    return { ok: true, detail: `kept as ${BACK_ENDS[held.backEnd ?? 'overlay'].summary}${worse}` };
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return {
      ok: false,
      detail: error.message,
      fix: 'Use Linux with user namespaces, and leave SYNAPSE_BRANCHES out. Everything else works without branches.',
    };
  } finally {
    await rm(base, { recursive: true, force: true });
  }
}

async function checkGit(): Promise<Finding> {
  const { succeeded, output } = await probe('git', ['--version']);
  if (!succeeded) return { ok: false, detail: 'git does not run, so the git tools do not', fix: 'Install git.' };
  const ok = atLeast(versionIn(output) ?? [], GIT);
  return { ok, detail: output, ...(ok ? {} : { fix: `Install git ${GIT.join('.')} or newer.` }) };
}

/** The ripgrep that is installed with hands, found the same way as hands find it. */
async function bundledRipgrep(): Promise<string | undefined> {
  try {
    return (await import('@vscode/ripgrep')).rgPath;
  } catch {
    // Not installed for this platform; the system may have one.
    return undefined;
  }
}

async function checkRipgrep(): Promise<Finding> {
  const bundled = await bundledRipgrep();
  const { succeeded, output } = await probe(bundled ?? 'rg', ['--version']);
  const detail = output.split('\n')[0] ?? '';
  if (succeeded) return { ok: true, detail: `${detail} (${bundled === undefined ? 'of this system' : 'bundled'})` };
  return { ok: false, detail: 'ripgrep does not run, so search_text and find_files do not', fix: 'Run npm install again, without --omit=optional.' };
}

async function checkTerminal(): Promise<Finding> {
  const { stdin, stdout, stderr } = process;
  const names = Object.entries({ stdin, stdout, stderr }).filter(([, stream]) => stream.isTTY);
  const list = names.length === 0 ? 'none of stdin, stdout and stderr is a terminal' : `${names.map(([name]) => name).join(', ')}: a terminal`;
  return { ok: true, detail: `${list}; ${stderr.isTTY && stderr.hasColors() ? 'colors' : 'no colors'}` };
}

/** The checks, in the order of their output. */
export const CHECKS: readonly Check[] = [
  { name: 'node', essential: true, run: checkNode },
  { name: 'state folder', essential: true, run: checkStateFolder },
  { name: 'confinement', essential: false, run: checkConfinement },
  { name: 'git', essential: false, run: checkGit },
  { name: 'ripgrep', essential: false, run: checkRipgrep },
  { name: 'sandbox', essential: false, run: probeSandbox },
  { name: 'branches', essential: false, run: checkBranches },
  { name: 'watches', essential: false, run: probeWatches },
  { name: 'secrets', essential: false, run: async () => await checkSecrets() },
  { name: 'terminal', essential: false, run: checkTerminal },
];
