import { closeSync, constants, fstatSync, lstatSync, openSync, realpathSync, statSync, type BigIntStats } from 'node:fs';
import { sep } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { displayPath, joinNames, type Name } from './byte-name.ts';
import type { Confinement, PinnedDirectory, PinnedEntry } from './confinement.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** Identifies the entry that a name led to when it was checked, for comparison at each later use. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

function changed(path: WorkspacePath): SynapseError {
  return new SynapseError('busy', `${displayPath(path)} changed while it was being opened.`, { hint: 'Repeat the call.' });
}

/**
 * Confinement for platforms without directory handles that Node can use (macOS, Windows, or a
 * container without /proc). Resolves and checks names, and compares device and inode again at
 * every use. A folder swap at the right microsecond can still succeed: `synapse doctor` says so.
 */
export class CheckedConfinement implements Confinement {
  readonly tier = 'checked';
  readonly root: string;
  readonly #identity: Identity;

  constructor(root: string) {
    this.root = realpathSync.native(root);
    this.#identity = statSync(this.root, { bigint: true });
  }

  exists(): boolean {
    const stat = statSync(this.root, { bigint: true, throwIfNoEntry: false });
    return stat !== undefined && stat.ino === this.#identity.ino && stat.dev === this.#identity.dev;
  }

  openDirectory(path: WorkspacePath): PinnedDirectory {
    const location = this.#locate(path);
    const real = joinNames(this.root, location);
    const stat = statSync(real, { bigint: true });
    if (!stat.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    return new CheckedDirectory(this.root, location, stat);
  }

  openEntry(path: WorkspacePath): PinnedEntry {
    const location = this.#locate(path);
    return new CheckedEntry(this.root, location, statSync(joinNames(this.root, location), { bigint: true }));
  }

  [Symbol.dispose](): void {
    // Nothing is held open.
  }

  #locate(path: WorkspacePath): WorkspacePath {
    const real = realpathSync.native(joinNames(this.root, path));
    if (real === this.root) return [];
    const prefix = this.root.endsWith(sep) ? this.root : `${this.root}${sep}`;
    if (!real.startsWith(prefix)) {
      throw new SynapseError('outside_workspace', `${displayPath(path)} leads out of the workspace through a link.`, {
        hint: 'Only paths inside the workspace can be used.',
        details: { reason: 'link' },
      });
    }
    return real.slice(prefix.length).split(sep);
  }
}

class CheckedDirectory implements PinnedDirectory {
  readonly location: WorkspacePath;
  readonly #root: string;
  readonly #identity: Identity;

  constructor(root: string, location: WorkspacePath, identity: Identity) {
    this.#root = root;
    this.location = location;
    this.#identity = identity;
  }

  get self(): string {
    const path = joinNames(this.#root, this.location);
    const stat = lstatSync(path, { bigint: true });
    if (!stat.isDirectory() || stat.ino !== this.#identity.ino || stat.dev !== this.#identity.dev) throw changed(this.location);
    return path.toString();
  }

  at(name: Name): string | Buffer {
    return joinNames(this.self, [name]);
  }

  child(name: Name): PinnedDirectory {
    const stat = lstatSync(this.at(name), { bigint: true });
    if (!stat.isDirectory()) throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    return new CheckedDirectory(this.#root, name === '.' ? this.location : [...this.location, name], stat);
  }

  [Symbol.dispose](): void {
    // Nothing is held open.
  }
}

class CheckedEntry implements PinnedEntry {
  readonly location: WorkspacePath;
  readonly stat: BigIntStats;
  readonly #root: string;

  constructor(root: string, location: WorkspacePath, stat: BigIntStats) {
    this.#root = root;
    this.location = location;
    this.stat = stat;
  }

  openForRead(): number {
    // O_NOFOLLOW and O_NONBLOCK are 0 if the platform lacks them.
    const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
    const fd = openSync(joinNames(this.#root, this.location), flags);
    const stat = fstatSync(fd, { bigint: true });
    if (stat.ino === this.stat.ino && stat.dev === this.stat.dev) return fd;
    closeSync(fd);
    throw changed(this.location);
  }

  [Symbol.dispose](): void {
    // Nothing is held open.
  }
}
