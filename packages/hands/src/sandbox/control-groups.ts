import { randomBytes } from 'node:crypto';
import { mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Where cgroup v2 stands alone (cgroups(7)). Beside version 1 it lies elsewhere, and bounds neither memory nor processes. */
const MOUNT = '/sys/fs/cgroup';
const NAME = /^synapse-(\d+)-[0-9a-f]+$/u;
/** The last processes of a group leave it a moment after they were killed. */
const LEAVE_TRIES = 100;
const LEAVE_MS = 10;

/** What all processes of a command may take together. */
export interface GroupLimits {
  /** Bytes of memory, with what lies in its private folders. */
  readonly memoryBytes: number;
  /** Processes and threads. */
  readonly processes: number;
}

/** A group that bounds one command as a whole. Disposing ends what is left in it. */
export interface ControlGroup extends AsyncDisposable {
  /** The file to which a process writes `0` to join, with all that it will start. */
  readonly door: string;
  /** Whether the kernel ended the command because it took more memory than it may. */
  ranOutOfMemory(): Promise<boolean>;
}

/** Makes groups. */
export interface ControlGroups {
  /** The folder in which it makes them. */
  readonly parent: string;
  open(limits: GroupLimits): Promise<ControlGroup | undefined>;
}

/** The path of a process in the hierarchy of cgroup v2, from `/proc/PID/cgroup`; undefined outside what is seen of it. */
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

/** Makes a group with limits for a moment: the kernel knows what is delegated. */
async function assertTakesGroups(folder: string): Promise<void> {
  const enabled = (await readFile(join(folder, 'cgroup.subtree_control'), 'utf8')).trim().split(' ');
  if (!['memory', 'pids'].every((name) => enabled.includes(name))) await writeFile(join(folder, 'cgroup.subtree_control'), '+memory +pids');
  const probe = newName(folder);
  await mkdir(probe);
  await rmdir(probe);
}

/** A group of a process that was killed is empty and stays; one that is in use cannot be removed. */
async function removeLeftGroups(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rmdir(join(folder, name)).catch(() => {
      // Somebody else's, or removed by another Synapse meanwhile.
    });
  }
}

/** Undefined where it cannot be made just now; the limits of each process hold without it. */
async function makeGroup(parent: string, { memoryBytes, processes }: GroupLimits): Promise<ControlGroup | undefined> {
  const folder = newName(parent);
  const settings = {
    'memory.max': Math.ceil(memoryBytes),
    // The command as a whole: what is left of one that lost a process at random is of no use.
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
  // Not there without swap: then there is nothing to bound.
  await writeFile(join(folder, 'memory.swap.max'), '0', { flag: 'r+' }).catch(() => {});
  return {
    door: join(folder, 'cgroup.procs'),
    ranOutOfMemory: async () => /^oom_kill [1-9]/mu.test(await readFile(join(folder, 'memory.events'), 'utf8')),
    [Symbol.asyncDispose]: async () => {
      // Linux 5.14 and newer; before, what ends the tree of the command has done it.
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

/** Bounds of a group, and what says that there is none. */
const UNBOUNDED = { 'memory.max': /^max$/u, 'memory.high': /^max$/u, 'memory.swap.max': /^max$/u, 'cpu.max': /^max /u, 'io.max': /^$/u };

/** Whether a group bounds what its processes use; what leaves it would leave that behind. */
async function isBounded(folder: string): Promise<boolean> {
  for (const [file, unbounded] of Object.entries(UNBOUNDED)) {
    const bound = await readFile(join(folder, file), 'utf8').catch(() => undefined);
    if (bound !== undefined && !unbounded.test(bound.trim())) return true;
  }
  return false;
}

/** How many processes a group may have. */
async function ownProcesses(folder: string): Promise<number> {
  const bound = await readFile(join(folder, 'pids.max'), 'utf8').catch(() => 'max');
  return bound.trim() === 'max' ? Number.POSITIVE_INFINITY : Number(bound);
}

/**
 * Finds where this process may make groups: beside its own, as systemd delegates it to a user's programs; or in
 * its own, where that is the root. Undefined where nothing is delegated, and where its own group bounds what it
 * uses; then limits hold for each process.
 *
 * @param mount and self are for tests
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
    // No cgroup v2, or not ours to use.
    return undefined;
  }
}
