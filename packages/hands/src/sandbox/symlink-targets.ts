import { readdirSync, realpathSync, statSync } from 'node:fs';
import type { Denials, PlaceFinding } from './finding.ts';

/** Maximum number of entries to check behind all links together. */
const MAX_ENTRIES = 10_000;

/** Input of {@link symlinkTargets}. */
export interface LinkedPlaces {
  /** Links to folders, as paths relative to the root; each character stands for one byte (latin1). */
  readonly links: readonly string[];
  /** The path of the root through its handle; `rootPath` is its real path. */
  readonly self: string;
  readonly rootPath: string;
  readonly denials: Denials;
  /** A name that no rule contains: a verdict on it in a folder is the verdict on the whole folder. */
  readonly anyName: string;
}

const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString();

/** The real path of a folder; undefined for anything else. */
function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync(Buffer.from(path, 'latin1'), { encoding: 'buffer' });
    return statSync(real).isDirectory() ? real.toString('latin1') : undefined;
  } catch {
    // A dangling link, or not accessible to this user.
    return undefined;
  }
}

/**
 * Finds the real paths of what rules deny under the names of links. A rule about `secrets/**` is about files with that path.
 * If `secrets` is a link, the kernel knows these files by another path, and only that path can be covered by a mount.
 *
 * @returns the places with their real paths, and whether everything was checked
 */
export function symlinkTargets({ links, self, rootPath, denials, anyName }: LinkedPlaces): { findings: PlaceFinding[]; complete: boolean } {
  const findings: PlaceFinding[] = [];
  const add = (link: string, kind: 'denied' | 'locked', real: string, isFolder: boolean): void => {
    const root = Buffer.from(rootPath).toString('latin1');
    const path = real === root ? '' : real.startsWith(`${root}/`) ? real.slice(root.length + 1) : undefined;
    // Hiding or locking the workspace itself would stop every command, and what is in it is judged by its own name.
    if (path === '') return;
    if (path !== undefined) findings.push({ path, kind, isFolder, behindLink: 'inside', link });
    // Outside, commands cannot write anyway.
    else if (kind === 'denied') findings.push({ path: real, kind, isFolder, behindLink: 'outside', link });
  };
  const deniesWrite = (path: string): boolean => denials.write?.(utf8(path)) === true;
  let left = MAX_ENTRIES;
  for (const link of links) {
    const seen = new Set<string>();
    const queue = [{ name: link, real: realFolder(`${self}/${link}`) }];
    for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
      const { name, real } = folder;
      if (real === undefined || seen.has(real)) continue;
      seen.add(real);
      if (denials.read(utf8(`${name}/${anyName}`))) {
        add(link, 'denied', real, true);
        continue;
      }
      const isLocked = deniesWrite(`${name}/${anyName}`);
      if (isLocked) add(link, 'locked', real, true);
      for (const entry of entriesOf(real)) {
        left -= 1;
        if (left < 0) return { findings, complete: false };
        const below = `${name}/${entry.name}`;
        const at = `${real}/${entry.name}`;
        if (denials.read(utf8(below))) add(link, 'denied', at, entry.isDirectory());
        else if (entry.isDirectory() || entry.isSymbolicLink()) queue.push({ name: below, real: realFolder(at) });
        else if (!isLocked && deniesWrite(below)) add(link, 'locked', at, false);
      }
    }
  }
  return { findings, complete: true };
}

function entriesOf(real: string): ReturnType<typeof readFolder> {
  try {
    return readFolder(real);
  } catch {
    // Closed to this user, so to a command as well; or deleted.
    return [];
  }
}

const readFolder = (real: string) => readdirSync(Buffer.from(real, 'latin1'), { encoding: 'latin1', withFileTypes: true });
