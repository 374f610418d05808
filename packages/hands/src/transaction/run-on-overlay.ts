import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessRequest } from '../process/processes.ts';
import { SynapseError } from '@synapse/protocol';
import type { CopyingSandbox } from '../sandbox/open-sandbox.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import { userOfProcess } from '../workspace/process-identity.ts';
import type { CopyPlan, OverlayCommand } from './copy-plan.ts';
import { makeArea, prepareLayer } from './transaction-area.ts';
import { compiledLauncher, type CompiledLauncher } from '../launch/compiled-launcher.ts';
import type { Argv } from '../launch/launch-steps.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import { PROGRAMS } from '../launch/programs.ts';
import { SYSTEM_PATH } from '../sandbox/find-bubblewrap.ts';
import { systemProgram } from '../launch/system-program.ts';

/** The error if no copy could be made; the command was not run. */
class NoOverlay extends SynapseError {
  constructor() {
    super('unavailable', 'A command cannot run on a copy here: the system has no overlays for users, or something is mounted in the workspace.', {
      hint: 'Run synapse doctor to see what is missing.',
    });
  }
}

/** The copy, and what a command sees of it. */
interface Overlay extends CopyPlan {
  /** Creates the copy. Default: the launcher that was found to work. */
  readonly launcher?: Launcher | undefined;
  /** Makes masks and marks in a clone. A trial of an overlay has none. */
  readonly attributes?: AttributeWorker;
}

/** The launchers that were found to work, by the workspace. */
const chosen = new Map<string, Launcher>();

/**
 * Runs a command with a copy-on-write view in place of the workspace. When this settles, the command and all of its
 * processes have ended.
 *
 * @throws SynapseError `unavailable` if overlays do not work; the command was not run
 */
export async function runOnOverlay(sandbox: CopyingSandbox, request: ProcessRequest, overlay: Overlay): Promise<OverlayCommand> {
  const { area, root, repository, mode, hide, keep, readsNothing = false, launcher = chosen.get(root) ?? launchers()[0], attributes } = overlay;
  if (sandbox.copies === 'clone' && attributes !== undefined)
    return await (await import('./run-on-clone.ts')).runOnClone(sandbox, request, { ...overlay, attributes });
  if (launcher === undefined) throw new NoOverlay();
  // Like the kernel does for folders below: if nothing in it changes, its time stays the same.
  prepareLayer(area.upper, root);
  if (repository !== undefined) prepareLayer(area.repository.upper, repository);
  const permissions = statSync(area.upper).mode;
  // Runs while the sandbox prepares. What is kept of the workspace is as it was then or later: what changed in between counts as changed.
  const ready = kernelTick(area.path).then(async (startedAt) => {
    await keep?.();
    return startedAt;
  });
  const [ran] = await Promise.allSettled([
    sandbox.runIn(
      { mode, ...request, environment: { ...request.environment, ...launcher.environment } },
      {
        hide,
        readsNothing,
        ready,
        source: area.merged,
        ...(repository === undefined ? {} : { also: { path: repository, source: area.repository.merged } }),
        wrap: (argv) => launcher.wrap(area.path, argv),
        user: userOfProcess(),
      },
    ),
    ready,
  ]);
  // The launcher and the command share a pipe: a failed mount must not look like a result of the command.
  if (existsSync(join(area.path, 'failed'))) throw new NoOverlay();
  const rootChanged = statSync(area.upper).mode !== permissions;
  // The command may have removed the user's own permissions.
  chmodSync(area.upper, 0o700);
  if (ran.status === 'rejected') throw ran.reason;
  // The namespace ends with the command and all of its processes. Processes that are still visible are exiting, unless counted inside.
  const leftRunning = request.countsLeft === true ? ran.value.leftRunning : 0;
  return { outcome: { ...ran.value, leftRunning }, startedAt: await ready, rootChanged };
}

/** Maximum time for a copy, in milliseconds. */
const TRIAL_MS = 30_000;

/** What a copy is tried with. */
interface Trial {
  readonly sandbox: () => Promise<CopyingSandbox>;
  readonly areas: string;
  readonly confinement: Confinement;
  /** See {@link Overlay}. */
  readonly repository?: string;
}

/** Why commands cannot run on a copy here; undefined if they can. An overlay is tried, and a clone has limits. */
export async function copyProblem(trial: Trial, signal: AbortSignal): Promise<string | undefined> {
  const sandbox = await trial.sandbox().catch(() => undefined);
  if (sandbox?.copies === 'clone') return await (await import('./workspace-clone.ts')).cloneProblem(trial.confinement.root, signal);
  return (await canRunOnOverlay(trial)) ? undefined : 'the system has no overlays for this user, or something is mounted in the workspace';
}

/** Whether commands can run on a copy here, determined by a test run. */
export async function canRunOnOverlay(trial: Trial): Promise<boolean> {
  const { root } = trial.confinement;
  const before = chosen.get(root);
  for (const launcher of before === undefined ? launchers(await compiledLauncher(root)) : [before]) {
    if (!(await works(launcher, trial))) continue;
    chosen.set(root, launcher);
    return true;
  }
  return false;
}

async function works(launcher: Launcher, { sandbox, areas, confinement, repository }: Trial): Promise<boolean> {
  const area = makeArea(areas, confinement.root, undefined, repository);
  const request: ProcessRequest = {
    argv: ['/bin/sh', '-c', ':'],
    cwd: () => confinement.openDirectory([]),
    hardened: true,
    signal: AbortSignal.timeout(TRIAL_MS),
    onOutput: () => {},
  };
  const overlay = { area, root: confinement.root, repository, mode: 'try' as const, hide: () => Promise.resolve(true), readsNothing: true, launcher };
  try {
    return (await runOnOverlay(await sandbox(), request, overlay)).outcome.exitCode === 0;
  } catch {
    // Any error means no.
    return false;
  } finally {
    await area.remove();
  }
}

/** Wraps a command line, and sets variables that it removes again before the command runs. */
export interface Launcher {
  readonly wrap: (area: string, argv: Argv) => Argv;
  readonly environment: Readonly<Record<string, string>>;
}

/** unshare and mount by architecture (asm/unistd.h). */
const CALLS: Partial<Record<NodeJS.Architecture, readonly [unshare: number, mount: number]>> = { x64: [272, 165], arm64: [97, 40] };

function withPerl(): Launcher | undefined {
  const [perl, calls] = [systemProgram('perl'), CALLS[process.arch]];
  if (perl === undefined || calls === undefined) return undefined;
  return {
    wrap: (area, argv) => [perl, '-e', PROGRAMS['copy.pl'], ...calls.map(String), area, ...argv],
    // Without it, perl warns about a locale that is not installed.
    environment: { PERL_BADLANG: '0' },
  };
}

function withShell(): Launcher | undefined {
  const unshare = systemProgram('unshare');
  if (unshare === undefined) return undefined;
  return {
    wrap: (area, argv) => [unshare, '--user', '--map-root-user', '--mount', '/bin/sh', '-c', PROGRAMS['copy.sh'], 'sh', area, SYSTEM_PATH, ...argv],
    environment: {},
  };
}

const withLauncher = ({ program }: CompiledLauncher): Launcher => ({ wrap: (area, argv) => [program, 'copy', area, ...argv], environment: {} });

/** Ways to prepare a copy in new namespaces, fastest first: some systems permit this only to certain programs. */
export const launchers = (compiled?: CompiledLauncher): Launcher[] =>
  [compiled && withLauncher(compiled), withPerl(), withShell()].filter((launcher) => launcher !== undefined);

/** Commands that clone: `git clone`, and `git submodule`, which runs it. */
const CLONES = /\b(?:clone|submodule)\b/u;
/** Rewrites a path to a URL: git then copies objects, and the configuration of the clone still contains the path. */
const AS_URL = ['url.file:///.insteadOf', '/'] as const;

/**
 * git clones a local path with hard links, and fails if a link has a different inode than its file. On an overlay, a file gets
 * a different inode with its second name. So commands that clone treat a path like a URL.
 */
export function withClonesByCopy(request: ProcessRequest): ProcessRequest {
  if (!CLONES.test(request.argv.at(-1) ?? '')) return request;
  const { environment = {} } = request;
  const count = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  const [key, value] = AS_URL;
  return {
    ...request,
    environment: { ...environment, GIT_CONFIG_COUNT: String(count + 1), [`GIT_CONFIG_KEY_${count}`]: key, [`GIT_CONFIG_VALUE_${count}`]: value },
  };
}
