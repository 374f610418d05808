import { chmod, lstat, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import type { ProcessRequest, Processes } from '../process/processes.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { systemProgram } from './find-bubblewrap.ts';
import { readOverlay, type OverlayDifference } from './overlay-changes.ts';
import type { SandboxOutcome, SandboxProcesses, Substitute } from './sandbox-processes.ts';

/** How to run a command so that nothing of the workspace changes. */
export interface OverlayOptions {
  readonly sandbox: { readonly runIn: SandboxProcesses['runIn'] };
  /** Runs the look at the result, which executes nothing of the workspace. */
  readonly processes: Processes;
  readonly confinement: Confinement;
  /** A folder outside the workspace in which the changes are kept while they are looked at. */
  readonly folder: string;
  readonly request: ProcessRequest;
  /** Whether the command has the network of the policy. Default: it has none. */
  readonly keepsNetwork?: boolean;
}

/** What a command did to a copy of the workspace. Disposing it deletes the copy. */
export interface OverlayRun extends AsyncDisposable {
  readonly outcome: SandboxOutcome;
  readonly difference: OverlayDifference;
  /** The command gave the workspace's own folder other permissions, which is no entry of it. */
  readonly rootChanged: boolean;
  /** Nanoseconds since 1970: what of the workspace has a later ctime was changed by something else meanwhile. */
  readonly startedAt: bigint;
}

/** Relative names: the options of a mount have no way to write a comma or a colon. */
const MOUNT = 'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr merged';
/** The working directory stays the one that the runner's handle led to. A failed mount leaves a mark where no command reaches. */
const RUN = `(cd "$1" && ${MOUNT}) || { : > "$1/failed"; exit 1; }; shift; exec "$@"`;
/** Prints, for folders that were changed, the names that are in them now, each ended by NUL. */
const LIST = 'mount -t overlay overlay -o lowerdir=upper:lower,userxattr,ro merged && cd merged && exec find "$@" -mindepth 1 -maxdepth 1 -print0';

/** Commands line up so many folders at once, well below the limit of arguments. */
const FOLDERS_AT_ONCE = 200;
const MAX_LISTING_BYTES = 64 * 1024 * 1024;

const IN_NAMESPACE = ['--user', '--map-root-user', '--mount', '/bin/sh', '-c'] as const;

/** A new tick of the clock that stamps files, in milliseconds at most. */
const TICK_MS = 1;

/** A copy is named after its process, so that those of killed ones are found. */
const OWNER = /^overlay-(?<pid>\d+)-(?<started>\d*)-/u;

/** A process that is not seen may run in another container for a while yet; in milliseconds. */
const ABANDONED_MS = 60 * 60 * 1000;

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const { pid, started } = OWNER.exec(name)?.groups ?? {};
    if (pid === undefined || isRunning(`${pid} ${started}`) !== false) continue;
    const path = join(parent, name);
    if (Date.now() - (await lstat(path)).mtimeMs > ABANDONED_MS) await remove(path);
  }
}

async function prepare(parent: string, root: string): Promise<string> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeAbandoned(parent);
  const scratch = await mkdtemp(join(parent, `overlay-${processIdentity().replace(' ', '-')}-`));
  for (const name of ['upper', 'work', 'merged']) await mkdir(join(scratch, name));
  await symlink(root, join(scratch, 'lower'));
  return scratch;
}

/**
 * A time by the clock that stamps files. It ticks slowly: only from its next tick on can what was changed before be told
 * from what is changed later.
 */
async function nextTick(scratch: string): Promise<bigint> {
  const stamp = async (): Promise<bigint> => {
    await chmod(scratch, 0o700);
    return (await lstat(scratch, { bigint: true })).ctimeNs;
  };
  const first = await stamp();
  for (;;) {
    const now = await stamp();
    if (now > first) return now;
    await delay(TICK_MS);
  }
}

/** Opens every folder to its owner: the kernel makes one that may not be listed, and a command can make more. */
async function openAll(folder: Buffer): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { withFileTypes: true, encoding: 'buffer' })) {
    // Nothing runs here any more, so no link can take the name of a folder meanwhile.
    if (entry.isDirectory()) await openAll(Buffer.concat([folder, Buffer.from('/'), entry.name]));
  }
}

async function remove(scratch: string): Promise<void> {
  await openAll(Buffer.from(scratch));
  await rm(scratch, { recursive: true, force: true });
}

/**
 * Runs a command on a copy-on-write view of the workspace, without network, and tells what it would have changed.
 * What it did elsewhere, in `/tmp` or a writable folder beside the workspace, is not part of that.
 *
 * @throws SynapseError `unavailable` where overlays do not work
 */
export async function runOnOverlay(options: OverlayOptions): Promise<OverlayRun> {
  const { sandbox, processes, confinement, folder, request, keepsNetwork = false } = options;
  const unshare = systemProgram('unshare');
  if (unshare === undefined) throw unavailable();
  const scratch = await prepare(folder, confinement.root);
  try {
    const copy = join(scratch, 'upper');
    await chmod(copy, (await stat(confinement.root)).mode & 0o7777);
    const { mode } = await stat(copy);
    const startedAt = await nextTick(scratch);
    const substitute: Substitute = {
      keepsNetwork,
      source: join(scratch, 'merged'),
      wrap: (argv) => [unshare, ...IN_NAMESPACE, RUN, 'sh', scratch, ...argv],
      user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    };
    const outcome = await started(sandbox.runIn(request, substitute), scratch);
    const rootChanged = (await stat(copy)).mode !== mode;
    // It may have been closed to its own user.
    await chmod(copy, 0o700);
    const upper = new HandleConfinement(copy);
    try {
      // What a command did that was ended in the middle is nothing to look at, and nothing to keep.
      const difference: OverlayDifference = outcome.aborted
        ? { changes: [], complete: false }
        : await readOverlay({
            lower: confinement,
            upper,
            namesIn: (folders) => namesIn({ unshare, scratch, folders, processes, signal: request.signal }),
          });
      return {
        // The namespace ends with the command, and all processes in it: what is still seen is on its way out.
        outcome: { ...outcome, leftRunning: request.countsLeft === true ? outcome.leftRunning : 0 },
        difference,
        rootChanged,
        startedAt,
        async [Symbol.asyncDispose]() {
          upper[Symbol.dispose]();
          try {
            await remove(scratch);
          } catch {
            // What was done stands, whatever becomes of the copy. What is left of it goes when this process is gone.
          }
        },
      };
    } catch (error) {
      upper[Symbol.dispose]();
      throw error;
    }
  } catch (error) {
    await remove(scratch);
    throw error;
  }
}

/** The preparation speaks through the same pipe as the command: a failed mount must not look like its result. */
async function started(run: Promise<SandboxOutcome>, scratch: string): Promise<SandboxOutcome> {
  const [ran] = await Promise.allSettled([run]);
  if (existsSync(join(scratch, 'failed'))) throw unavailable();
  if (ran.status === 'rejected') throw ran.reason;
  return ran.value;
}

interface Look {
  readonly unshare: string;
  readonly scratch: string;
  readonly folders: readonly string[];
  readonly processes: Processes;
  readonly signal: AbortSignal;
}

/** The entries of folders as the command left them, as paths in bytes (latin1). */
async function namesIn({ unshare, scratch, folders, processes, signal }: Look): Promise<Set<string>> {
  const found = new Set<string>();
  using place = new HandleConfinement(scratch);
  for (let start = 0; start < folders.length; start += FOLDERS_AT_ONCE) {
    let text = '';
    const some = folders.slice(start, start + FOLDERS_AT_ONCE).map((folder) => (folder === '' ? '.' : `./${folder}`));
    const { exitCode } = await processes.run({
      argv: [unshare, ...IN_NAMESPACE, LIST, 'sh', ...some],
      cwd: () => place.openDirectory([]),
      signal,
      onOutput: (stream, chunk) => {
        if (stream === 'stdout') text += chunk.toString('latin1');
        if (text.length > MAX_LISTING_BYTES) throw new SynapseError('too_large', 'The command changed folders with too many entries to compare.');
      },
    });
    if (exitCode !== 0) throw unavailable();
    for (const path of text.split('\0')) if (path !== '') found.add(path.replace(/^\.\//u, ''));
  }
  return found;
}

/** Where nothing can stand in for the workspace, nothing runs in its place for real. */
export function unavailable(): SynapseError {
  return new SynapseError('unavailable', 'A command cannot run on a copy here: the system has no overlays for users. It was not run.', {
    hint: 'Run synapse doctor to see what is missing, or look at the command itself.',
  });
}
