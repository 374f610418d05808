import { existsSync, lstatSync, mkdirSync, statfsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { cleanLayer, mergeLayer, type LayerSize, type OpaqueMarks } from '../sandbox/layers/merge-layer.ts';
import type { LostPath } from '../text/amounts.ts';
import { displayPath, type Name } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf, whyNotKept } from '../workspace/file-error.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { currentOutputs, forget, likeWorkspace, readState, stateOf, statePath, writeState, type OutputState } from './output-state.ts';
import { readPending, writePending } from './pending-record.ts';
import { makeArea, TransactionArea } from './transaction-area.ts';

/** Maximum bytes of build output that a project keeps apart: target folders of large Rust projects take about this much. */
const MAX_BYTES = 10 * 2 ** 30;
/** Share of the free disk that it may take. */
const DISK_SHARE = 0.25;
/** File systems have a limited number of entries. */
const MAX_ENTRIES = 1_000_000;

/** What happened to build output of a command. */
export interface KeptOutputs {
  readonly handle: string | undefined;
  /** What is kept, as far as nothing of the same folder was before. */
  readonly added: readonly string[];
  /** What was not kept, and why. */
  readonly lost: readonly LostPath[];
}

/** Where build output comes from, and where it is kept. */
export interface OutputParts {
  readonly areas: string;
  /** Default: {@link MAX_BYTES}. */
  readonly maxBytes?: number | undefined;
  readonly confinement: Confinement;
  readonly marks: OpaqueMarks;
  readonly signal: AbortSignal;
}

/** The command that wrote it. */
interface Writer {
  /** Where it wrote, by paths of the workspace. */
  readonly area: Pick<TransactionArea, 'upper'>;
  /** When it began, for one on a copy. Undefined: it saw what was kept above the folder, which must not have changed since. */
  readonly startedAt: bigint | undefined;
  readonly command: string;
}

/** Moves folders of build output from a command's copy to where later commands see them. Nothing of them is left in the copy. */
export async function keepOutputs(parts: OutputParts, { area: from, startedAt, command }: Writer, folders: readonly string[]): Promise<KeptOutputs> {
  const { areas, confinement } = parts;
  using root = confinement.openDirectory([]);
  // What is stale must not be merged with what is new.
  const current = existsSync(statePath(areas)) ? await currentOutputs(areas, confinement) : undefined;
  const area = current === undefined ? makeArea(areas, confinement.root) : new TransactionArea(join(current.upper, '..'));
  const state: OutputState = readState(areas) ?? { version: 1, area: area.name, folders: [], bytes: 0, entries: 0 };
  const known = new Set(state.folders.map(({ path }) => path));
  const files = (): number => state.entries;
  const why = (): string => `build output that later commands see: ${state.folders.map(({ path }) => path).join(', ')}`;
  const record = readPending(area);
  // Before the state names the area: without a record it would count as that of a command that changed nothing.
  const began = String(startedAt ?? record?.startedAt ?? area.stamp());
  const handle = writePending(area, { command, why: why(), files: files(), bytes: state.bytes, startedAt: began }, record?.handle);
  writeState(areas, { ...state, merging: processIdentity() });
  const settle = async (): Promise<string | undefined> => {
    if (state.folders.length === 0) {
      await forget(areas);
      return undefined;
    }
    writePending(area, { command, why: why(), files: files(), bytes: state.bytes, startedAt: began }, handle);
    writeState(areas, state);
    return handle;
  };
  const [added, lost]: [string[], LostPath[]] = [[], []];
  try {
    for (const path of folders) {
      const problem = await tryToKeep(parts, { from, to: area, path, root, startedAt, state });
      if (problem === undefined && !known.has(path) && state.folders.some((one) => one.path === path)) added.push(path);
      if (problem !== undefined) lost.push({ path, why: problem });
      await dropFrom(from, path);
    }
  } catch (error) {
    // Otherwise the state would say for as long as this process runs that it is merged.
    await settle();
    throw error;
  }
  return { handle: await settle(), added, lost };
}

/** The same; what was merged in part is given up with the rest, such as on a full disk. */
async function tryToKeep(parts: OutputParts, one: One): Promise<string | undefined> {
  try {
    return await keepOne(parts, one);
  } catch (error) {
    await removeTree(join(one.to.upper, one.path));
    one.state.folders = one.state.folders.filter(({ path }) => path !== one.path);
    if (errnoOf(error) === undefined) throw error;
    return whyNotKept(error);
  }
}

interface One {
  readonly from: Pick<TransactionArea, 'upper'>;
  readonly to: TransactionArea;
  readonly path: string;
  readonly root: PinnedDirectory;
  readonly startedAt: bigint | undefined;
  readonly state: OutputState;
}

/** @returns why it is not kept; undefined if it is */
async function keepOne(
  { areas, confinement, marks, signal, maxBytes }: OutputParts,
  { from, to, path, root, startedAt, state }: One,
): Promise<string | undefined> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const above = join(from.upper, ...names);
  const { text: over, newest } = stateOf(root, path);
  const known = state.folders.find((one) => one.path === path);
  // Where a live command needed a place for a mount, Synapse itself made an empty folder.
  const isMade = known?.isMade === true && known.over === over;
  if (startedAt === undefined ? known?.over !== over : newest >= startedAt && !isMade) return 'something else changed it meanwhile';
  const limits = limitsIn(areas, state, maxBytes);
  const isDeleted = lstatSync(join(above, name), { throwIfNoEntry: false })?.isDirectory() !== true;
  const size = isDeleted ? { bytes: 0, entries: 1 } : await cleanLayer(join(above, name), limits, signal);
  if (size === undefined || state.bytes + size.bytes > limits.bytes || state.entries + size.entries > limits.entries)
    return 'it is larger than what is kept of build output';
  if (!makeAbove(to.upper, names)) return 'its folder is a link';
  likeWorkspace(to.upper, root, names);
  const replaced: LayerSize = await mergeLayer(above, join(to.upper, ...names), {
    marks,
    below: join(confinement.root, ...names),
    names: [name],
    signal,
  });
  likeWorkspace(to.upper, root, names);
  state.bytes = Math.max(0, state.bytes + size.bytes - replaced.bytes);
  state.entries = Math.max(0, state.entries + size.entries - replaced.entries);
  const others = state.folders.filter((one) => one !== known);
  // Deleted, and the workspace has none: nothing is left to show.
  const isGone = lstatSync(join(to.upper, path), { throwIfNoEntry: false }) === undefined;
  if (isGone) {
    state.folders = others;
    return undefined;
  }
  const opaque = await opaqueFolders({ layer: to.upper, root, path, marks, signal });
  state.folders = [...others, { path, over, opaque, isMade }];
  return undefined;
}

/** The folders of a kept folder that hide those of the workspace at the same path: file tools cannot read that themselves. */
async function opaqueFolders({ layer, root, path, marks, signal }: Pick<OutputParts, 'marks' | 'signal'> & Layered): Promise<string[]> {
  const found: string[] = [];
  using above = new TreeCursor(layer, { owned: true });
  using below = new TreeCursor(root.self, { standIn: root.standIn });
  const visit = async (location: readonly Name[]): Promise<void> => {
    const name = location.at(-1) ?? '';
    if (above.stat(name)?.isDirectory() !== true || below.stat(name)?.isDirectory() !== true) return;
    signal.throwIfAborted();
    // What cannot be read hides: a file that a command deleted must not appear.
    if ((await marks.has(layer, location, signal)) !== false) return void found.push(displayPath(location));
    above.enter(name);
    below.enter(name);
    for (const inside of above.names()) await visit([...location, inside]);
    above.leave();
    below.leave();
  };
  const names = path.split('/');
  for (const name of names.slice(0, -1)) {
    above.enter(name);
    below.enter(name);
  }
  await visit(names);
  return found;
}

interface Layered {
  readonly layer: string;
  readonly root: PinnedDirectory;
  readonly path: string;
}

function limitsIn(areas: string, { bytes }: OutputState, maxBytes = MAX_BYTES): LayerSize {
  const { bavail, bsize } = statfsSync(areas);
  return { bytes: Math.min(maxBytes, Math.floor((bavail * bsize + bytes) * DISK_SHARE)), entries: MAX_ENTRIES };
}

/** Removes a folder from a copy, without a trace in the folder above. */
async function dropFrom({ upper }: Pick<TransactionArea, 'upper'>, path: string): Promise<void> {
  const at = join(upper, path);
  if (lstatSync(at, { throwIfNoEntry: false }) === undefined) return;
  const parent = join(at, '..');
  const { atimeNs, mtimeNs } = lstatSync(parent, { bigint: true });
  await removeTree(at);
  utimesSync(parent, secondsOf(atimeNs), secondsOf(mtimeNs));
}

/** @returns false if something else than a folder is in the way */
function makeAbove(upper: string, names: readonly string[]): boolean {
  let at = upper;
  for (const name of names) {
    at = join(at, name);
    if (lstatSync(at, { throwIfNoEntry: false }) === undefined) mkdirSync(at, { mode: 0o700 });
    if (!lstatSync(at).isDirectory()) return false;
  }
  return true;
}
