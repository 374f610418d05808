import { hash } from 'node:crypto';
import { closeSync, readFileSync } from 'node:fs';
import type { PinnedEntry } from '../workspace/confinement.ts';
import { parseWorkspacePath, unescapePath } from '../workspace/workspace-path.ts';
import { looksBinary } from '../text/detect-encoding.ts';
import { size } from '../text/amounts.ts';
import type { StepPowers } from './apply-step.ts';
import { bytesBefore } from './step-text.ts';
import type { NetChange } from './net-changes.ts';
import { loadName, type Image } from '../workspace/changes/step.ts';
import { displayName } from '../workspace/byte-name.ts';

/** Maximum number of characters of both texts to compare. Longer texts would take seconds. */
const MAX_DIFF_CHARACTERS = 2_000_000;
/** Maximum size of a replaced file that is read. */
const MAX_BYTES = MAX_DIFF_CHARACTERS;
/** Maximum milliseconds for one comparison. */
const DIFF_MS = 1_000;

/** The change of an entry, with a diff for people to read. */
export interface ShownChange {
  readonly kind: 'created' | 'changed' | 'deleted' | 'moved';
  readonly path: string;
  readonly from?: string;
  /** Whether the entry is still as the calls left it. */
  readonly current: boolean;
  /** A unified diff; undefined if there is no diff to show, for the reason in `note`. */
  readonly diff?: string;
  readonly note?: string;
}

function kindOf({ before, after }: NetChange): ShownChange['kind'] {
  if (before === null) return 'created';
  if (after === null) return 'deleted';
  return before === undefined || after === undefined ? 'moved' : 'changed';
}

/** A file on disk, compared with what a call left. */
interface Now {
  /** Whether it is still as the call left it. */
  readonly current: boolean;
  /** The content that the call left; undefined if it is changed, unreadable or too large to compare. */
  readonly bytes?: Buffer;
}

const CHANGED: Now = { current: false };

function lookNow(powers: StepPowers, path: string, image: NetChange['after']): Now {
  if (image?.type !== 'file') return { current: true };
  try {
    const shown = parseWorkspacePath(path, []);
    using entry = powers.confinement.openEntry(unescapePath(shown) ?? shown);
    if (!entry.stat.isFile() || Number(entry.stat.size) !== image.size) return CHANGED;
    // Entries that a command made have no hash; they are identified by their modification time, however large or closed they are.
    if (image.whole !== undefined && String(entry.stat.mtimeNs) !== image.whole.modified) return CHANGED;
    const bytes = image.whole === undefined || image.size <= MAX_BYTES ? contentOf(entry) : undefined;
    if (image.whole === undefined && (bytes === undefined || hash('sha256', bytes) !== image.sha256)) return CHANGED;
    return { current: true, ...(bytes === undefined ? {} : { bytes }) };
  } catch {
    // Gone, so it is not as the call left it.
    return CHANGED;
  }
}

function contentOf(entry: PinnedEntry): Buffer | undefined {
  try {
    const fd = entry.openForRead();
    try {
      return readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Not readable for this user.
    return undefined;
  }
}

/** What of a moved entry no diff shows; undefined for a file that was only moved. */
function noteOfMoved(powers: StepPowers, { path, after }: NetChange): string | undefined {
  if (after !== undefined) return after === null ? undefined : 'changed after it was moved';
  try {
    const shown = parseWorkspacePath(path, []);
    using entry = powers.confinement.openEntry(unescapePath(shown) ?? shown);
    if (entry.stat.isFile()) return undefined;
    return entry.stat.isDirectory() ? 'a folder' : 'not a regular file';
  } catch {
    return 'no longer there';
  }
}

/** Bits that a new file or folder does not usually have: executable files, writable by others, and the special bits. */
const UNUSUAL = { file: 0o7113, folder: 0o7002 } as const;

/** Describes permission bits if they are not obvious. */
function modes({ before, after }: NetChange): string[] {
  const octal = (mode: number): string => mode.toString(8).padStart(3, '0');
  const [old, now] = [before, after].map((image) => (image?.type === 'file' || image?.type === 'folder' ? image.mode : null));
  if (now === undefined || now === null || (after?.type !== 'file' && after?.type !== 'folder')) return [];
  if (old !== undefined && old !== null) return old === now ? [] : [`mode ${octal(old)} → ${octal(now)}`];
  // For an entry without earlier permissions, such as a link, only unusual permissions are shown.
  return (now & UNUSUAL[after.type]) === 0 ? [] : [`mode ${octal(now)}`];
}

/** One side of a change: a text to compare, and a note if the text is not enough. */
interface Side {
  /** Undefined if the content is unknown. */
  readonly text?: string;
  readonly note?: string;
}

function sideOf(image: Image | null, bytes: Buffer | undefined, current = false): Side {
  if (image === null) return { text: '' };
  if (image.type === 'folder') return { text: '', note: 'a folder' };
  if (image.type === 'link') return { text: '', note: `a link to ${displayName(loadName(image.target))}` };
  if (image.type === 'other') return { text: '', note: 'a pipe, a socket or a device' };
  if (bytes === undefined) return { note: current ? size(image.size) : `${size(image.size)}, not kept` };
  if (looksBinary(bytes)) return { text: '', note: `binary, ${size(image.size)}` };
  return { text: bytes.toString('utf8') };
}

/** Returns the note on both sides. If one side is no text, both are named. */
function noteOf(sides: ReadonlyArray<readonly [Image | null, Side]>): string[] {
  if (sides.every(([, { note }]) => note === undefined)) return [];
  const words = sides.flatMap(([image, { note }]) => note ?? (image?.type === 'file' ? `a file, ${size(image.size)}` : []));
  return [words.join(' → ')];
}

/** The names above a diff. */
function namesOf({ path, from, before, after }: NetChange): readonly [string, string] {
  return [before === null ? '/dev/null' : `a/${from ?? path}`, after === null ? '/dev/null' : `b/${path}`];
}

/** What a change replaced, and what it left. */
function bothSides(powers: StepPowers, change: NetChange & { readonly before: Image | null; readonly after: Image | null }, found: Now) {
  const { before, after, replacedBy } = change;
  const stored = (image: Image | null): Buffer | undefined =>
    image?.type === 'file' && image.sha256 !== '' ? powers.blobs.read(image.sha256) : undefined;
  const old = sideOf(before, stored(before) ?? bytesBefore(powers, replacedBy, MAX_BYTES));
  return [old, sideOf(after, found.bytes ?? stored(after), found.current)] as const;
}

const withNotes = (shown: ShownChange, notes: readonly string[]): ShownChange => (notes.length === 0 ? shown : { ...shown, note: notes.join('; ') });

const isInPlace = ({ kind, from }: Pick<ShownChange, 'kind' | 'from'>): boolean => kind === 'changed' && from === undefined;

/** Describes the change of an entry. */
export async function showChange(powers: StepPowers, change: NetChange, diffs = true): Promise<ShownChange> {
  const { path, from, before, after } = change;
  const found = lookNow(powers, path, after);
  const shown = { kind: kindOf(change), path, ...(from === undefined ? {} : { from }), current: found.current };
  if (before === undefined || after === undefined) {
    const note = noteOfMoved(powers, change);
    return { ...shown, ...(note === undefined ? {} : { note }) };
  }
  const [old, now] = bothSides(powers, { ...change, before, after }, found);
  const noText = noteOf([
    [before, old],
    [after, now],
  ]);
  const noted = (...more: string[]): ShownChange => withNotes(shown, [...noText, ...modes(change), ...more]);
  if (!diffs || old.text === undefined || now.text === undefined) return noted();
  // A text that replaces a link, a folder or a program is shown like a new file, so that it is not hidden. A diff without lines is one of an
  // empty file, or of another place.
  if (old.text === now.text && (noText.length > 0 || isInPlace(shown))) return noted();
  if (old.text.length + now.text.length > MAX_DIFF_CHARACTERS) return noted('too long to be compared');
  const diff = await diffOf(old.text, now.text, namesOf(change));
  return diff === undefined ? noted('too different to be compared') : { ...noted(), diff };
}

/** A unified diff of two texts; undefined if they are too different to be compared. */
export async function diffOf(old: string, now: string, names: readonly [string, string]): Promise<string | undefined> {
  // Loaded on demand: most runs show no diff.
  const { createTwoFilesPatch } = await import('diff');
  const diff = createTwoFilesPatch(...names, old, now, undefined, undefined, { context: 3, timeout: DIFF_MS });
  return diff?.slice(diff.indexOf('\n') + 1);
}
