import { closeSync, existsSync, readlinkSync, realpathSync } from 'node:fs';
import { join as joinPath } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import type { Argv } from '../launch/launch-steps.ts';
import { systemProgram } from '../launch/system-program.ts';
import { BRANCH_FOLDER_VARIABLE } from '../state/branch-place.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { isWithin } from '../workspace/workspace-path.ts';
import type { BackEndName } from './back-ends.ts';
import { BranchFolder } from './branch-folder.ts';
import { deletedSince, readRecord, type BranchRecord } from './branch-record.ts';
import { holderOf, openPipe } from './holder-pipe.ts';
import { outlivedHolder } from './outlived-holder.ts';
import { PROGRAMS } from './programs.ts';
import { startHolder, type HoldParts, type TriedBackEnd } from './start-holder.ts';

/** Milliseconds between looks at a holder that ends. */
const LOOK_MS = 2;
/** Looks within which a holder that has no users ends: a second and more, in which this process runs. */
const ENDING_LOOKS = 500;

/** A branch that is held, mostly mounted. It stays so until the last user has disposed it or has ended. */
export interface HeldBranch extends Disposable {
  /** Keeps the branch mounted, for a process that inherits it. */
  readonly descriptor: number;
  /** How it is kept; undefined if another process had mounted it. */
  readonly backEnd: BackEndName | undefined;
  /** The better ways, which did not work here. */
  readonly tried: readonly TriedBackEnd[];
  /** The state folder for processes in the branch. Where it is mounted, that has its usual path. */
  readonly stateFolder: string;
  /** Environment variables for processes in the branch. */
  readonly environment: Readonly<Record<string, string>>;
  /** Wraps a command line so that it runs in the branch, in a folder of the workspace or elsewhere. */
  enter(argv: Argv, folder: string): Argv;
  /** The path of a folder of the branch, for programs outside it. */
  path(folder: string): string;
}

/**
 * Mounts a branch, or joins the process that holds it.
 *
 * @throws SynapseError `unavailable` if branches do not work here
 */
export async function holdBranch(folder: BranchFolder, record: BranchRecord, parts: HoldParts): Promise<HeldBranch> {
  // Two holders would write to one layer.
  return await parts.locks.hold([lockOf(folder)], parts.signal, async () => {
    // It was deleted while this waited, and another one may have its name.
    if (readRecord(folder)?.audit !== record.audit) throw deletedSince(record.name);
    if (existsSync(folder.applying)) throw interrupted(record.name);
    if (!hasAllLayers(folder)) throw interrupted(record.from ?? '');
    const joined = await join(folder, parts.signal);
    const started = joined === undefined ? await startHolder(folder, record, parts) : { descriptor: joined, backEnd: undefined, tried: [] };
    const [pid = ''] = holderOf(folder).split(' ');
    return { ...started, ...placeOf(folder, record, parts.stateFolder, pid), [Symbol.dispose]: () => closeSync(started.descriptor) };
  });
}

/** The lock of a branch: while it is held, no process begins to use the branch. */
export const lockOf = (folder: BranchFolder): string => `branch ${folder.path}`;

/** Whether a branch is mounted: by a process that uses it, or that has just ended to. */
export function isHeld(folder: BranchFolder): boolean {
  const descriptor = openPipe(folder);
  if (descriptor === undefined) return isRunning(holderOf(folder)) === true || outlivedHolder(folder).length > 0;
  closeSync(descriptor);
  return true;
}

/** Waits until a branch that is not used is not mounted any more; returns whether it came to that. */
export async function isReleased(folder: BranchFolder, signal: AbortSignal): Promise<boolean> {
  for (let looks = 0; isRunning(holderOf(folder)) === true; looks += 1) {
    if (looks === ENDING_LOOKS) return false;
    await delay(LOOK_MS, undefined, { signal });
  }
  return outlivedHolder(folder).length === 0;
}

type BranchPaths = Pick<HeldBranch, 'stateFolder' | 'environment' | 'enter' | 'path'>;

/** Where a branch is that a process holds. */
function placeOf(folder: BranchFolder, { root }: BranchRecord, stateFolder: string, pid: string): BranchPaths {
  if (readlinkSync(`/proc/${pid}/ns/mnt`) !== readlinkSync('/proc/self/ns/mnt')) {
    return { stateFolder, environment: {}, enter: (argv, at) => enterArgv(pid, argv, at), path: (at) => `/proc/${pid}/root${at}` };
  }
  const { path: own, clone, state } = new BranchFolder(realpathSync(folder.path));
  const path = (at: string): string => (isWithin(at, root) ? joinPath(clone, at.slice(root.length)) : at);
  return {
    stateFolder: state,
    environment: { [BRANCH_FOLDER_VARIABLE]: own },
    enter: (argv, at) => ['/bin/sh', '-c', PROGRAMS['enter-branch.sh'], 'sh', path(at), ...argv],
    path,
  };
}

function enterArgv(pid: string, argv: Argv, at: string): Argv {
  const nsenter = systemProgram('nsenter');
  if (nsenter === undefined)
    throw new SynapseError('unavailable', 'The branch cannot be entered: nsenter is missing.', { hint: 'Install util-linux.' });
  // For others than root, mounts need a user namespace. Root has one only in a container that forbids mounts.
  const hasOwnUser = readlinkSync(`/proc/${pid}/ns/user`) !== readlinkSync('/proc/self/ns/user');
  const user = hasOwnUser ? ['--user', '--preserve-credentials'] : [];
  return [nsenter, '--target', pid, ...user, '--mount', '--', '/bin/sh', '-c', PROGRAMS['enter-branch.sh'], 'sh', at, ...argv];
}

/** Joins the holder that runs; undefined if there is none. A holder that is about to end is waited for: it may stay. */
async function join(folder: BranchFolder, signal: AbortSignal): Promise<number | undefined> {
  for (;;) {
    const descriptor = openPipe(folder);
    if (descriptor !== undefined) return descriptor;
    if (isRunning(holderOf(folder)) !== true) return undefined;
    await delay(LOOK_MS, undefined, { signal });
  }
}

/** Without a layer, files of the branch that this one is based on would be missing in it. */
function hasAllLayers({ layers }: BranchFolder): boolean {
  return layers.every((layer) => existsSync(layer));
}

function interrupted(name: string): SynapseError {
  return new SynapseError('busy', `Synapse was ended while it applied the branch ${name}.`, {
    hint: `To finish that or take it back: synapse branch diff ${name}`,
    retryable: true,
  });
}
