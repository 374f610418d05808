import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { APPLIED } from '../journal/whole-entry.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { turns, visitTree } from '../workspace/visit-tree.ts';

/** An area is named after its process, so that those of killed ones are found. */
const OWNER = /^area-(?<pid>\d+)-(?<started>\d*)-/u;

/** A process that is not seen may run in another container for a while yet; in milliseconds. */
const ABANDONED_MS = 60 * 60 * 1000;

/** Where the copies of one command's changes live: `upper` as the command wrote them, `old` what they replaced. */
export class TransactionArea {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** By this the journal refers to it. */
  get name(): string {
    return basename(this.path);
  }

  get upper(): string {
    return join(this.path, 'upper');
  }

  get record(): string {
    return join(this.path, 'record.json');
  }

  /** The kernel's stamp of this moment, from the clock that stamps files. */
  stamp(): bigint {
    const now = new Date();
    utimesSync(this.path, now, now);
    return lstatSync(this.path, { bigint: true }).ctimeNs;
  }

  /** The first slot that no exchange has used, also none that was taken back. */
  firstSlot(): number {
    const used = ['old', 'new'].flatMap((side) => (existsSync(join(this.path, side)) ? readdirSync(join(this.path, side)).map(Number) : []));
    return Math.max(-1, ...used) + 1;
  }

  /** Nothing more of its changes is to be applied. What an undo needs stays. */
  async settle(): Promise<void> {
    rmSync(this.record, { force: true });
    const mark = join(this.path, APPLIED);
    if (!existsSync(mark)) return await this.remove();
    const sharesFiles = await this.#leftoversShareFiles();
    for (const name of ['upper', 'work', 'merged', 'lower']) await removeTree(join(this.path, name));
    if (!sharesFiles) return;
    // Taking away one name of a file stamps it anew also where another name of it was applied.
    const now = new Date();
    utimesSync(mark, now, now);
  }

  /** Whether something that was not applied has a further name, which may be in the workspace by now. */
  async #leftoversShareFiles(): Promise<boolean> {
    if (!existsSync(this.upper)) return false;
    using cursor = new TreeCursor(this.upper, { owned: true });
    let shares = false;
    await visitTree(
      cursor,
      (_, stat) => {
        // Whiteouts share one inode.
        if (!stat.isDirectory() && !stat.isCharacterDevice() && stat.nlink > 1n) shares = true;
      },
      new AbortController().signal,
    );
    return shares;
  }

  async remove(): Promise<void> {
    await removeTree(this.path);
  }
}

/** Makes an area for one command. Nothing of the workspace is read. */
export function makeArea(folder: string, root: string): TransactionArea {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const area = new TransactionArea(mkdtempSync(join(folder, `area-${processIdentity().replace(' ', '-')}-`)));
  for (const name of ['upper', 'work', 'merged']) mkdirSync(join(area.path, name));
  // The options of a mount have no way to write a comma or a colon, so it is told relative names.
  symlinkSync(root, join(area.path, 'lower'));
  return area;
}

/** Why commands cannot run as transactions with their changes kept in a folder; undefined where they can. */
export function deviceProblem(folder: string, root: string): string | undefined {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return statSync(folder).dev === statSync(root).dev
    ? undefined
    : 'the state folder of Synapse lies on another file system than the workspace (set XDG_STATE_HOME to one on the same)';
}

/**
 * Removes areas that nothing needs any more: of commands that were cut off with their Synapse, which were never answered and
 * of which nothing was applied, and of changes that the journal has forgotten.
 *
 * @param isKept whether the journal refers to an area
 */
export async function removeAbandoned(folder: string, isKept: (name: string) => boolean, signal: AbortSignal, now = Date.now()): Promise<void> {
  if (!existsSync(folder)) return;
  const rest = turns(signal);
  for (const name of readdirSync(folder)) {
    const { pid, started } = OWNER.exec(name)?.groups ?? {};
    await rest();
    signal.throwIfAborted();
    if (pid === undefined) continue;
    const area = new TransactionArea(join(folder, name));
    if (existsSync(area.record) || isKept(name)) continue;
    const isForgotten = existsSync(join(area.path, APPLIED));
    if (!isForgotten && isRunning(`${pid} ${started}`) !== false) continue;
    // Without a start time the number alone tells, and it may be that of a process of another container.
    if (!isForgotten && started === '' && now - lstatSync(area.path).mtimeMs < ABANDONED_MS) continue;
    await area.remove();
  }
}
