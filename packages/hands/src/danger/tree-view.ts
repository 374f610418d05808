/** The type of an entry. */
export type EntryType = 'file' | 'folder' | 'link' | 'other';

/**
 * A view of a file tree, such as a workspace, or of its planned state after a command. Paths are relative to the root,
 * which is the empty path, with one character per byte (latin1). No link is followed.
 */
export interface TreeView {
  /** Returns the type of an entry; undefined if it does not exist. */
  readonly type: (path: string) => EntryType | undefined;
  /** Returns the text of a regular file; undefined for other entries, for a larger file, and for an unreadable one. */
  readonly readText: (path: string, maxBytes: number) => string | undefined;
  /** The same as its bytes. */
  readonly readBytes: (path: string, maxBytes: number) => Buffer | undefined;
  /** Returns the target of a link; undefined for other entries. */
  readonly linkText: (path: string) => string | undefined;
  /** Returns the names in a folder; undefined for other entries, and for an unreadable folder. */
  readonly names: (path: string) => readonly string[] | undefined;
  /** Whether a view with a limited number of steps answers no more. Default: the view has no limit. */
  readonly isSpent?: () => boolean;
}

export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
export const join = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/** Returns a path relative to a folder that contains it. */
export const below = (folder: string, path: string): string => (folder === '' ? path : path.slice(folder.length + 1));

/** Resolves a path written in a file, lexically; undefined if it is outside the root. */
export function resolveIn(rootPath: string, folder: string, path: string): string | undefined {
  const root = Buffer.from(rootPath).toString('latin1');
  if (path.startsWith('/') && path !== root && !path.startsWith(`${root}/`)) return undefined;
  const names = path.startsWith('/') ? [] : folder.split('/').filter((name) => name !== '');
  for (const name of (path.startsWith('/') ? path.slice(root.length) : path).split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return names.join('/');
}

/** The new state of an entry. */
export interface ChangedEntry {
  readonly type: EntryType;
  /** The new content of a file; undefined if it is too large or unknown, and then judged as unreadable. */
  readonly bytes?: (maxBytes: number) => Buffer | undefined;
}

/** Creates a view with planned changes. Null deletes an entry and its contents; an entry that is not a folder has no contents. */
export function changedView(base: TreeView, changes: ReadonlyMap<string, ChangedEntry | null>): TreeView {
  const made = Map.groupBy(changes.keys(), parentOf);
  const standing = new Map([['', true]]);
  /** Whether the folder of the base still exists, because neither it nor a folder above it was deleted or replaced. */
  const isKept = (folder: string): boolean => {
    const known = standing.get(folder);
    if (known !== undefined) return known;
    const change = changes.get(folder);
    const kept = (change === undefined || change?.type === 'folder') && isKept(parentOf(folder));
    standing.set(folder, kept);
    return kept;
  };
  /** Whether a place of the base still exists, because no folder above it was deleted or replaced. */
  const stands = (path: string): boolean => isKept(parentOf(path));
  const type = (path: string): EntryType | undefined => {
    const change = changes.get(path);
    if (change !== undefined) return change?.type;
    return stands(path) ? base.type(path) : undefined;
  };
  return {
    type,
    readText(path, maxBytes) {
      const change = changes.get(path);
      if (change !== undefined) return change?.type === 'file' ? change.bytes?.(maxBytes)?.toString() : undefined;
      return stands(path) ? base.readText(path, maxBytes) : undefined;
    },
    readBytes(path, maxBytes) {
      const change = changes.get(path);
      if (change !== undefined) return change?.type === 'file' ? change.bytes?.(maxBytes) : undefined;
      return stands(path) ? base.readBytes(path, maxBytes) : undefined;
    },
    linkText: (path) => (!changes.has(path) && stands(path) ? base.linkText(path) : undefined),
    names(path) {
      if (type(path) !== 'folder') return undefined;
      const known = stands(path) && changes.get(path) !== null ? (base.names(path) ?? []) : [];
      const all = new Set([...known, ...(made.get(path) ?? []).map(nameOf)]);
      return [...all].filter((name) => type(join(path, name)) !== undefined);
    },
  };
}

/** Creates a view in which one entry has another name. */
export function movedView(base: TreeView, from: string, to: string): TreeView {
  /** Returns where the base has an entry; undefined if it was moved away. */
  const origin = (path: string): string | undefined => {
    if (path === to || path.startsWith(`${to}/`)) return from + path.slice(to.length);
    return path === from || path.startsWith(`${from}/`) ? undefined : path;
  };
  const type = (path: string): EntryType | undefined => {
    const source = origin(path);
    const own = source === undefined ? undefined : base.type(source);
    // Missing parent folders are created with it.
    return own ?? (to.startsWith(`${path}/`) ? 'folder' : undefined);
  };
  return {
    type,
    readText(path, maxBytes) {
      const source = origin(path);
      return source === undefined ? undefined : base.readText(source, maxBytes);
    },
    readBytes(path, maxBytes) {
      const source = origin(path);
      return source === undefined ? undefined : base.readBytes(source, maxBytes);
    },
    linkText(path) {
      const source = origin(path);
      return source === undefined ? undefined : base.linkText(source);
    },
    names(path) {
      if (type(path) !== 'folder') return undefined;
      const source = origin(path);
      const known = source === undefined ? [] : (base.names(source) ?? []);
      const made = path === parentOf(to) ? [nameOf(to)] : to.startsWith(`${path}/`) ? [to.slice(path.length + 1).split('/')[0] ?? ''] : [];
      return [...new Set([...known, ...made])].filter((name) => type(join(path, name)) !== undefined);
    },
  };
}

/**
 * Steps in which it must be found out what a folder leads other programs to. A look at the disk counts as five, and takes some
 * 5 µs: all of them together take less than 0.1 s. 2,000 links need 34,000.
 */
const MAX_STEPS = 60_000;
const STEPS_PER_LOOK = 5;
/** Characters of a text that are parsed in about the time of a step. */
const CHARACTERS_PER_STEP = 200;

/** A view that answers for a limited number of steps, and then knows nothing more. */
export interface BoundedView extends TreeView {
  /** Whether the steps were not enough, so that what was found is not all. */
  readonly isSpent: () => boolean;
  /** The number of looks at the view below so far. */
  readonly looks: () => number;
}

/** Looks at the disk that an ordinary folder with a repository and settings of editors takes; they count for no sum of several folders. */
const USUAL_LOOKS = 50;

/** The looks that are left for many folders together: each is bounded, and a clone can bring any number of them. */
export class SharedLooks {
  #left: number;

  constructor(max: number) {
    this.#left = max;
  }

  /** Creates a view of a folder within what is left. */
  view(view: TreeView): BoundedView {
    return boundedView(view, MAX_STEPS, Math.max(this.#left, 0) + USUAL_LOOKS);
  }

  /** Takes off what such a view took beyond the usual. */
  spend(looks: number): void {
    this.#left -= Math.max(0, looks - USUAL_LOOKS);
  }

  /** Gives back what a folder took that is looked at again. */
  giveBack(looks: number): void {
    this.#left += Math.max(0, looks - USUAL_LOOKS);
  }
}

/** Limits the work with a view. Types are looked up once: the view must not change in the meantime. */
export function boundedView(view: TreeView, maxSteps = MAX_STEPS, maxLooks = Infinity): BoundedView {
  const types = new Map<string, EntryType | undefined>();
  let steps = 0;
  let looks = 0;
  const isSpent = (): boolean => steps > maxSteps || looks > maxLooks;
  /** Runs a look if there are steps left for it. */
  const look = <T>(work: () => T): T | undefined => {
    steps += STEPS_PER_LOOK;
    looks += 1;
    return isSpent() ? undefined : work();
  };
  return {
    isSpent,
    looks: () => looks,
    type(path) {
      steps += 1;
      if (types.has(path)) return types.get(path);
      const found = look(() => view.type(path));
      types.set(path, found);
      return found;
    },
    readText(path, maxBytes) {
      const text = look(() => view.readText(path, maxBytes));
      steps += Math.floor((text?.length ?? 0) / CHARACTERS_PER_STEP);
      return text;
    },
    readBytes: (path, maxBytes) => look(() => view.readBytes(path, maxBytes)),
    linkText: (path) => look(() => view.linkText(path)),
    names(path) {
      const names = look(() => view.names(path));
      steps += names?.length ?? 0;
      return isSpent() ? undefined : names;
    },
  };
}
