import type { BigIntStats } from 'node:fs';
import * as z from 'zod';
import type { RecordedChange } from '../store/audit/audit-record.ts';
import { displayPath, nameFromBytes, type Name } from '../workspace/byte-name.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';

/** A name as JSON holds it: bytes that are no UTF-8 as hexadecimal digits. */
const StoredName = z.union([z.string(), z.object({ hex: z.string() })]);
type StoredName = z.infer<typeof StoredName>;
const StoredPath = z.array(StoredName);
type StoredPath = z.infer<typeof StoredPath>;

/** By which an entry is known when it moves, see {@link inodeOf}. Not known of what a call brings. */
const inode = z.string().optional();

/** Of an entry that is kept as it is: what it was known by, and what was below it. */
const whole = z.object({ modified: z.string(), size: z.string(), entries: z.int(), bytes: z.number() }).optional();

/** What an entry of the workspace is, or was: enough to make it again. */
const Image = z.discriminatedUnion('type', [
  /** `mode` is null where it is what the umask leaves. `kept` says whether the journal has the content. */
  z.object({ type: z.literal('file'), sha256: z.string(), size: z.int(), mode: z.int().nullable(), kept: z.boolean(), inode, whole }),
  z.object({ type: z.literal('link'), target: StoredName, inode, whole }),
  z.object({ type: z.literal('folder'), mode: z.int().nullable(), inode, whole }),
  /** A pipe, a socket or a device: known to have been there, and not made again. */
  z.object({ type: z.literal('other') }),
]);
export type Image = z.infer<typeof Image>;

/**
 * Where entries are that are exchanged as they are, rather than made again from their contents. By what a command made
 * or what it replaced, `before` goes to the one side, and `after` comes from the other.
 */
const Swap = z.object({ area: z.string().regex(/^area-[\w-]+$/u), slot: z.int(), keep: z.enum(['old', 'new']) });
export type Swap = z.infer<typeof Swap>;

/** One change of one entry. What a call changes is a list of these, in the order in which they happen. */
export const Step = z.discriminatedUnion('kind', [
  /** Null is an entry that is not there. */
  z.object({ kind: z.literal('set'), path: StoredPath, before: Image.nullable(), after: Image.nullable(), swap: Swap.optional() }),
  /** An entry keeps its inode when it is moved. */
  z.object({ kind: z.literal('move'), from: StoredPath, to: StoredPath, inode: z.string() }),
]);
export type Step = z.infer<typeof Step>;

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

/** The places that a step touches. */
export function placesOf(step: Step): WorkspacePath[] {
  return step.kind === 'move' ? [loadPath(step.from), loadPath(step.to)] : [loadPath(step.path)];
}

/** The step that takes a step back. */
export function inverse(step: Step): Step {
  if (step.kind === 'move') return { ...step, from: step.to, to: step.from };
  const { before, after, swap } = step;
  if (swap === undefined) return { ...step, before: after, after: before };
  return { ...step, before: after, after: before, swap: { ...swap, keep: swap.keep === 'old' ? 'new' : 'old' } };
}

/** How an entry is known, whatever its name: its number, and when it was born, as numbers are given out again. */
export function inodeOf({ dev, ino, birthtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${birthtimeNs}`;
}

/** Whether two entries have the same number. Where a file system knows no births, that has to do. */
export function sameInode(a: string, b: string): boolean {
  const number = (inode: string): string => inode.split(':', 2).join(':');
  return number(a) === number(b);
}

/** Steps that take steps back, in the order in which they have to happen. */
export function inverseOf(steps: readonly Step[]): Step[] {
  return steps.toReversed().map(inverse);
}

const hasNoHash = (image: Image): boolean => image.type === 'file' && image.whole !== undefined;

/** Whether two images are of the same content; a mode that is not known is any mode. */
export function sameImage(a: Image | null, b: Image | null): boolean {
  if (a === null || b === null) return a === b;
  // What is kept as it is has no hash: each time it is an entry of its own.
  if (hasNoHash(a) || hasNoHash(b)) return a.type === b.type && 'inode' in a && 'inode' in b && a.inode === b.inode;
  if (a.type === 'file' && b.type === 'file') return a.sha256 === b.sha256 && (a.mode === null || b.mode === null || a.mode === b.mode);
  if (a.type === 'link' && b.type === 'link') return JSON.stringify(a.target) === JSON.stringify(b.target);
  // The mode of a folder says nothing about what a call did in it.
  return a.type === b.type;
}

/** As many digits as `read_file` tells of a version. */
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

/** A step as it is told of. */
export function describeStep(step: Step): RecordedChange {
  if (step.kind === 'move') {
    return { kind: 'move', path: displayPath(loadPath(step.from)), to: displayPath(loadPath(step.to)), before: null, after: null };
  }
  return { kind: kindOf(step), path: displayPath(loadPath(step.path)), before: version(step.before), after: version(step.after) };
}
