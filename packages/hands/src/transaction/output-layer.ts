import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  utimesSync,
  writeFileSync,
  type BigIntStats,
} from 'node:fs';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { cleanLayer, mergeLayer, type LayerSize, type OpaqueMarks } from '../sandbox/layers/merge-layer.ts';
import type { Name } from '../workspace/byte-name.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import { removeTree } from '../workspace/remove-tree.ts';
import { TreeCursor } from '../workspace/tree-cursor.ts';
import { readPending, writePending } from './pending-record.ts';
import { makeArea, OUTPUTS, TransactionArea } from './transaction-area.ts';

/** Maximum bytes of build output that a project keeps apart: target folders of large Rust projects take about this much. */
const MAX_BYTES = 10 * 2 ** 30;
/** Share of the free disk that it may take. */
const DISK_SHARE = 0.25;
/** File systems have a limited number of entries. */
const MAX_ENTRIES = 1_000_000;
/** How far a folder of the workspace is compared with its earlier state: each command does this. A build changes something near the top. */
const COMPARED = { depth: 3, entries: 400 };

const Folder = z.object({
  /** Path of the folder in the workspace. */
  path: z.string(),
  /** The state of the folder in the workspace, above which it was written. */
  over: z.string(),
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
type State = z.infer<typeof State>;

/** Build output of commands, by its folders, that later commands see and the workspace does not contain. */
export interface OutputLayer {
  /** The folder to mount above the workspace. */
  readonly upper: string;
  readonly folders: readonly string[];
  /** The handle under which a person applies it. */
  readonly handle: string;
}

/** What happened to build output of a command. */
export interface KeptOutputs {
  readonly handle: string | undefined;
  /** What is kept, as far as nothing of the same folder was before. */
  readonly added: readonly string[];
  /** What was not kept, and why. */
  readonly lost: ReadonlyArray<{ readonly path: string; readonly why: string }>;
}

const statePath = (areas: string): string => join(areas, OUTPUTS);

function readState(areas: string): State | undefined {
  try {
    const state = State.parse(JSON.parse(readFileSync(statePath(areas), 'utf8')));
    // Half of what a killed process merged may fit nothing.
    return state.merging === undefined || isRunning(state.merging) !== false ? state : undefined;
  } catch {
    // Of another version, or none.
    return undefined;
  }
}

function writeState(areas: string, state: State): void {
  writeFileSync(`${statePath(areas)}.new`, JSON.stringify(state), { mode: 0o600 });
  renameSync(`${statePath(areas)}.new`, statePath(areas));
}

/** Deletes all of it. What a person already applied or dropped is not there any more. */
async function forget(areas: string): Promise<void> {
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

/** Where build output comes from, and where it is kept. */
export interface OutputParts {
  readonly areas: string;
  readonly confinement: Confinement;
  readonly marks: OpaqueMarks;
  readonly signal: AbortSignal;
}

/** The command that wrote it. */
interface Writer {
  readonly area: TransactionArea;
  readonly startedAt: bigint;
  readonly command: string;
}

/** Moves folders of build output from a command's copy to where later commands see them. Nothing of them is left in the copy. */
export async function keepOutputs(parts: OutputParts, { area: from, startedAt, command }: Writer, folders: readonly string[]): Promise<KeptOutputs> {
  const { areas, confinement } = parts;
  using root = confinement.openDirectory([]);
  // What is stale must not be merged with what is new.
  const current = existsSync(statePath(areas)) ? await currentOutputs(areas, confinement) : undefined;
  const area = current === undefined ? makeArea(areas, confinement.root) : new TransactionArea(join(current.upper, '..'));
  const state: State = readState(areas) ?? { version: 1, area: area.name, folders: [], bytes: 0, entries: 0 };
  const known = new Set(state.folders.map(({ path }) => path));
  const files = (): number => state.entries;
  const why = (): string => `build output that later commands see: ${state.folders.map(({ path }) => path).join(', ')}`;
  const record = readPending(area);
  // Before the state names the area: without a record it would count as that of a command that changed nothing.
  const handle = writePending(area, { command, why: why(), files: files(), bytes: state.bytes, startedAt: String(startedAt) }, record?.handle);
  writeState(areas, { ...state, merging: processIdentity() });
  const [added, lost]: [string[], Array<{ path: string; why: string }>] = [[], []];
  for (const path of folders) {
    const problem = await tryToKeep(parts, { from, to: area, path, root, startedAt, state });
    if (problem === undefined && !known.has(path)) added.push(path);
    if (problem !== undefined) lost.push({ path, why: problem });
    await dropFrom(from, path);
  }
  if (state.folders.length === 0) {
    await forget(areas);
    return { handle: undefined, added, lost };
  }
  writePending(area, { command, why: why(), files: files(), bytes: state.bytes, startedAt: String(startedAt) }, handle);
  writeState(areas, state);
  return { handle, added, lost };
}

/** The same; what was merged in part is given up with the rest, such as on a full disk. */
async function tryToKeep(parts: OutputParts, one: One): Promise<string | undefined> {
  try {
    return await keepOne(parts, one);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    await removeTree(join(one.to.upper, one.path));
    one.state.folders = one.state.folders.filter(({ path }) => path !== one.path);
    return `the system refused it: ${errno}`;
  }
}

interface One {
  readonly from: TransactionArea;
  readonly to: TransactionArea;
  readonly path: string;
  readonly root: PinnedDirectory;
  readonly startedAt: bigint;
  readonly state: State;
}

/** @returns why it is not kept; undefined if it is */
async function keepOne(
  { areas, confinement, marks, signal }: OutputParts,
  { from, to, path, root, startedAt, state }: One,
): Promise<string | undefined> {
  const names = path.split('/');
  const name = names.pop() ?? '';
  const above = join(from.upper, ...names);
  const { text: over, newest } = stateOf(root, path);
  if (newest >= startedAt) return 'something else changed it meanwhile';
  const limits = limitsIn(areas, state);
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
  state.folders = [...state.folders.filter((one) => one.path !== path), { path, over }];
  return undefined;
}

function limitsIn(areas: string, { bytes }: State): LayerSize {
  const { bavail, bsize } = statfsSync(areas);
  return { bytes: Math.min(MAX_BYTES, Math.floor((bavail * bsize + bytes) * DISK_SHARE)), entries: MAX_ENTRIES };
}

/** Removes a folder from a copy, without a trace in the folder above. */
async function dropFrom({ upper }: TransactionArea, path: string): Promise<void> {
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

/** Gives folders of the layer the attributes of those in the workspace: commands see those of the topmost layer. */
function likeWorkspace(upper: string, root: PinnedDirectory, names: readonly string[]): void {
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
function stateOf(root: PinnedDirectory, path: string): { readonly text: string; readonly newest: bigint } {
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
