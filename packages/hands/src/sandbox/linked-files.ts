import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { join, parentOf } from '../danger/tree-view.ts';
import { nameFromBytes } from '../workspace/byte-name.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';

/** Other work gets its turn after so many milliseconds. */
const TURN_MS = 8;
/** Each is a mount of about 0.1 ms. Beyond it, whole folders of what package managers installed are closed. */
const MAX_PLACES = 300;
/** Deeper folders are not entered: each level holds a handle. */
const MAX_DEPTH = 256;
/** Folders that package managers fill, from the outermost in. */
const INSTALLED = new Set(['node_modules', '.pnpm', 'site-packages', 'dist-packages', 'vendor']);

/** What was found in a folder. */
interface Found {
  /** Regular files in it, at any depth. */
  files: number;
  /** Those with a name outside, or the folders in which all files are such. */
  places: string[];
  linked: number;
}

interface Linked {
  readonly path: string;
  readonly identity: string;
  readonly names: number;
}

interface Walk {
  readonly linked: Linked[];
  /** Regular files by folder. */
  readonly files: Map<string, number>;
  readonly folders: Map<string, string[]>;
  since: number;
}

function entriesOf(folder: PinnedDirectory, path: string): Dirent[] {
  try {
    return readdirSync(folder.self, { encoding: 'latin1', withFileTypes: true });
  } catch {
    // Closed to this user, and so to a command; unless it is their own, which a command could open.
    if (lstatSync(folder.self).uid !== process.getuid?.()) return [];
    throw refusal(`${path} cannot be read`);
  }
}

async function visit(folder: PinnedDirectory, path: string, depth: number, walk: Walk): Promise<void> {
  if (depth > MAX_DEPTH) throw refusal('a folder lies too deep to be looked at');
  if (performance.now() - walk.since > TURN_MS) {
    await turn();
    walk.since = performance.now();
  }
  let files = 0;
  const children: string[] = [];
  for (const entry of entriesOf(folder, path)) {
    const name = nameFromBytes(Buffer.from(entry.name, 'latin1'));
    if (entry.isDirectory()) children.push(entry.name);
    if (!entry.isFile()) continue;
    files += 1;
    const stat = lstatSync(folder.at(name), { throwIfNoEntry: false });
    if (stat !== undefined && stat.nlink > 1)
      walk.linked.push({ path: join(path, entry.name), identity: `${stat.dev}:${stat.ino}`, names: stat.nlink });
  }
  walk.files.set(path, files);
  walk.folders.set(path, children);
  for (const name of children) {
    let child: PinnedDirectory;
    try {
      child = folder.child(nameFromBytes(Buffer.from(name, 'latin1')));
    } catch {
      // Gone, or closed to this user, and so to a command.
      continue;
    }
    using held = child;
    await visit(held, join(path, name), depth + 1, walk);
  }
}

/** Sums up a folder: where all of its files have names outside, it is one place. */
function sumUp(path: string, walk: Walk, outside: ReadonlyMap<string, readonly string[]>): Found {
  const own = outside.get(path) ?? [];
  const found: Found = { files: walk.files.get(path) ?? 0, places: [...own], linked: own.length };
  for (const name of walk.folders.get(path) ?? []) {
    const below = sumUp(join(path, name), walk, outside);
    found.files += below.files;
    found.linked += below.linked;
    found.places.push(...below.places);
  }
  return path !== '' && found.places.length > 1 && found.linked === found.files ? { ...found, places: [path] } : found;
}

/** The outermost installed folder that a place lies in, at most so deep; the place itself where there is none. */
function installedAround(path: string): string {
  const names = path.split('/');
  const first = names.findIndex((name) => INSTALLED.has(name));
  if (first === -1) return path;
  return names.slice(0, names[first + 1] === '.pnpm' ? first + 2 : first + 1).join('/');
}

function refusal(why: string): SynapseError {
  return new SynapseError('too_large', `The command was not run in the workspace itself, because ${why}.`, {
    hint: 'Run it without live: true, on a copy. Or have packages copied instead of linked, such as pnpm install --package-import-method copy, and repack local clones with git repack -ad.',
  });
}

/**
 * The places in the workspace that lead out of it by a second name, as links of pnpm, uv and local clones do: what is
 * written to such a file is written outside. Single files, and folders in which all are such.
 *
 * @throws SynapseError `too_large` where there are more than can be closed
 */
export async function filesWithNamesOutside(root: PinnedDirectory): Promise<string[]> {
  const walk: Walk = { linked: [], files: new Map(), folders: new Map(), since: performance.now() };
  await visit(root, '', 0, walk);
  const names = new Map<string, number>();
  for (const { identity } of walk.linked) names.set(identity, (names.get(identity) ?? 0) + 1);
  const outside = walk.linked.flatMap(({ path, identity, names: all }) => ((names.get(identity) ?? 0) < all ? [path] : []));
  if (outside.length === 0) return [];
  const places = sumUp('', walk, Map.groupBy(outside, parentOf)).places;
  if (places.length <= MAX_PLACES) return places;
  const closed = [...new Set(places.map(installedAround))];
  if (closed.length <= MAX_PLACES) return closed;
  throw refusal(`${outside.length} files in it have second names outside, more than can be kept from being written through`);
}
