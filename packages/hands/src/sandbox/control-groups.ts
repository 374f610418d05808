import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** The mount point of a pure cgroup v2 system (cgroups(7)). Beside version 1 it is elsewhere and limits neither memory nor processes. */
const MOUNT = '/sys/fs/cgroup';
const NAME = /^synapse-(\d+)-[0-9a-f]+$/u;
/** Number of attempts to remove a group: its last processes leave it a moment after they were killed. */
const LEAVE_TRIES = 100;
const LEAVE_MS = 10;

/** Limits of all processes of a command together. */
export interface GroupLimits {
  /** Bytes of memory, including its private folders. */
  readonly memoryBytes: number;
  /** Maximum number of processes and threads. */
  readonly processes: number;
}

/** A cgroup that limits one command as a whole. Disposing it ends its remaining processes. */
export interface ControlGroup extends AsyncDisposable {
  /** The file to which a process writes `0` to join, together with all processes that it will start. */
  readonly door: string;
  /** Whether the kernel ended the command because it exceeded its memory limit. */
  ranOutOfMemory(): Promise<boolean>;
}

/** Creates control groups. */
export interface ControlGroups {
  /** The folder for new groups. */
  readonly parent: string;
  open(limits: GroupLimits): Promise<ControlGroup | undefined>;
}

/** The path of a process in the cgroup v2 hierarchy, from `/proc/PID/cgroup`; undefined if outside the visible part. */
export function groupPath(processCgroup: string): string | undefined {
  const path = /^0::(\/.*)$/mu.exec(processCgroup)?.[1];
  return path?.split('/').includes('..') === true ? undefined : path;
}

const newName = (parent: string): string => join(parent, `synapse-${process.pid}-${randomBytes(6).toString('hex')}`);

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Tests delegation by creating a group with limits. */
async function assertTakesGroups(folder: string): Promise<void> {
  const enabled = (await readFile(join(folder, 'cgroup.subtree_control'), 'utf8')).trim().split(' ');
  if (!['memory', 'pids'].every((name) => enabled.includes(name))) await writeFile(join(folder, 'cgroup.subtree_control'), '+memory +pids');
  const probe = newName(folder);
  await mkdir(probe);
  await rmdir(probe);
}

/** Removes the groups of killed processes, which are empty. A group in use cannot be removed. */
async function removeLeftGroups(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rmdir(join(folder, name)).catch(() => {
      // Owned by another user, or removed by another Synapse in the meantime.
    });
  }
}

/** Creates a group; undefined if that fails at the moment. The limits of each process hold without it. */
async function makeGroup(parent: string, { memoryBytes, processes }: GroupLimits): Promise<ControlGroup | undefined> {
  const folder = newName(parent);
  const settings = {
    'memory.max': Math.ceil(memoryBytes),
    // Kill the command as a whole: a command that lost a random process is useless.
    'memory.oom.group': 1,
    'pids.max': Math.ceil(processes),
  };
  try {
    await mkdir(folder);
    for (const [file, value] of Object.entries(settings)) await writeFile(join(folder, file), String(value));
  } catch {
    await rmdir(folder).catch(() => {});
    return undefined;
  }
  // Missing without swap, so there is nothing to limit.
  await writeFile(join(folder, 'memory.swap.max'), '0', { flag: 'r+' }).catch(() => {});
  return {
    door: join(folder, 'cgroup.procs'),
    ranOutOfMemory: async () => /^oom_kill [1-9]/mu.test(await readFile(join(folder, 'memory.events'), 'utf8')),
    [Symbol.asyncDispose]: async () => {
      // Linux 5.14 and newer. On older kernels the command's process tree was already ended in another way.
      await writeFile(join(folder, 'cgroup.kill'), '1', { flag: 'r+' }).catch(() => {});
      for (let tries = LEAVE_TRIES; tries > 0; tries -= 1) {
        const left = await rmdir(folder).then(
          () => false,
          ({ code }: NodeJS.ErrnoException) => code === 'EBUSY',
        );
        if (!left) return;
        await delay(LEAVE_MS);
      }
    },
  };
}

/** The limits of a group, with the value that means unlimited. */
const UNBOUNDED = { 'memory.max': /^max$/u, 'memory.high': /^max$/u, 'memory.swap.max': /^max$/u, 'cpu.max': /^max /u, 'io.max': /^$/u };

/** Whether a group limits its processes. A process that leaves the group would escape these limits. */
async function isBounded(folder: string): Promise<boolean> {
  for (const [file, unbounded] of Object.entries(UNBOUNDED)) {
    const bound = await readFile(join(folder, file), 'utf8').catch(() => undefined);
    if (bound !== undefined && !unbounded.test(bound.trim())) return true;
  }
  return false;
}

/** The maximum number of processes of a group. */
async function ownProcesses(folder: string): Promise<number> {
  const bound = await readFile(join(folder, 'pids.max'), 'utf8').catch(() => 'max');
  return bound.trim() === 'max' ? Number.POSITIVE_INFINITY : Number(bound);
}

/**
 * Finds where this process can create groups: beside its own group, as systemd delegates it to the programs of a user; or
 * inside its own group if that is the root. Undefined if nothing is delegated, or if its own group limits its
 * resources. Then limits apply to each process.
 *
 * @param mount and `self` are for tests
 */
export async function findControlGroups(mount = MOUNT, self = '/proc/self/cgroup'): Promise<ControlGroups | undefined> {
  try {
    const path = groupPath(await readFile(self, 'utf8'));
    if (path === undefined) return undefined;
    const own = join(mount, path);
    const parent = path === '/' ? own : dirname(own);
    if (parent !== own && (await isBounded(own))) return undefined;
    await assertTakesGroups(parent);
    await removeLeftGroups(parent);
    const most = await ownProcesses(own);
    return { parent, open: ({ memoryBytes, processes }) => makeGroup(parent, { memoryBytes, processes: Math.min(processes, most) }) };
  } catch {
    // No cgroup v2, or no permission to use it.
    return undefined;
  }
}
