import { readdirSync, realpathSync, statSync } from 'node:fs';
import type { Denials, Finding } from './workspace-index.ts';

/** Entries that are looked at behind all links together. */
const MAX_ENTRIES = 10_000;

/** Where to look. */
export interface LinkedPlaces {
  /** Links to folders, as paths relative to the root; one character stands for one byte (latin1). */
  readonly links: readonly string[];
  /** The root through its handle, and by its name. */
  readonly self: string;
  readonly rootPath: string;
  readonly denials: Denials;
  /** A name that no rule knows: what is said of it in a folder is said of all of the folder. */
  readonly anyName: string;
}

const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString();

/** The real path of a folder; undefined for all else. */
function realFolder(path: string): string | undefined {
  try {
    const real = realpathSync(Buffer.from(path, 'latin1'), { encoding: 'buffer' });
    return statSync(real).isDirectory() ? real.toString('latin1') : undefined;
  } catch {
    // It leads nowhere, or where this user may not go.
    return undefined;
  }
}

/**
 * What rules deny under the names that links give it. A rule about `secrets/**` is about the files that are read by that
 * name; where `secrets` is a link they have another one, by which the kernel knows them, and only that can be mounted over.
 *
 * @returns the places by their real names, and whether all was looked at
 */
export function behindLinks({ links, self, rootPath, denials, anyName }: LinkedPlaces): { findings: Finding[]; complete: boolean } {
  const findings: Finding[] = [];
  const add = (kind: 'denied' | 'locked', real: string, isFolder: boolean): void => {
    const root = Buffer.from(rootPath).toString('latin1');
    const path = real === root ? '' : real.startsWith(`${root}/`) ? real.slice(root.length + 1) : undefined;
    if (path !== undefined) findings.push({ path, kind, isFolder, behindLink: 'inside' });
    // Out there nothing can be written anyway.
    else if (kind === 'denied') findings.push({ path: real, kind, isFolder, behindLink: 'outside' });
  };
  let left = MAX_ENTRIES;
  for (const link of links) {
    const seen = new Set<string>();
    const queue = [{ name: link, real: realFolder(`${self}/${link}`) }];
    for (let folder = queue.pop(); folder !== undefined; folder = queue.pop()) {
      const { name, real } = folder;
      if (real === undefined || seen.has(real)) continue;
      seen.add(real);
      if (denials.read(utf8(`${name}/${anyName}`))) {
        add('denied', real, true);
        continue;
      }
      const isLocked = denials.write?.(utf8(`${name}/${anyName}`)) === true;
      if (isLocked) add('locked', real, true);
      for (const entry of entriesOf(real)) {
        left -= 1;
        if (left < 0) return { findings, complete: false };
        const below = `${name}/${entry.name}`;
        const at = `${real}/${entry.name}`;
        if (denials.read(utf8(below))) add('denied', at, entry.isDirectory());
        else if (entry.isDirectory() || entry.isSymbolicLink()) queue.push({ name: below, real: realFolder(at) });
        else if (!isLocked && denials.write?.(utf8(below)) === true) add('locked', at, false);
      }
    }
  }
  return { findings, complete: true };
}

function entriesOf(real: string): ReturnType<typeof readFolder> {
  try {
    return readFolder(real);
  } catch {
    // Closed to this user, so to a command as well; or gone.
    return [];
  }
}

const readFolder = (real: string) => readdirSync(Buffer.from(real, 'latin1'), { encoding: 'latin1', withFileTypes: true });
