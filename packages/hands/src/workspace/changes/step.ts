import type { BigIntStats } from 'node:fs';
import * as z from 'zod';
import { displayPath, nameFromBytes, type Name } from '../byte-name.ts';
import type { WorkspacePath } from '../workspace-path.ts';

/** A name in JSON. Bytes that are not UTF-8 are hexadecimal digits. */
const StoredName = z.union([z.string(), z.object({ hex: z.string() })]);
type StoredName = z.infer<typeof StoredName>;
export const StoredPath = z.array(StoredName);
export type StoredPath = z.infer<typeof StoredPath>;

/** Identifies an entry when it moves, see {@link inodeOf}. Unknown for content that a call adds. */
const inode = z.string().optional();

/** Its ctime when it was read, in nanoseconds since 1970. Unknown for content that a call adds. */
const changed = z.string().optional();

/**
 * For an entry that is kept as a whole: its identifying facts and the size of its tree. `index` is what an index of git says, which
 * `git status` does not change.
 */
const whole = z
  .object({ modified: z.string(), changed, size: z.string(), entries: z.int(), bytes: z.number(), index: z.string().optional() })
  .optional();

export type Whole = NonNullable<z.infer<typeof whole>>;

/** The present or former state of a workspace entry, sufficient to restore it. */
const Image = z.discriminatedUnion('type', [
  /** `mode` is null if it depends on the umask. `kept` says whether the journal has the content. */
  z.object({
    type: z.literal('file'),
    sha256: z.string(),
    size: z.int(),
    mode: z.int().nullable(),
    kept: z.boolean(),
    inode,
    whole,
    /** The time of its last change, in nanoseconds since 1970: unknown for content that a call adds, and where `whole` has it. */
    modified: z.string().optional(),
    changed,
  }),
  z.object({ type: z.literal('link'), target: StoredName, inode, changed, whole }),
  z.object({ type: z.literal('folder'), mode: z.int().nullable(), inode, whole }),
  /** A pipe, a socket or a device: recorded, but not restored. */
  z.object({ type: z.literal('other') }),
]);
export type Image = z.infer<typeof Image>;

/**
 * The location of an entry that is exchanged as a whole, rather than restored from its content. An area has a side for
 * entries that a command made (`new`) and for those it replaced (`old`). `before` goes to the side `keep`; `after` comes from the other.
 */
const Swap = z.object({
  area: z.string().regex(/^area-[\w-]+$/u),
  slot: z.int(),
  keep: z.enum(['old', 'new']),
  /** The workspace folder that entries pass through if the area is on another file system. */
  stage: z
    .string()
    .regex(/^\.synapse-[\w-]+\.tmp$/u)
    .optional(),
  /** The time of the folder that contains the entry, in nanoseconds. Only one step of a folder has it. */
  folder: z.object({ before: z.string(), after: z.string() }).optional(),
});
export type Swap = z.infer<typeof Swap>;

/** One change to one entry. A call's changes are a list of steps in the order in which they happen. */
export const Step = z.discriminatedUnion('kind', [
  /** Null means that the entry does not exist. */
  z.object({ kind: z.literal('set'), path: StoredPath, before: Image.nullable(), after: Image.nullable(), swap: Swap.optional() }),
  /** An entry keeps its inode when it moves. */
  z.object({ kind: z.literal('move'), from: StoredPath, to: StoredPath, inode: z.string() }),
]);
export type Step = z.infer<typeof Step>;
/** A change of one entry in its place. */
export type SetStep = Extract<Step, { kind: 'set' }>;
/** A step that exchanges an entry as a whole, identified by inode and not by content. */
export type SwapStep = SetStep & { readonly swap: Swap };

export function isSwap(step: Step): step is SwapStep {
  return step.kind === 'set' && step.swap !== undefined;
}

/** A change to one workspace entry; null if the content did not exist or is unknown. */
export const RecordedChange = z.object({
  kind: z.enum(['write', 'create', 'delete', 'mkdir', 'rmdir', 'move', 'link']),
  path: z.string(),
  to: z.string().optional(),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type RecordedChange = z.infer<typeof RecordedChange>;

export function storeName(name: Name): StoredName {
  return typeof name === 'string' ? name : { hex: name.toString('hex') };
}

export function loadName(name: StoredName): Name {
  return typeof name === 'string' ? name : nameFromBytes(Buffer.from(name.hex, 'hex'));
}

export function storePath(path: WorkspacePath): StoredPath {
  return path.map(storeName);
}

export function loadPath(path: StoredPath): WorkspacePath {
  return path.map(loadName);
}

/** Returns the places that a step touches. */
export function placesOf(step: Step): WorkspacePath[] {
  return step.kind === 'move' ? [loadPath(step.from), loadPath(step.to)] : [loadPath(step.path)];
}

/** Returns the step that undoes a step. */
export function inverse(step: Step): Step {
  if (step.kind === 'move') return { ...step, from: step.to, to: step.from };
  const { before, after, swap } = step;
  if (swap === undefined) return { ...step, before: after, after: before };
  const { folder } = swap;
  const times = folder === undefined ? {} : { folder: { before: folder.after, after: folder.before } };
  return { ...step, before: after, after: before, swap: { ...swap, ...times, keep: swap.keep === 'old' ? 'new' : 'old' } };
}

/**
 * Identifies an entry regardless of its name: by its inode number and, because numbers are reused, its birth time. Without one, also by
 * its device, whose number may be another one after the next mount.
 */
export function inodeOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return birthtimeNs === 0n ? `${dev}:${ino}:${NO_BIRTH}` : `:${ino}:${birthtimeNs}`;
}

/** Which entry an image is of, see {@link inodeOf}. */
export function inodeIn(image: Image | null): string | undefined {
  return image === null || image.type === 'other' ? undefined : image.inode;
}

/** The same as journals of earlier versions have it. */
export const earlierInodeOf = ({ dev, ino, birthtimeNs }: BigIntStats): string => `${dev}:${ino}:${birthtimeNs}`;

/** The time of birth on a file system that does not record it. */
const NO_BIRTH = '0';

/**
 * Whether two entries are the same. A file system gives the number of a deleted file to the next new one, so the number is
 * only sufficient where it does not record birth times.
 */
export function sameInode(a: string, b: string): boolean {
  const [[device, number, born], [otherDevice, otherNumber, otherBorn]] = [a.split(':'), b.split(':')];
  if (number !== otherNumber) return false;
  if (born !== NO_BIRTH && otherBorn !== NO_BIRTH) return born === otherBorn;
  return device === otherDevice || device === '' || otherDevice === '';
}

/** Returns the steps that undo steps, in the required order. */
export function inverseOf(steps: readonly Step[]): Step[] {
  return steps.toReversed().map(inverse);
}

/** Yields the steps whose paths no earlier step has touched. After the move of a folder, every name may mean another path. */
export function* untouched(steps: readonly Step[]): Generator<Step> {
  const touched = new Set<string>();
  const touchedBelow = new Set<string>();
  for (const step of steps) {
    const places = placesOf(step).map(displayPath);
    const isFirst = places.every((place) => !touched.has(place) && ![...ancestors(place)].some((folder) => touched.has(folder)));
    // The check of an exchanged folder includes everything in it.
    const isWhole = !isSwap(step) || places.every((place) => !touchedBelow.has(place));
    for (const place of places) {
      touched.add(place);
      for (const folder of ancestors(place)) touchedBelow.add(folder);
    }
    if (isFirst && isWhole) yield step;
    if (step.kind === 'move') return;
  }
}

function* ancestors(place: string): Generator<string> {
  for (let slash = place.lastIndexOf('/'); slash > 0; slash = place.lastIndexOf('/', slash - 1)) yield place.slice(0, slash);
}

const hasNoHash = (image: Image): boolean => image.type === 'file' && image.whole !== undefined;

/** Whether two images have the same content; an unknown mode matches any mode. */
export function sameImage(a: Image | null, b: Image | null): boolean {
  if (a === null || b === null) return a === b;
  // An entry that is kept as a whole has no hash, so it equals only itself.
  if (hasNoHash(a) || hasNoHash(b)) return a.type === b.type && 'inode' in a && 'inode' in b && a.inode === b.inode;
  if (a.type === 'file' && b.type === 'file') return a.sha256 === b.sha256 && (a.mode === null || b.mode === null || a.mode === b.mode);
  if (a.type === 'link' && b.type === 'link') return JSON.stringify(a.target) === JSON.stringify(b.target);
  // The mode of a folder does not show what a call did in it.
  return a.type === b.type;
}

/** Whether a step changes anything. Writing identical content does not. */
export function changesSomething(step: Step): boolean {
  return step.kind === 'move' || !sameImage(step.before, step.after);
}

/** Number of digits of a version in `read_file`. */
const VERSION_DIGITS = 16;

function version(image: Image | null): string | null {
  return image?.type === 'file' && image.sha256 !== '' ? image.sha256.slice(0, VERSION_DIGITS) : null;
}

function kindOf({ before, after }: Extract<Step, { kind: 'set' }>): RecordedChange['kind'] {
  const there = after ?? before;
  if (there?.type === 'folder') return after === null ? 'rmdir' : 'mkdir';
  if (after === null) return 'delete';
  if (after.type === 'link') return 'link';
  return before === null ? 'create' : 'write';
}

/** Converts a step to its reported form. */
export function describeStep(step: Step): RecordedChange {
  if (step.kind === 'move') {
    return { kind: 'move', path: displayPath(loadPath(step.from)), to: displayPath(loadPath(step.to)), before: null, after: null };
  }
  return { kind: kindOf(step), path: displayPath(loadPath(step.path)), before: version(step.before), after: version(step.after) };
}

/** The bits of a group, moved to those of others. */
const GROUP_SHIFT = 3;

/**
 * Whether a file of this mode may have an access list that keeps its group from something: the bits of the group are then those of the list as
 * a whole. Not where others may do all of it.
 */
export const mayHaveList = (mode: number): boolean => ((mode >> GROUP_SHIFT) & ~mode & 0o7) !== 0;
