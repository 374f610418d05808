import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { displayPath } from './byte-name.ts';
import type { Confinement } from './confinement.ts';
import type { WorkspacePath } from './workspace-path.ts';

/**
 * Milliseconds after which a change of a folder shows in its time of change: the clock of a file system advances every 10 ms at most, as
 * the slowest tick of Linux (CONFIG_HZ=100) does.
 */
const TICK_MS = 25;
const NS_PER_MS = 1_000_000n;

interface Stamp {
  readonly facts: string;
  /** The latest change of a folder or the entry, in nanoseconds since 1970. */
  readonly latest: bigint;
}

function stampOf(confinement: Confinement, location: WorkspacePath): Stamp | undefined {
  const facts: string[] = [];
  let latest = 0n;
  const add = ({ dev, ino, ctimeNs }: { readonly dev: bigint; readonly ino: bigint; readonly ctimeNs: bigint }): void => {
    facts.push(`${dev}:${ino}:${ctimeNs}`);
    if (ctimeNs > latest) latest = ctimeNs;
  };
  for (let length = 0; length < location.length; length += 1) {
    using folder = confinement.openDirectory(location.slice(0, length));
    // Below a link, the real folders are elsewhere.
    if (folder.location.length !== length) return undefined;
    add(statSync(folder.self, { bigint: true }));
  }
  using entry = confinement.openEntry(location);
  if (displayPath(entry.location) !== displayPath(location)) return undefined;
  add(entry.stat);
  return { facts: facts.join(' '), latest };
}

/**
 * Lets another program open a place by its path. Returns what it did, or undefined if anything on the path changed meanwhile: a link in
 * place of a folder would have led it elsewhere. Every exchange of a name changes its folder, whose time of change no process can set.
 */
export async function whileStill<T>(confinement: Confinement, location: WorkspacePath, work: () => Promise<T>): Promise<T | undefined> {
  const isSettled = ({ latest }: Stamp): boolean => BigInt(Date.now() - TICK_MS) * NS_PER_MS >= latest;
  let before = stampOf(confinement, location);
  if (before !== undefined && !isSettled(before)) {
    await delay(TICK_MS * 2);
    before = stampOf(confinement, location);
  }
  if (before === undefined || !isSettled(before)) return undefined;
  const result = await work();
  return stampOf(confinement, location)?.facts === before.facts ? result : undefined;
}
