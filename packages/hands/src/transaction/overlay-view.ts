import { join, parentOf, type EntryType, type TreeView } from '../danger/tree-view.ts';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { SynapseError } from '@synapse/protocol';
import { PROGRAMS } from '../launch/programs.ts';
import type { Processes } from '../process/processes.ts';
import type { Name } from '../workspace/byte-name.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { systemProgram } from '../launch/system-program.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** The tree that results from an upper folder over a lower one, as far as the upper was read. */
export class OverlayView implements TreeView {
  readonly #upper: TreeView;
  readonly #lower: TreeView;
  readonly #whole = new Set<string>();
  #standing = new Map<string, boolean>([['', true]]);

  constructor(upper: TreeView, lower: TreeView) {
    this.#upper = upper;
    this.#lower = lower;
  }

  /** Records that a folder hides all of the lower one. */
  addWhole(path: string): void {
    this.#whole.add(path);
    this.#standing = new Map([['', true]]);
  }

  readonly type = (path: string): EntryType | undefined => {
    const type = this.#upper.type(path);
    // The kernel marks a deleted name with a device. Commands cannot create other devices.
    if (type === 'other') return undefined;
    return type ?? (this.#stands(parentOf(path)) ? this.#lower.type(path) : undefined);
  };

  readonly readText = (path: string, maxBytes: number): string | undefined => {
    if (this.#upper.type(path) !== undefined) return this.#upper.readText(path, maxBytes);
    return this.#stands(parentOf(path)) ? this.#lower.readText(path, maxBytes) : undefined;
  };

  readonly readBytes = (path: string, maxBytes: number): Buffer | undefined => {
    if (this.#upper.type(path) !== undefined) return this.#upper.readBytes(path, maxBytes);
    return this.#stands(parentOf(path)) ? this.#lower.readBytes(path, maxBytes) : undefined;
  };

  readonly linkText = (path: string): string | undefined => {
    if (this.#upper.type(path) !== undefined) return this.#upper.linkText(path);
    return this.#stands(parentOf(path)) ? this.#lower.linkText(path) : undefined;
  };

  readonly names = (path: string): readonly string[] | undefined => {
    if (this.type(path) !== 'folder') return undefined;
    const lower = this.#stands(path) ? (this.#lower.names(path) ?? []) : [];
    const all = new Set([...lower, ...(this.#upper.names(path) ?? [])]);
    return [...all].filter((name) => this.type(join(path, name)) !== undefined);
  };

  /** Whether the lower layer of a folder is still visible. */
  #stands(folder: string): boolean {
    const known = this.#standing.get(folder);
    if (known !== undefined) return known;
    const own = this.#upper.type(folder);
    const stands = !this.#whole.has(folder) && (own === undefined || own === 'folder') && this.#stands(parentOf(folder));
    this.#standing.set(folder, stands);
    return stands;
  }
}

/**
 * The workspace as a command left it, read through the kernel: the kernel's record of a folder that was deleted and
 * recreated cannot be read from here. Mounted on first use, because most commands do not need it.
 */
export class MergedView implements AsyncDisposable {
  readonly #areaPath: string;
  readonly #processes: Processes;
  readonly #signal: AbortSignal;
  readonly #isLinked: boolean;
  readonly #closing = new PassThrough();
  #root: Promise<string> | undefined;
  #ended: Promise<unknown> | undefined;

  /** @param isLinked whether the repository is outside. This mount does not show it. */
  constructor(areaPath: string, processes: Processes, signal: AbortSignal, isLinked = false) {
    this.#isLinked = isLinked;
    this.#areaPath = areaPath;
    this.#processes = processes;
    this.#signal = signal;
  }

  /** Whether a folder contains a name. */
  async has(folder: readonly Name[], name: Name): Promise<boolean> {
    if (this.#isLinked && folder[0] === '.git') throw unseen();
    const root = await (this.#root ??= this.#mount());
    using cursor = new TreeCursor(root);
    for (const part of folder) cursor.enter(part);
    return cursor.stat(name) !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.end();
    await this.#ended;
  }

  async #mount(): Promise<string> {
    const unshare = systemProgram('unshare');
    if (unshare === undefined) throw unseen();
    const output = new PassThrough();
    const place = new HandleConfinement(this.#areaPath);
    this.#ended = this.#processes
      .run({
        argv: [unshare, '--user', '--map-root-user', '--mount', '/bin/sh', '-c', PROGRAMS['show-copy.sh']],
        cwd: () => place.openDirectory([]),
        signal: this.#signal,
        onInput: (input) => void this.#closing.pipe(input),
        onOutput: (stream, chunk) => void (stream === 'stdout' && output.write(chunk)),
      })
      .catch(() => undefined)
      .finally(() => {
        place[Symbol.dispose]();
        output.end();
      });
    const [first] = (await Promise.race([once(output, 'data'), once(output, 'end').then(() => [])])) as [Buffer?];
    const pid = /^(?<pid>\d+)\n/u.exec(first?.toString() ?? '')?.groups?.['pid'];
    if (pid === undefined) throw unseen();
    return `/proc/${pid}/cwd/merged`;
  }
}

function unseen(): SynapseError {
  return new SynapseError('unavailable', 'What the command did to folders cannot be read here.', {
    hint: 'Run synapse doctor to see what is missing.',
  });
}

/** The workspace before a command, and as the command left its copy. */
export interface ChangeViews extends Disposable {
  readonly root: PinnedDirectory;
  readonly upper: Confinement;
  readonly whole: Confinement;
  readonly before: TreeView;
  readonly after: TreeView;
}

/** Whether a command made a folder anew, so that nothing of the former one is left. */
const isReplaced = ({ isModeOnly, before, now }: PlannedEntry): boolean =>
  !isModeOnly && before?.isDirectory() === true && now?.isDirectory() === true;

/** Opens both sides of changes. No link is followed on either. */
export function openViews(confinement: Confinement, area: TransactionArea, { changes }: Pick<ReadChanges, 'changes'>): ChangeViews {
  using stack = new DisposableStack();
  const root = stack.use(confinement.openDirectory([]));
  const upper = stack.use(new HandleConfinement(area.upper));
  const before = stack.use(new ConfinedView(root));
  const after = new OverlayView(stack.use(new ConfinedView(stack.use(upper.openDirectory([])))), before);
  for (const change of changes) if (isReplaced(change)) after.addWhole(bytePath(change.location));
  const held = stack.move();
  return { root, upper, whole: confinement, before, after, [Symbol.dispose]: () => held.dispose() };
}
