import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { isRunning } from '../workspace/process-identity.ts';
import type { BranchFolder } from './branch-folder.ts';

/** A process in the namespaces of a branch whose holder was killed. */
export interface OutlivedHolder {
  readonly pid: number;
  readonly name: string;
}

/**
 * The processes that work in a branch although what held it was killed. A second mount of the same layer would not see what they write, and
 * the kernel does not keep the two apart. A holder that ends by itself leaves none, so this costs nothing then.
 */
export function outlivedHolder(folder: BranchFolder): OutlivedHolder[] {
  const identity = read(folder.holder)?.trim() ?? '';
  if (isRunning(identity) !== false) return [];
  // Also the mounts of a sandbox in the branch have this source, or show this folder.
  const marks = [` synapse-${identity.replace(' ', '-')} `, `/${basename(dirname(folder.path))}/${basename(folder.path)}/${basename(folder.clone)} `];
  return readdirSync('/proc').flatMap((pid) => {
    const mounts = /^\d+$/u.test(pid) ? read(`/proc/${pid}/mountinfo`) : undefined;
    if (mounts === undefined || !(marks.some((mark) => mounts.includes(mark)) || isBelow(pid, folder.clone))) return [];
    return { pid: Number(pid), name: programOf(pid) };
  });
}

/** The program that a process runs. Its own name is often that of a thread, such as `MainThread` for Node. */
function programOf(pid: string): string {
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    // It has just ended, or belongs to another user.
    return (read(`/proc/${pid}/comm`) ?? '').trim();
  }
}

/** Whether a process works in a clone that is not mounted. */
function isBelow(pid: string, clone: string): boolean {
  try {
    return `${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${clone}/`);
  } catch {
    // It has just ended, or belongs to another user.
    return false;
  }
}

/** The text of a file; undefined if there is none, such as of a process that has just ended or belongs to another user. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined;
  }
}

/** The error for a branch in which a process still works after its holder was killed. */
export function leftBehind(name: string, { pid, name: program }: OutlivedHolder): SynapseError {
  return new SynapseError('busy', `What held the branch ${name} was killed, and process ${pid} (${program}) still works in it.`, {
    hint: `End that process first: kill ${pid}`,
    retryable: true,
  });
}
