import { join, nameOf, type TreeView } from './tree-view.ts';

/** Maximum bytes of a list of references: some hundred thousand of them. */
const MAX_REFS_BYTES = 32 * 1024 * 1024;
/** Below the folder of a repository. Git shows the object that such a reference names in place of the one that it is named after. */
const REPLACEMENT = /^refs\/replace\/./u;
/** As git reads a line: digits in any case, one space of any kind, and the name. */
const PACKED = /^(?<object>[\da-f]+)[ \t\r]refs\/replace\/(?<name>.+)$/iu;

/** Both trees, and the folder of a repository. */
interface Sides {
  readonly before: TreeView;
  readonly after: TreeView;
  readonly folder: string;
}

const textOf = (view: TreeView, path: string): string | undefined => view.readText(path, MAX_REFS_BYTES)?.trim();

/** Those of a list of packed references, by what they replace. */
function packed(text = ''): Map<string, string> {
  // Few repositories have any.
  if (!text.includes('refs/replace/')) return new Map();
  return new Map(
    text.split('\n').flatMap((line) => {
      const { object, name } = PACKED.exec(line)?.groups ?? {};
      return object === undefined || name === undefined ? [] : [[name, object.toLowerCase()] as const];
    }),
  );
}

const REPLACES = 'git shows another object in place of one that is committed';
const UNREADABLE = 'it is no file, or too large to see whether git shows another object in place of one that is committed';

/**
 * Why a file makes git show another object in place of one that is committed, or may do so; undefined if it does not. What is checked out of it
 * then, such as by `git stash`, is in no diff and no commit.
 *
 * @param rest its path below the folder of the repository
 */
export function objectReplacement(rest: string, { before, after, folder }: Sides): string | undefined {
  const path = join(folder, rest);
  const type = after.type(path);
  if ((rest !== 'packed-refs' && rest !== 'info/grafts' && !REPLACEMENT.test(rest)) || type === undefined || type === 'folder') return undefined;
  const text = textOf(after, path);
  if (text === undefined) return UNREADABLE;
  if (rest === 'info/grafts') return text === (textOf(before, path) ?? '') ? undefined : REPLACES;
  const inList = packed(textOf(before, join(folder, 'packed-refs')));
  const known = (name: string): string | undefined => textOf(before, join(folder, `refs/replace/${name}`))?.toLowerCase() ?? inList.get(name);
  const replacing = rest === 'packed-refs' ? [...packed(text)] : [[nameOf(rest), text.toLowerCase()] as const];
  return replacing.some(([name, object]) => known(name) !== object) ? REPLACES : undefined;
}

/** The files that {@link objectReplacement} is about, whether they exist or not. */
export function replacementsIn(view: TreeView, folder: string): string[] {
  const loose = (view.names(join(folder, 'refs/replace')) ?? []).map((name) => `refs/replace/${name}`);
  return ['packed-refs', 'info/grafts', ...loose].map((name) => join(folder, name));
}

/** Maximum bytes of an index of a pack: about ten million objects. */
const MAX_PACK_INDEX_BYTES = 256 * 1024 * 1024;
const PACK_INDEX = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
const FANOUT_BYTES = 1024;

/** Whether an index of a pack has an object. One that cannot be read may have it. */
function isInPack(bytes: Buffer | undefined, name: string): boolean {
  const start = PACK_INDEX.length + FANOUT_BYTES;
  if (bytes === undefined || bytes.length < start || !bytes.subarray(0, PACK_INDEX.length).equals(PACK_INDEX)) return true;
  const size = name.length / 2;
  const object = Buffer.from(name, 'hex');
  let [low, high] = [0, Math.min(bytes.readUInt32BE(start - 4), Math.floor((bytes.length - start) / size))];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (bytes.compare(object, 0, size, start + middle * size, start + (middle + 1) * size) < 0) low = middle + 1;
    else high = middle;
  }
  return bytes.compare(object, 0, size, start + low * size, start + (low + 1) * size) === 0;
}

/** Whether a repository has an object. Its other stores are not looked at. */
function hasObject(view: TreeView, folder: string, name: string): boolean {
  if (view.type(join(folder, `objects/${name.slice(0, 2)}/${name.slice(2)}`)) !== undefined) return true;
  const packs = (view.names(join(folder, 'objects/pack')) ?? []).filter((file) => file.endsWith('.idx'));
  return packs.some((file) => isInPack(view.readBytes(join(folder, `objects/pack/${file}`), MAX_PACK_INDEX_BYTES), name));
}

const CUT = 'git no longer shows what was committed before';
/** The name of an object by SHA-1 or SHA-256. */
const OBJECT_NAME = /^(?:[\da-f]{40}|[\da-f]{64})$/iu;

/**
 * Why the list of commits whose parents git leaves out (`shallow`) cuts the history that was there; undefined if it does not. `git fetch --depth` and
 * `git clone --depth` add commits that the repository had not before.
 */
export function cutHistory({ before, after, folder }: Sides): string | undefined {
  const path = join(folder, 'shallow');
  const type = after.type(path);
  if (type === undefined || type === 'folder') return undefined;
  const text = textOf(after, path);
  if (text === undefined) return CUT;
  const known = new Set(textOf(before, path)?.toLowerCase().split('\n'));
  const added = text
    .toLowerCase()
    .split('\n')
    .filter((line) => line !== '' && !known.has(line));
  return added.some((line) => !OBJECT_NAME.test(line) || hasObject(before, folder, line)) ? CUT : undefined;
}
