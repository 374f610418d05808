import { FIRST_HANDLE, type InheritedHandle } from '../process/processes.ts';
import type { Mount, SandboxPlan } from './bubblewrap-arguments.ts';
import { openAnonymous, openCopiedFiles, openHomeFiles, type HomeFile } from './copied-files.ts';
import { OFFLINE_FILES } from './network/offline-environment.ts';

/** What a run passes to bubblewrap and the command as open files. */
interface RunFilesRequest {
  /** The system call filter, and the maximum number of processes; undefined if there is none. */
  readonly filter: number | undefined;
  readonly pidMax: number | undefined;
  /** The private home folder of the command; undefined if it has none. */
  readonly home: string | undefined;
  readonly homeFiles: readonly HomeFile[];
  readonly isOffline: boolean;
  /** The mounts outside the workspace. */
  readonly machine: readonly Mount[];
  /** Paths of all mounts. */
  readonly mounted: readonly string[];
  /** Handles of a network that the command joins. */
  readonly shared: readonly InheritedHandle[];
  /** The handle of what is counted when the command ends. */
  readonly counts: InheritedHandle | undefined;
}

/** The open files of one run. */
export interface RunFiles extends Disposable {
  /** To inherit, in this order. */
  readonly handles: readonly InheritedHandle[];
  /** Descriptors in the sandbox. */
  readonly descriptors: {
    readonly filter?: number;
    readonly pidMax?: number;
    /** The first of the network. */
    readonly shared: number;
    readonly counts: number;
  };
  /** The files that bubblewrap creates. */
  readonly files: NonNullable<SandboxPlan['files']>;
  /** The mounts outside the workspace that remain, and those that copies replace. */
  readonly mounts: readonly Mount[];
  readonly replaced: readonly Mount[];
}

/** Gives files the numbers of their descriptors in the sandbox, in the order of the handles. */
const numbered = (files: ReadonlyArray<{ readonly path: string; readonly mode?: number }>, first: number): RunFiles['files'] =>
  files.map(({ path, mode }, index) => ({ descriptor: first + index, path, ...(mode === undefined ? {} : { mode }) }));

/** Opens the files of a run. bubblewrap reads each descriptor to its end, so no other run can use them. */
export function openRunFiles({ filter, pidMax, home, homeFiles, isOffline, machine, mounted, shared, counts }: RunFilesRequest): RunFiles {
  using stack = new DisposableStack();
  const open = (held: number | undefined): InheritedHandle[] => (held === undefined ? [] : [stack.use(openAnonymous(held))]);
  const settings = [...open(filter), ...open(pidMax)];
  const own = stack.use(openHomeFiles(home, homeFiles, mounted));
  const offline = stack.use(openHomeFiles(home, isOffline ? OFFLINE_FILES : [], mounted));
  const copied = stack.use(openCopiedFiles(machine));
  // The order gives the descriptors their numbers. A shell accepts only one digit, so files that it need not know are last.
  const planned = [...settings, ...own];
  const named = [...planned, ...shared, ...(counts === undefined ? [] : [counts])];
  const last = [...offline, ...copied.files];
  const opened = stack.move();
  return {
    handles: [...named, ...last],
    descriptors: {
      ...(filter === undefined ? {} : { filter: FIRST_HANDLE }),
      ...(pidMax === undefined ? {} : { pidMax: FIRST_HANDLE + settings.length - 1 }),
      shared: FIRST_HANDLE + planned.length,
      counts: FIRST_HANDLE + named.length - 1,
    },
    files: [...numbered(own, FIRST_HANDLE + settings.length), ...numbered(last, FIRST_HANDLE + named.length)],
    mounts: copied.mounts,
    replaced: copied.replaced,
    [Symbol.dispose]: () => opened.dispose(),
  };
}
