import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import type { AttributeWorker } from '../transaction/attribute-worker.ts';
import { changesOfClone, ownIdentity, type CloneChange } from '../transaction/clone-changes.ts';
import { makeWhiteouts } from '../transaction/exact-attributes.ts';
import { joinNames } from '../workspace/byte-name.ts';
import { TreeCopy } from '../workspace/copy-tree.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { secondsOf } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { removeEntry, removeTree } from '../workspace/remove-tree.ts';
import { turns, TreeCursor, visitTree } from '../workspace/tree-cursor.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { BranchFolder } from './branch-folder.ts';
import { CloneManifest } from './clone-manifest.ts';

/** What presenting a clone as a layer requires. */
export interface LayerParts {
  readonly attributes: AttributeWorker;
  readonly signal: AbortSignal;
}

const DELETED = 'deleted';
const stateOf = ({ now }: CloneChange): string => (now === undefined ? DELETED : now.isDirectory() ? 'folder' : ownIdentity(now));

/**
 * Makes the upper layer of a branch say what was changed in it, if the branch is a clone: as an overlay would, so that all that reads a branch
 * reads the layer. What is in the layer already and is not changed since stays as it is, because choices of a person refer to it.
 */
export async function refreshLayer(folder: BranchFolder, { attributes, signal }: LayerParts): Promise<void> {
  const manifest = CloneManifest.of(folder);
  // While it is applied, its layer is elsewhere.
  if (manifest === undefined || existsSync(folder.applying)) return;
  const changes = changesOfClone(folder.clone, manifest.entries);
  await removeStale(folder, changes, signal);
  const made = new Map([...changes].map(([key, change]) => [key, stateOf(change)]));
  const missing = [...changes.values()].filter(({ location }) => look(joinNames(folder.upper, location)) === undefined);
  const links = join(folder.path, 'links');
  await removeTree(links);
  using clone = new HandleConfinement(folder.clone);
  const copy = new TreeCopy(links, signal);
  const rest = turns(signal);
  const around = new Map<string, WorkspacePath>();
  for (const { location, now } of changes.values()) {
    const depth = now?.isDirectory() === true ? location.length : location.length - 1;
    for (let length = depth; length >= 0; length -= 1) around.set(bytePath(location.slice(0, length)), location.slice(0, length));
  }
  for (const location of [...around.values()].toSorted((a, b) => a.length - b.length)) {
    const at = joinNames(folder.upper, location);
    if (look(at) === undefined) mkdirSync(at, 0o700);
    // Its own permissions come last.
    else chmodSync(at, 0o700);
  }
  for (const { location, now } of missing) {
    await rest();
    if (now === undefined || now.isDirectory()) continue;
    using from = clone.openDirectory(location.slice(0, -1));
    using to = new HandleConfinement(folder.upper);
    using parent = to.openDirectory(location.slice(0, -1));
    const name = location.at(-1) ?? '';
    await copy.copy({ folder: from.self, name }, { folder: parent.self, name });
  }
  await removeTree(links);
  await markDeleted(folder, missing, { attributes, signal });
  for (const location of [...around.values()].toSorted((a, b) => b.length - a.length)) describe(clone, folder, location);
  writeFileSync(`${folder.made}.new`, JSON.stringify([...made]), { mode: 0o600 });
  renameSync(`${folder.made}.new`, folder.made);
}

/** Removes from the layer what is not changed any more, or was changed again. */
async function removeStale(folder: BranchFolder, changes: ReadonlyMap<string, CloneChange>, signal: AbortSignal): Promise<void> {
  const made = readMade(folder);
  const around = new Set([...changes.keys()].flatMap((key) => parentsOf(key)));
  const stale: WorkspacePath[] = [];
  {
    using cursor = new TreeCursor(folder.upper, { owned: true });
    await visitTree(
      cursor,
      (name, stat) => {
        const location = [...cursor.location, name];
        const key = bytePath(location);
        const change = changes.get(key);
        const stays = stat.isDirectory()
          ? around.has(key) || change?.now?.isDirectory() === true
          : change !== undefined && made.get(key) === stateOf(change) && stat.isCharacterDevice() === (change.now === undefined);
        if (!stays) stale.push(location);
      },
      signal,
    );
  }
  using upper = new HandleConfinement(folder.upper);
  for (const location of stale.toReversed()) {
    using parent = upper.openDirectory(location.slice(0, -1));
    chmodSync(parent.self, 0o700);
    await removeEntry(parent, location.at(-1) ?? '');
  }
}

async function markDeleted(folder: BranchFolder, missing: readonly CloneChange[], { attributes, signal }: LayerParts): Promise<void> {
  const deleted = missing.flatMap(({ location, now }) => (now === undefined ? [location] : []));
  using upper = new HandleConfinement(folder.upper);
  using root = upper.openDirectory([]);
  if (await makeWhiteouts(attributes, root, deleted, signal)) return;
  signal.throwIfAborted();
  throw new SynapseError('unavailable', 'What was deleted in the branch cannot be marked here.', {
    hint: 'It needs perl, and Linux 5.8 or newer. The branch is as it was.',
  });
}

/** Gives a folder of the layer the permissions and the time of the clone's. */
function describe(clone: HandleConfinement, { upper }: BranchFolder, location: WorkspacePath): void {
  using own = clone.openDirectory(location);
  const { mode, atimeNs, mtimeNs } = lstatSync(own.self, { bigint: true });
  const at = joinNames(upper, location);
  utimesSync(at, secondsOf(atimeNs), secondsOf(mtimeNs));
  chmodSync(at, Number(mode) & 0o7777);
}

/** The keys of the folders around an entry. */
function parentsOf(key: string): string[] {
  const names = key.split('/');
  return names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join('/'));
}

function readMade({ made }: BranchFolder): ReadonlyMap<string, string> {
  try {
    const list: unknown = JSON.parse(readFileSync(made, 'utf8'));
    return new Map(Array.isArray(list) ? list.map((one: unknown) => (Array.isArray(one) ? [String(one[0]), String(one[1])] : ['', ''])) : []);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    return new Map();
  }
}

const look = (path: string | Buffer): BigIntStats | undefined => lstatSync(path, { bigint: true, throwIfNoEntry: false });
