import { isSynapseError } from '@synapse/protocol';
import { diffOf, type ShownChange } from '../journal/show-changes.ts';
import { size } from '../text/amounts.ts';
import { looksBinary } from '../text/detect-encoding.ts';
import { displayName, displayPath, type Name } from '../workspace/byte-name.ts';
import { bytePath, isWithin, type WorkspacePath } from '../workspace/workspace-path.ts';
import { currentEntry, currentNames, type FoundEntry } from './found-entry.ts';
import type { PastWorkspace } from './past-workspace.ts';

/** Maximum number of entries to compare. */
const MAX_COMPARED = 20_000;
/** Maximum number of characters of both texts of a diff. */
const MAX_DIFF_CHARACTERS = 2_000_000;

/** What differs between a moment and now. */
export interface ChangesSince {
  readonly changes: readonly ShownChange[];
  /** Whether there are more, which were not compared. */
  readonly isCut: boolean;
}

/** A pair to compare: an entry then, and the one that it is now. */
interface Pair {
  readonly then: WorkspacePath | undefined;
  readonly now: WorkspacePath | undefined;
}

/** What an entry is, where it is no text. */
function noteOf(entry: FoundEntry): string {
  if (entry.type === 'link') return `a link to ${displayName(entry.target ?? '')}`;
  return entry.type === 'file' ? size(entry.size ?? 0) : entry.type === 'directory' ? 'a folder' : 'not a regular file';
}

interface Side {
  readonly bytes?: Buffer;
  readonly note?: string;
}

function sideOf(entry: FoundEntry | undefined): Side {
  if (entry === undefined) return { bytes: Buffer.alloc(0) };
  if (entry.type !== 'file') return { note: noteOf(entry) };
  try {
    const bytes = entry.read();
    return looksBinary(bytes) ? { bytes, note: `binary, ${size(bytes.length)}` } : { bytes };
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return { note: `${noteOf(entry)}, not kept` };
  }
}

const sameTarget = (a: FoundEntry, b: FoundEntry): boolean => displayName(a.target ?? '') === displayName(b.target ?? '');

/** Whether two entries are the same, wherever they are. */
function isSame(then: FoundEntry | undefined, now: FoundEntry | undefined, old: Side, current: Side): boolean {
  if (then?.type !== now?.type) return false;
  if (then?.type === 'file') return old.bytes !== undefined && current.bytes?.equals(old.bytes) === true;
  return then === undefined || now === undefined || then.type !== 'link' || sameTarget(then, now);
}

function kindOf(then: FoundEntry | undefined, now: FoundEntry | undefined, isOnlyMoved: boolean): ShownChange['kind'] {
  if (isOnlyMoved) return 'moved';
  if (then === undefined) return 'created';
  return now === undefined ? 'deleted' : 'changed';
}

const textOf = ({ bytes }: Side): string => bytes?.toString() ?? '';
const nameFor = (entry: FoundEntry | undefined, name: string): string => (entry === undefined ? '/dev/null' : name);

async function changeOf(pair: Pair, then: FoundEntry | undefined, now: FoundEntry | undefined): Promise<ShownChange | undefined> {
  const path = displayPath(pair.now ?? pair.then ?? []);
  const from = pair.then === undefined ? path : displayPath(pair.then);
  const isMoved = then !== undefined && now !== undefined && from !== path;
  const [old, current] = [sideOf(then), sideOf(now)];
  const isSameThere = isSame(then, now, old, current);
  if (isSameThere && !isMoved) return undefined;
  const kind = kindOf(then, now, isSameThere);
  const notes = [...new Set([old.note, current.note].filter((note) => note !== undefined))].join(' → ');
  const shown = { kind, path, ...(isMoved ? { from } : {}), current: true, ...(notes === '' ? {} : { note: notes }) } as const;
  if (isSameThere || notes !== '') return shown;
  const [a, b] = [textOf(old), textOf(current)];
  if (a.length + b.length > MAX_DIFF_CHARACTERS) return { ...shown, note: 'too long to be compared' };
  const diff = await diffOf(a, b, [nameFor(then, `a/${from}`), nameFor(now, `b/${path}`)]);
  return diff === undefined ? { ...shown, note: 'too different to be compared' } : { ...shown, diff };
}

const isMove = ({ then, now }: Pair): boolean => now !== undefined && now !== then;

class Comparison {
  readonly #past: PastWorkspace;
  readonly #signal: AbortSignal;
  readonly #movedTo: string[] = [];
  readonly #done = new Set<string>();
  readonly changes: ShownChange[] = [];
  #compared = 0;

  constructor(past: PastWorkspace, signal: AbortSignal) {
    this.#past = past;
    this.#signal = signal;
  }

  get isCut(): boolean {
    return this.#compared > MAX_COMPARED;
  }

  /** Compares what calls moved, and then all other places that they touched. */
  async run(): Promise<void> {
    const { tree } = this.#past;
    const places = [...tree.places()];
    for (const then of places) {
      const source = tree.sourceOf(then);
      if (source.kind !== 'now' || bytePath(source.path) === bytePath(then)) continue;
      this.#movedTo.push(bytePath(source.path));
      await this.#compare({ then, now: source.path });
    }
    for (const place of places) await this.#compare({ then: place, now: place });
    this.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async #compare(pair: Pair): Promise<void> {
    this.#signal.throwIfAborted();
    this.#compared += 1;
    if (this.isCut) return;
    const key = bytePath(pair.then ?? pair.now ?? []);
    if (this.#done.has(key)) return;
    this.#done.add(key);
    const [then, now] = [pair.then && this.#past.entryAt(pair.then), this.#current(pair)];
    const areFolders = [then, now].map((entry) => entry?.type === 'directory');
    const change = areFolders.every(Boolean) && !isMove(pair) ? undefined : await changeOf(pair, then, now);
    if (change !== undefined) this.changes.push(change);
    if (!areFolders.some(Boolean)) return;
    for (const name of this.#namesIn(pair, then, now))
      await this.#compare({ then: pair.then && [...pair.then, name], now: pair.now && [...pair.now, name] });
  }

  /** What is at the place now; undefined also if it came there from another one, where it is compared. */
  #current(pair: Pair): FoundEntry | undefined {
    const { now } = pair;
    if (now === undefined) return undefined;
    const isElsewhere = !isMove(pair) && this.#movedTo.some((place) => isWithin(bytePath(now), place));
    return isElsewhere ? undefined : currentEntry(this.#past.powers, now, displayPath(now));
  }

  /** The entries of a folder that may differ. Of one that is the same folder now, those of which calls say something. */
  #namesIn({ then, now }: Pair, old: FoundEntry | undefined, current: FoundEntry | undefined): Name[] {
    const { tree, powers } = this.#past;
    const isSame = then !== undefined && tree.sourceOf(then).kind === 'now';
    if (isSame && old !== undefined) return tree.named(then);
    const names = [
      ...(old?.type === 'directory' && then !== undefined ? this.#past.namesIn(then) : []),
      ...(current?.type === 'directory' && now !== undefined ? currentNames(powers, now) : []),
    ];
    return [...new Map(names.map((name) => [displayName(name), name])).values()];
  }
}

/**
 * Compares a moment with the workspace as it is: what calls touched since.
 *
 * @param path what to compare: a file, or a folder with everything in it
 */
export async function changesSince(past: PastWorkspace, path: string, signal: AbortSignal): Promise<ChangesSince> {
  const within = past.parse(path);
  const comparison = new Comparison(past, signal);
  await comparison.run();
  const isMeant = (place: string | undefined): boolean => place !== undefined && (within.length === 0 || isWithin(place, displayPath(within)));
  return { changes: comparison.changes.filter((change) => isMeant(change.path) || isMeant(change.from)), isCut: comparison.isCut };
}
