import { chmodSync, chownSync, existsSync, lstatSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync, type BigIntStats } from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import type { Name } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { readPending } from './pending-record.ts';
import { OUTPUTS, TransactionArea } from './transaction-area.ts';

/** How far a folder of the workspace is compared with its earlier state: each command does this. A build changes something near the top. */
const COMPARED = { depth: 3, entries: 400 };

const Folder = z.object({
  /** Path of the folder in the workspace. */
  path: z.string(),
  /** The state of the folder in the workspace, above which it was written. */
  over: z.string(),
  /** Folders in it that hide those of the workspace. */
  opaque: z.array(z.string()).default([]),
  /** Whether {@link over} is the empty folder that Synapse made as a place for a mount. */
  isMade: z.boolean().default(false),
});
const State = z.object({
  version: z.literal(1),
  /** Name of the area that contains it. */
  area: z.string().regex(/^area-[\w-]+$/u),
  folders: z.array(Folder),
  bytes: z.number(),
  entries: z.number(),
  /** The process that changes it now. */
  merging: z.string().optional(),
});
export type OutputState = z.infer<typeof State>;

/** Build output of commands, by its folders, that later commands see and the workspace does not contain. */
export interface OutputLayer {
  /** The folder to mount above the workspace. */
  readonly upper: string;
  readonly folders: readonly string[];
  /** The handle under which a person applies it. */
  readonly handle: string;
}

export const statePath = (areas: string): string => join(areas, OUTPUTS);

export function readState(areas: string): OutputState | undefined {
  try {
    const state = State.parse(JSON.parse(readFileSync(statePath(areas), 'utf8')));
    // Half of what a killed process merged may fit nothing.
    return state.merging === undefined || isRunning(state.merging) !== false ? state : undefined;
  } catch {
    // Of another version, or none.
    return undefined;
  }
}

export function writeState(areas: string, state: OutputState): void {
  writeFileSync(`${statePath(areas)}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${statePath(areas)}.new`, statePath(areas));
}

/** Deletes all of it. What a person already applied or dropped is not there any more. */
export async function forget(areas: string): Promise<void> {
  const named = /"area":"(?<area>area-[\w-]+)"/u.exec(existsSync(statePath(areas)) ? readFileSync(statePath(areas), 'utf8') : '')?.groups?.['area'];
  rmSync(statePath(areas), { force: true });
  const area = named === undefined ? undefined : new TransactionArea(join(areas, named));
  // Without a record, the journal may need the area for an undo.
  if (area !== undefined && existsSync(area.record)) await area.remove();
}

/**
 * The build output that the next command sees. Where the folder in the workspace has changed since, such as by a build of the user, that one counts:
 * what was kept of it is deleted.
 */
export async function currentOutputs(areas: string, confinement: Confinement): Promise<OutputLayer | undefined> {
  const state = readState(areas);
  const area = state === undefined ? undefined : new TransactionArea(join(areas, state.area));
  const record = area === undefined ? undefined : readPending(area);
  if (state === undefined || area === undefined || record === undefined || !existsSync(area.upper)) {
    await forget(areas);
    return undefined;
  }
  using root = confinement.openDirectory([]);
  const stale = state.merging === undefined ? state.folders.filter(({ path, over }) => stateOf(root, path).text !== over) : [];
  for (const { path } of stale) await removeTree(join(area.upper, path));
  const folders = state.folders.filter((folder) => !stale.includes(folder));
  if (folders.length === 0) {
    await forget(areas);
    return undefined;
  }
  if (stale.length > 0) writeState(areas, { ...state, folders });
  for (const { path } of folders) likeWorkspace(area.upper, root, path.split('/').slice(0, -1));
  return { upper: area.upper, folders: folders.map(({ path }) => path), handle: record.handle };
}

/** Gives folders of the layer the attributes of those in the workspace: commands see those of the topmost layer. */
export function likeWorkspace(upper: string, root: PinnedDirectory, names: readonly string[]): void {
  using cursor = new TreeCursor(root.self, { standIn: root.standIn });
  for (const [index, name] of names.entries()) {
    const stat = cursor.stat(name);
    if (stat?.isDirectory() !== true) return;
    const at = join(upper, ...names.slice(0, index + 1));
    const own = lstatSync(at);
    if (own.uid !== Number(stat.uid) || own.gid !== Number(stat.gid)) chownSync(at, Number(stat.uid), Number(stat.gid));
    chmodSync(at, (Number(stat.mode) & 0o7777) | 0o700);
    utimesSync(at, secondsOf(stat.atimeNs), secondsOf(stat.mtimeNs));
    cursor.enter(name);
  }
}

/** The state of a folder of the workspace, as far as it is compared, and its last change. */
export function stateOf(root: PinnedDirectory, path: string): { readonly text: string; readonly newest: bigint } {
  const lines: string[] = [];
  let newest = 0n;
  using cursor = new TreeCursor(root.self, { standIn: root.standIn });
  const note = (name: Name, stat: BigIntStats): void => {
    if (stat.ctimeNs > newest) newest = stat.ctimeNs;
    lines.push([name.toString('latin1'), stat.ino, stat.mode, stat.size, stat.mtimeNs, stat.ctimeNs].join(' '));
  };
  const visit = (name: Name, depth: number): void => {
    const stat = cursor.stat(name);
    if (stat === undefined || lines.length >= COMPARED.entries) return;
    note(name, stat);
    if (!stat.isDirectory() || depth === COMPARED.depth || cursor.isClosed(name, stat)) return;
    cursor.enter(name);
    const names = cursor.names();
    // First all names, so that a large folder does not hide the others beside it.
    for (const below of names.slice(0, COMPARED.entries)) {
      const entry = cursor.stat(below);
      if (entry !== undefined && !entry.isDirectory() && lines.length < COMPARED.entries) note(below, entry);
    }
    for (const below of names) if (cursor.stat(below)?.isDirectory() === true) visit(below, depth + 1);
    cursor.leave();
  };
  const names = path.split('/');
  const last = names.pop() ?? '';
  try {
    for (const name of names) cursor.enter(name);
    visit(last, 0);
  } catch (error) {
    // A folder on the way is missing, or is a link.
    if (errnoOf(error) === undefined) throw error;
    return { text: 'no folder', newest };
  }
  return { text: hash('sha256', lines.join('\n'), 'hex').slice(0, 32), newest };
}
