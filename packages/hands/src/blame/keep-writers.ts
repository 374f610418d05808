import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { Bases } from '../branch/base-log.ts';
import type { StoredBranch } from '../branch/branch-store.ts';
import { CloneManifest } from '../branch/clone-manifest.ts';
import type { JournalDatabase } from '../journal/journal-database.ts';
import { placesIn } from '../journal/swap-entry.ts';
import { areasOf } from '../journal/kept-areas.ts';
import { bytesAfter } from '../journal/step-text.ts';
import type { TransactionParts } from '../transaction/apply-changes.ts';
import type { Name } from '../workspace/byte-name.ts';
import { isSwap, loadPath, type Step, type SwapStep } from '../workspace/changes/step.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { readRegular } from '../workspace/read-regular.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { isSynapseError } from '@synapse/protocol';
import { changesOf } from './file-changes.ts';
import { fileInArea, MAX_BYTES } from './file-texts.ts';
import { OTHER, textBefore, UNKNOWN, type NestedWriter } from './follow-lines.ts';
import { ChangeHistory } from './history-of.ts';
import { callFinder } from './line-facts.ts';
import { follow } from './line-history.ts';
import { liveCallFinder } from './live-calls.ts';
import { packWriters, type WrittenFile } from './written-file.ts';

/** Maximum number of files of which writers are kept. A line in more is that of the call that applied them. */
const MAX_FILES = 1_000;

/** The branch that is applied. */
export interface AppliedFrom {
  readonly stored: StoredBranch;
  /** The folder of its audit log. */
  readonly log: string;
  /** Whether it is one of the call itself, and ends with it. */
  readonly isOwn: boolean;
  readonly database: () => JournalDatabase;
}

/** A file of the workspace, as it is and as the branch has it. */
interface AppliedFile {
  readonly place: WorkspacePath;
  readonly before: Buffer | undefined;
  readonly after: Buffer | undefined;
}

/**
 * Keeps who wrote the lines that a branch brings, with the change that applies it: the journal of the branch goes with the branch.
 *
 * @returns the parts with which it is applied
 */
export function keepingWriters(parts: TransactionParts, from: AppliedFrom): TransactionParts {
  return {
    ...parts,
    async exchange(steps) {
      const files = knownWriters(parts, steps, from);
      await parts.exchange(steps);
      const [area] = areasOf(steps);
      if (area !== undefined && files.length > 0) from.database().keepWritten(area, files);
    },
  };
}

/** Whether the first changes in a branch are on record. Of a branch that is old, nothing may be any more. */
const hasFirst = (history: ChangeHistory | undefined): boolean => history?.isWhole === true && (history.entries.at(-1)?.id ?? 1) <= 1;

function knownWriters(...given: Parameters<typeof writersOf>): ReturnType<typeof writersOf> {
  try {
    return writersOf(...given);
  } catch {
    // For example, the journal of the branch is damaged. The lines are then those of the call that applies it.
    return [];
  }
}

function writersOf(
  parts: TransactionParts,
  steps: readonly Step[],
  { stored, log, isOwn }: AppliedFrom,
): Array<readonly [path: string, text: string]> {
  const files = filesOf(parts, steps);
  if (files.length === 0) return [];
  const { folder, record } = stored;
  const found = new Set<string>();
  const find = callFinder(log, found);
  using history = ChangeHistory.open(folder.state, record.root, find);
  for (const { call } of history?.entries ?? []) found.add(call);
  const bases = new Bases(folder.state, BigInt(record.startedAt), CloneManifest.of(folder));
  const gone = new Set(files.flatMap(({ place, after }) => (after === undefined ? [bytePath(place)] : [])));
  const branch = isOwn ? {} : { branch: { name: record.name, log: record.audit } };
  const entries = history?.entries ?? [];
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const liveCall = liveCallFinder(log, entries);
  const nested = (id: number): NestedWriter => {
    const entry = byId.get(id);
    if (entry === undefined) return { by: 'hands', call: '', tool: '', time: 0 };
    const { call, tool, session, time } = entry;
    return { by: 'hands', call: liveCall(entry, find(call))?.call ?? call, tool, ...(session === null ? {} : { session }), time };
  };
  return files.map(({ place, before, after }) => {
    const sums: WrittenFile = { before: sumOf(before), after: sumOf(after), ...branch };
    return [
      bytePath(place),
      JSON.stringify(after === undefined || after.includes(0) ? sums : { ...sums, ...linesOf(place, before, after.toString()) }),
    ];
  });

  function linesOf(place: WorkspacePath, before: Buffer | undefined, text: string): Partial<WrittenFile> {
    const { changes, name } = history === undefined ? { changes: [], name: place } : changesOf(entries, place, history.texts.findMoved);
    const isMoved = bytePath(name) !== bytePath(place) && gone.has(bytePath(name));
    const base = bases.of(name).image;
    const ownBefore = isMoved ? files.find((one) => bytePath(one.place) === bytePath(name))?.before : before;
    const seed = (base === null ? ownBefore : bases.content(base)) ?? undefined;
    const written =
      history === undefined
        ? undefined
        : follow(changes, {
            texts: history.texts,
            origin: textBefore,
            seed: seed?.toString(),
            last: [{ text, writer: hasFirst(history) ? OTHER : UNKNOWN }],
            isLeftBy: () => false,
          });
    return {
      ...(isMoved ? { from: bytePath(name) } : {}),
      ...(seed === undefined ? {} : { base: hash('sha256', seed) }),
      ...(written === undefined ? {} : packWriters(written, nested)),
    };
  }
}

const sumOf = (bytes: Buffer | undefined): string | null => (bytes === undefined ? null : hash('sha256', bytes));

/** The regular files that steps change, each as it is and as it will be. */
function filesOf({ confinement, powers }: TransactionParts, steps: readonly Step[]): AppliedFile[] {
  const files: AppliedFile[] = [];
  const read = (place: WorkspacePath): Buffer | undefined => {
    try {
      using folder = confinement.openDirectory(place.slice(0, -1));
      return readRegular(folder.at(place.at(-1) ?? ''), MAX_BYTES)?.bytes;
    } catch (error) {
      // There is no such folder.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  };
  const areas = powers();
  for (const step of steps) {
    if (!isSwap(step) || files.length + entriesOf(step) > MAX_FILES) continue;
    const path = loadPath(step.path);
    const places = [
      ...([step.before, step.after].some((image) => image?.type === 'file') ? [[]] : []),
      ...(step.before?.type === 'folder' ? filesBelow(confinement.openDirectory(path.slice(0, -1)), path.at(-1) ?? '') : []),
      ...(step.after?.type === 'folder' ? filesInArea(areas, step) : []),
    ];
    const isSame = new Map(places.map((rest) => [bytePath(rest), rest]));
    for (const rest of isSame.values()) {
      const place = [...path, ...rest];
      const after = rest.length > 0 ? fileInArea(areas, step, otherSide(step), rest) : bytesAfter(areas, step, MAX_BYTES);
      files.push({ place, before: read(place), after });
    }
  }
  return files;
}

/** The number of entries in the folders of a step. */
const entriesOf = ({ before, after }: SwapStep): number =>
  [before, after].reduce((sum, image) => sum + (image?.type === 'folder' ? (image.whole?.entries ?? 0) : 1), 0);

const otherSide = ({ swap }: SwapStep): SwapStep['swap']['keep'] => (swap.keep === 'old' ? 'new' : 'old');

/** The files in a folder that a branch brings. */
function filesInArea(powers: Parameters<typeof placesIn>[0], step: SwapStep): WorkspacePath[] {
  const place = placesIn(powers, step, otherSide(step)).find((at) => existsSync(at));
  return typeof place === 'string' ? filesIn(new TreeCursor(place)) : [];
}

function filesBelow(parent: { readonly self: string } & Disposable, name: Name): WorkspacePath[] {
  using _ = parent;
  const cursor = new TreeCursor(parent.self);
  cursor.enter(name);
  return filesIn(cursor).map((place) => place.slice(1));
}

/** The regular files below a cursor. */
function filesIn(cursor: TreeCursor): WorkspacePath[] {
  using owned = cursor;
  const files: WorkspacePath[] = [];
  visitTreeSync(owned, (name, stat) => {
    if (stat.isFile()) files.push([...owned.location, name]);
  });
  return files;
}
