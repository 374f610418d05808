import { dangerousSettings } from '../danger/git-config.ts';
import type { OverlayChange } from '../sandbox/overlay-changes.ts';
import { displayPath, type Name } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { resolveTarget } from '../workspace/target.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** A configuration of more bytes is taken for dangerous and not read. */
const MAX_TEXT_BYTES = 1024 * 1024;
/** What of a repository makes git run something, and what makes a folder a repository. */
const ORDERS = new Set(['config', 'config.worktree', 'hooks', 'commondir']);
const MARKS = new Set(['HEAD', 'objects', 'refs', 'commondir']);

const RUNS = 'git runs what it names, as the folder is a repository';

/**
 * Finds, among what a command did on a copy, orders to git in a folder that is a repository under any name: what the
 * sandbox takes away after a command in the workspace itself. Those named `.git` are protected by that name.
 */
export class RepositoryOrders {
  readonly #lower: Confinement;
  readonly #after = new Map<string, boolean>();

  constructor(lower: Confinement, changes: readonly OverlayChange[]) {
    this.#lower = lower;
    for (const { location, kind } of changes) this.#after.set(displayPath(location), kind !== 'deleted');
  }

  /** Why a change may not be made; undefined where it may. */
  reason(change: OverlayChange): string | undefined {
    if (change.kind === 'deleted') return undefined;
    const { location } = change;
    for (let depth = 1; depth < location.length; depth += 1) {
      const name = String(location[depth]);
      const folder = location.slice(0, depth);
      if (ORDERS.has(name) && this.#isRepository(folder) && isOrder(change, name, location.slice(depth + 1))) return RUNS;
      const completes = depth === location.length - 1 && MARKS.has(name) && this.#isRepository(folder);
      if (completes && [...ORDERS].some((order) => this.#was([...folder, order]))) return 'it makes a repository of what was there before';
    }
    return undefined;
  }

  #isRepository(folder: WorkspacePath): boolean {
    const has = (name: Name): boolean => {
      const place = [...folder, name];
      return this.#after.get(displayPath(place)) ?? this.#was(place);
    };
    return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'));
  }

  #was(place: WorkspacePath): boolean {
    try {
      using target = resolveTarget(this.#lower, place, { followLink: false });
      return target.stat !== undefined;
    } catch {
      // A file stands where a folder would have to be.
      return false;
    }
  }
}

function isOrder({ type, size, read }: OverlayChange, name: string, below: WorkspacePath): boolean {
  if (name === 'hooks') return below.length === 0 ? type !== 'directory' : !String(below[0]).endsWith('.sample');
  if (below.length > 0) return false;
  if (read === undefined || size > MAX_TEXT_BYTES) return true;
  const text = read().toString();
  return name === 'commondir' ? text.trim() !== '../..' : dangerousSettings(text).length > 0;
}
