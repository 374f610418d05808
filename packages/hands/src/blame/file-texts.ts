import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import type { AuditedCall } from '../audit/query-audit.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import type { JournalEntry } from '../journal/journal-database.ts';
import { bytesBefore } from '../journal/step-text.ts';
import { placesIn } from '../journal/swap-entry.ts';
import { appliedAt, leafProblem } from '../journal/whole-entry.ts';
import type { TreeEntry } from '../tree/listing.ts';
import type { ReadListing } from '../tree/tree-files.ts';
import { nameFromBytes } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { readRegular } from '../workspace/read-regular.ts';
import { isSwap, loadPath, type SetStep, type Swap, type SwapStep } from '../workspace/changes/step.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { changesOf, placeOf, type ChangedFile, type FileChange } from './file-changes.ts';
import { TextSums } from './text-sums.ts';
import type { WrittenFile } from './written-file.ts';

/** Maximum bytes of a text. */
export const MAX_BYTES = 4 * 1024 * 1024;
/** Maximum number of folders in which a moved file is searched. */
const MAX_FOLDERS = 1_000;

const Written = z.object({ content: z.string() });
const Edited = z.object({ edits: z.array(z.object({ old_text: z.string(), new_text: z.string(), replace_all: z.boolean().optional() })) });

/** The text that a call says it writes. */
function written(given: unknown): string | undefined {
  const { success, data } = Written.safeParse(given);
  return success ? data.content : undefined;
}

/** The text that the replacements of a call make of another one. */
function edited(given: unknown, before: string | null | undefined): string | undefined {
  const { success, data } = Edited.safeParse(given);
  if (!success || typeof before !== 'string') return undefined;
  let text = before;
  for (const { old_text: old, new_text: fresh, replace_all: all } of data.edits)
    text = all === true ? text.replaceAll(old, () => fresh) : text.replace(old, () => fresh);
  return text;
}

/** Reads a file in a folder of an area. By handle: a command may have put links into it. */
export function fileIn(folder: string, rest: WorkspacePath): Buffer | undefined {
  try {
    using confinement = new HandleConfinement(folder);
    using parent = confinement.openDirectory(rest.slice(0, -1));
    return readRegular(parent.at(rest.at(-1) ?? ''), MAX_BYTES)?.bytes;
  } catch (error) {
    if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
    return undefined;
  }
}

/** Reads a file of a folder that a step moved to its area; undefined if it is not there. */
export function fileInArea(powers: Pick<StepPowers, 'areas'>, step: SwapStep, side: Swap['keep'], rest: WorkspacePath): Buffer | undefined {
  for (const place of placesIn(powers, step, side)) {
    const found = typeof place === 'string' ? fileIn(place, rest) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Where the texts of a history are. */
export interface TextSources {
  readonly powers: Parameters<typeof bytesBefore>[0];
  /** All changes, newest first. */
  readonly entries: readonly JournalEntry[];
  /** A call in the log. */
  readonly find: (call: string) => AuditedCall | undefined;
  readonly listing: ReadListing;
  /** A text that is kept, by its SHA-256. */
  readonly kept: (sum: string) => string | undefined;
  /** What is known of a file of a branch that a change applied. */
  readonly applied: (entry: JournalEntry, place: WorkspacePath) => WrittenFile | undefined;
}

/** What was found of a file next. */
export interface NextText {
  readonly text: string | null | undefined;
  /** Whether nothing but the change left it. */
  readonly isLeftBy: (step: SetStep) => boolean;
}

/** Finds the texts of a file at its changes. */
export class FileTexts {
  readonly #sources: TextSources;
  readonly #learned = new Map<string, string>();
  readonly sums = new TextSums();

  constructor(sources: TextSources) {
    this.#sources = sources;
  }

  /** A text that the file has, or had: then it is known wherever its hash is. */
  learn(text: string): void {
    this.#learned.set(this.sums.of(text), text);
  }

  /** What a change kept of the file of a branch. */
  applied({ entry, after }: FileChange): WrittenFile | undefined {
    // What applies a branch exchanges whole entries.
    return isSwap(after.step) ? this.#sources.applied(entry, placeOf(after)) : undefined;
  }

  /** The text before a change; null without a file, undefined if it is not kept. */
  before({ entry, before: { step, rest } }: FileChange): string | null | undefined {
    const { powers } = this.#sources;
    if (rest.length === 0) {
      if (step.before?.type !== 'file') return null;
      const bytes = bytesBefore(powers, step, MAX_BYTES);
      if (bytes !== undefined) {
        const text = bytes.toString();
        // The store compared it with its hash.
        if (!isSwap(step) && isUtf8(bytes)) this.sums.note(text, step.before.sha256);
        return text;
      }
    } else {
      if (step.before?.type !== 'folder' || !isSwap(step)) return null;
      const bytes = fileInArea(powers, step, step.swap.keep, rest);
      if (bytes !== undefined) return bytes.toString();
    }
    const sum = this.#sumBefore(entry, { step, rest });
    return typeof sum === 'string' ? this.#kept(sum) : sum;
  }

  /** The SHA-256 of the text before a change; null without a file, undefined if it is not known. */
  sumBefore({ entry, before }: FileChange): string | null | undefined {
    return this.#sumBefore(entry, before);
  }

  /** The SHA-256 of the text that a change left; null without a file, undefined if it is not known. */
  sumAfter({ entry, after }: FileChange): string | null | undefined {
    return this.#sumAfter(entry, after);
  }

  /** The text that a change left which replaced an entry as a whole: it has no hash in the journal. Undefined if it is not known. */
  #afterWhole({ step, rest }: FileChange['after'], { text, isLeftBy }: NextText): string | undefined {
    if (typeof text !== 'string' || rest.length > 0 || step.after?.type !== 'file' || !isLeftBy(step)) return undefined;
    return Buffer.byteLength(text) === step.after.size ? text : undefined;
  }

  /** The text that a change left; undefined if it is not known. */
  after(change: FileChange, next: NextText): string | null | undefined {
    const { step, rest } = change.after;
    if (rest.length === 0 && step.after?.type !== 'file') return null;
    const sum = this.sumAfter(change);
    if (sum === null) return null;
    if (sum === undefined) return this.#afterWhole(change.after, next);
    if (typeof next.text === 'string' && this.sums.of(next.text) === sum) return next.text;
    const kept = this.#kept(sum);
    if (kept !== undefined) return kept;
    const given = this.#sources.find(change.entry.call)?.start.arguments;
    // What the arguments say is not trusted: the hash decides.
    return [written(given), edited(given, this.before(change))].find((text) => text !== undefined && this.sums.of(text) === sum);
  }

  /** Whether nothing changed the file since a change that replaced it as a whole, as an undo would judge. */
  isLeftBy({ after, swap }: SetStep, stat: BigIntStats): boolean {
    if (after?.type !== 'file' || after.whole === undefined || swap === undefined) return false;
    const { powers } = this.#sources;
    return leafProblem(powers, after.whole, stat, appliedAt(powers, { swap })) === undefined;
  }

  /** The file that a change put to another place, if it did not change its content. */
  readonly findMoved = (entry: JournalEntry, made: ChangedFile): ChangedFile | undefined => {
    // Only what exchanges whole entries has no move of its own.
    if (!isSwap(made.step)) return undefined;
    const from = this.#sources.applied(entry, placeOf(made))?.from;
    if (from !== undefined) {
      const { changes } = changesOf([entry], pathOf(from), () => undefined);
      const [change] = changes;
      return change?.before;
    }
    const sum = this.#sumAfter(entry, made);
    if (typeof sum !== 'string') return undefined;
    const found = entry.steps.flatMap((step) =>
      step === made.step || step.kind !== 'set' || step.after !== null ? [] : this.#filesGone(entry, step, sum),
    );
    const [only, another] = found;
    if (another === undefined) return only;
    const name = (file: ChangedFile): string => bytePath(placeOf(file).slice(-1));
    // Which of several it is, only its name tells.
    const named = found.filter((file) => name(file) === name(made));
    return named.length === 1 ? named[0] : undefined;
  };

  /** The files with a content that a step took away: the entry itself, or those in a folder. */
  #filesGone(entry: JournalEntry, step: SetStep, sum: string): ChangedFile[] {
    if (!isSwap(step) || step.before === null) return [];
    if (step.before.type === 'file') return this.#sumBefore(entry, { step, rest: [] }) === sum ? [{ step, rest: [] }] : [];
    const path = loadPath(step.path);
    const folder = this.#entryIn(this.#treesOf(entry).before, path);
    if (folder?.kind !== 'd') return [];
    const files: ChangedFile[] = [];
    const left: Array<{ readonly rest: WorkspacePath; readonly listed: string }> = [{ rest: [], listed: folder.hash }];
    for (let at = left.pop(), looked = 0; at !== undefined && looked < MAX_FOLDERS; at = left.pop(), looked += 1) {
      for (const [name, { kind, hash: found }] of this.#sources.listing(at.listed) ?? []) {
        const rest = [...at.rest, nameFromBytes(Buffer.from(name, 'latin1'))];
        if (kind === 'd') left.push({ rest, listed: found });
        else if (found === sum) files.push({ step, rest });
      }
    }
    return files;
  }

  #kept(sum: string): string | undefined {
    return this.#learned.get(sum) ?? this.#sources.kept(sum);
  }

  #sumBefore(entry: JournalEntry, file: ChangedFile): string | null | undefined {
    const { step, rest } = file;
    if (rest.length === 0) {
      if (step.before?.type !== 'file') return null;
      if (step.before.sha256 !== '') return step.before.sha256;
    } else if (step.before?.type !== 'folder') return null;
    const place = placeOf(file);
    const known = this.#sources.applied(entry, place);
    if (known !== undefined) return known.before;
    const ofTree = this.#inTree(this.#treesOf(entry).before, place);
    if (ofTree !== undefined) return ofTree;
    // What an undo finds is what the undone change left.
    const undone = this.#undone(entry, place).at(-1);
    return undone === undefined ? undefined : this.#sumAfter(undone.entry, undone.after);
  }

  #sumAfter(entry: JournalEntry, file: ChangedFile): string | null | undefined {
    const { step, rest } = file;
    if (rest.length === 0) {
      if (step.after?.type !== 'file') return null;
      if (step.after.sha256 !== '') return step.after.sha256;
    } else if (step.after?.type !== 'folder') return null;
    const place = placeOf(file);
    const known = this.#sources.applied(entry, place);
    if (known !== undefined) return known.after;
    const { before, after } = this.#treesOf(entry);
    const ofTree = this.#inTree(after ?? before, place);
    if (ofTree !== undefined) return ofTree;
    // What an undo leaves is what the undone change found.
    const [undone] = this.#undone(entry, place);
    return undone === undefined ? undefined : this.#sumBefore(undone.entry, undone.before);
  }

  #treesOf({ call }: JournalEntry): { readonly before?: string | undefined; readonly after?: string | undefined } {
    return this.#sources.find(call)?.end?.command?.tree ?? {};
  }

  /** The changes of a file that an undo undoes, oldest first. */
  #undone({ undoes }: JournalEntry, place: WorkspacePath): FileChange[] {
    if (undoes.length === 0) return [];
    const undone = new Set(undoes);
    return changesOf(
      this.#sources.entries.filter(({ id }) => undone.has(id)),
      place,
      () => undefined,
    ).changes;
  }

  /** The hash of a file in a tree that the record of a command has; undefined if it is not known. */
  #inTree(tree: string | undefined, place: WorkspacePath): string | undefined {
    const found = this.#entryIn(tree, place);
    return found === undefined || found.kind === 'd' ? undefined : found.hash;
  }

  #entryIn(tree: string | undefined, place: WorkspacePath): TreeEntry | undefined {
    let found: TreeEntry | undefined;
    for (const [at, name] of place.entries()) {
      const sum = at === 0 ? tree : found?.kind === 'd' ? found.hash : undefined;
      found = sum === undefined ? undefined : this.#sources.listing(sum)?.get(Buffer.from(name).toString('latin1'));
    }
    return found;
  }
}

/** A place from bytes as characters. */
const pathOf = (text: string): WorkspacePath => text.split('/').map((name) => nameFromBytes(Buffer.from(name, 'latin1')));
