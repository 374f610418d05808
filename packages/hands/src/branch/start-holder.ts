import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { SynapseError } from '@synapse/protocol';
import { systemProgram } from '../launch/system-program.ts';
import { workspaceId } from '../state/state-folder.ts';
import type { FileLocks } from '../workspace/file-lock.ts';
import { BACK_ENDS, backEndsFor, wantedBackEnd, type BackEnd, type BackEndName } from './back-ends.ts';
import type { BranchFolder } from './branch-folder.ts';
import type { BranchRecord } from './branch-record.ts';
import { makeState } from './branch-state.ts';
import { CLONE_LIMITS, type CloneLimits } from './clone-limits.ts';
import { openNewPipe } from './holder-pipe.ts';
import { leftBehind, outlivedHolder } from './outlived-holder.ts';
import { PROGRAMS } from './programs.ts';

/** unshare, mount, mknodat, prctl and capset by architecture (asm/unistd.h). */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [unshare: number, mount: number, mknodat: number, prctl: number, capset: number]>> = {
  x64: [272, 165, 259, 157, 126],
  arm64: [97, 40, 33, 167, 91],
};

/** The exit code of `branch.pl` if overlays, or namespaces, do not work. */
const NOT_HERE = 2;
/** Maximum characters of what it says. */
const MAX_SAID = 200;

/** What holding a branch requires. */
export interface HoldParts {
  readonly stateFolder: string;
  readonly locks: FileLocks;
  readonly signal: AbortSignal;
  /** The only way to keep the branch that is tried if nothing is changed in it. Default: that of the environment, else the best that works */
  readonly backEnd?: BackEndName;
  /** The largest workspace that is cloned. Default: {@link CLONE_LIMITS} */
  readonly cloneLimits?: CloneLimits;
}

/** A way to keep branches that did not work. */
export interface TriedBackEnd {
  readonly name: BackEndName;
  readonly problem: string;
}

/** A branch that is held now. */
export interface Started {
  readonly descriptor: number;
  readonly backEnd: BackEndName | undefined;
  readonly tried: readonly TriedBackEnd[];
}

/** Mounts a branch in the best way that works. */
export async function startHolder(folder: BranchFolder, record: BranchRecord, parts: HoldParts): Promise<Started> {
  const [left] = outlivedHolder(folder);
  if (left !== undefined) throw leftBehind(record.name, left);
  if (!existsSync(record.root)) throw workspaceGone(folder, record);
  const { stateFolder, signal, cloneLimits: limits = CLONE_LIMITS, backEnd: wanted = wantedBackEnd() } = parts;
  const tried: TriedBackEnd[] = [];
  for (const name of backEndsFor({ folder }, wanted)) {
    const { shows, prepare } = BACK_ENDS[name];
    const problem = await prepare({ folder, record, stateFolder, limits, signal });
    const mounted = problem ?? (await mount(folder, record, shows, parts));
    if (typeof mounted === 'number') return { descriptor: mounted, backEnd: name, tried };
    tried.push({ name, problem: mounted });
  }
  throw noBranches(
    tried.map(({ name, problem }) => `${name}: ${problem}`).join('; '),
    tried.some(({ name }) => BACK_ENDS[name].shows !== 'overlay'),
  );
}

/** Returns the descriptor of a branch that is held now, or what does not work here. */
async function mount(
  folder: BranchFolder,
  { root, audit }: BranchRecord,
  shows: BackEnd['shows'],
  { stateFolder, signal }: HoldParts,
): Promise<number | string> {
  const [perl, calls] = [systemProgram('perl'), CALLS[process.arch]];
  if (process.platform !== 'linux' || perl === undefined || calls === undefined)
    throw noBranches(perl === undefined ? 'perl is missing' : 'it needs Linux');
  makeState({ state: folder.state, stateFolder, audit: { workspace: workspaceId(root), branch: audit } }, shows !== 'folder');
  const later = [PROGRAMS['await-branch-users.sh'], PROGRAMS['answer-branch-users.pl']];
  const holder = spawn(perl, ['-e', PROGRAMS['branch.pl'], ...calls.map(String), shows, folder.path, root, stateFolder, ...later], {
    cwd: '/',
    // Without it, perl warns about a locale that is not installed.
    env: { PERL_BADLANG: '0', PATH: '/usr/bin:/bin' },
    // It outlives this process if others use the branch.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = text(holder.stderr);
  try {
    await Promise.race([once(holder.stdout, 'data', { signal }), once(holder, 'close', { signal })]);
  } catch (error) {
    holder.kill('SIGKILL');
    throw error;
  }
  holder.unref();
  const descriptor = holder.exitCode === null && holder.signalCode === null ? openNewPipe(folder) : undefined;
  if (descriptor !== undefined) return descriptor;
  const why = (await said).trim().slice(0, MAX_SAID);
  if (holder.exitCode === NOT_HERE) return why.replace(/^overlay: /u, '');
  throw noBranches(why || 'the program that mounts them ended');
}

/** The error for a branch whose workspace was moved or deleted. */
function workspaceGone({ clone, upper }: BranchFolder, { root }: BranchRecord): SynapseError {
  return new SynapseError('unavailable', `The branch cannot be mounted: its workspace is not there any more: ${root}`, {
    hint: `Put the workspace back. What was changed in the branch is kept: ${existsSync(clone) ? clone : upper}`,
  });
}

function noBranches(why: string, wasCloned = false): SynapseError {
  return new SynapseError('unavailable', `The branch cannot be mounted: ${why}.`, {
    hint: wasCloned
      ? 'Move what is large out of the workspace, or use file systems with overlays or reflinks: docs/branches.md says what each way needs.'
      : 'Branches need Linux and perl: synapse doctor shows what is missing.',
  });
}
