import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { once, TimeSlice } from '../events/timing.ts';
import { auditFolder } from '../audit/audit-folder.ts';
import { queryAudit } from '../audit/query-audit.ts';
import type { JournalEntry } from '../journal/journal-database.ts';
import { displayPath } from '../workspace/byte-name.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { openRoot, realPath } from '../workspace/open-root.ts';
import { readRegular } from '../workspace/read-regular.ts';
import { isWithin, parseWorkspacePath, unescapePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { listingReader } from '../tree/tree-files.ts';
import { TreeStore } from '../tree/tree-store.ts';
import { changesOf, placeOf } from './file-changes.ts';
import { MAX_BYTES } from './file-texts.ts';
import { OTHER, textBefore, UNKNOWN, type Between, type Writer, type WrittenText } from './follow-lines.ts';
import { ChangeHistory } from './history-of.ts';
import { callFinder, factsOf, type BlamedLine, type Facts, type FactSources } from './line-facts.ts';
import { followInTurns, type Following, type Origin } from './line-history.ts';
import { liveRuns, suspectsIn, type LiveSources } from './live-runs.ts';
import { liveCallFinder } from './live-calls.ts';
import { linesOf } from './text-lines.ts';

/** The file as it is. */
interface Current {
  readonly text: string;
  readonly stat: BigIntStats;
}

/** Maximum number of commands that a line names as possible writers. */
const MAX_SUSPECTS = 5;
/** Maximum number of calls to look at, where old entries of the journal were removed. */
const MAX_CALLS = 20_000;

/** Whether a call that the journal does not know any more changed a file. */
function wasChangedEarlier(stateFolder: string, root: string, entries: readonly JournalEntry[], path: string): boolean {
  const known = new Set(entries.map(({ call }) => call));
  for (const { call, end } of queryAudit(stateFolder, root, { limit: MAX_CALLS })) {
    if (!known.has(call) && end?.changes?.some((change) => change.path === path || change.to === path) === true) return true;
  }
  return false;
}

/** The place of the file that a path leads to, which must be in the workspace. */
function placeIn(root: string, rootNames: readonly string[], path: string): WorkspacePath {
  const parsed = parseWorkspacePath(path, rootNames);
  const place = unescapePath(parsed) ?? parsed;
  // A link to a name that is no text is not followed.
  if (!place.every((name) => typeof name === 'string')) return place;
  const real = realPath(join(root, ...place));
  if (!isWithin(real, root)) throw new SynapseError('outside_workspace', `${path} is outside the workspace.`);
  return parseWorkspacePath(real, [root]);
}

/** Reads the file. */
function readCurrent(confinement: Confinement, place: WorkspacePath): Current {
  const path = displayPath(place);
  using folder = confinement.openDirectory(place.slice(0, -1));
  const found = readRegular(folder.at(place.at(-1) ?? '.'), MAX_BYTES);
  if (found === undefined)
    throw new SynapseError('not_found', `File not found: ${path}`, { hint: 'Name a text file of the workspace of at most 4 MB.' });
  if (found.bytes.includes(0)) throw new SynapseError('binary_file', `${path} is no text.`);
  return { text: found.bytes.toString(), stat: found.stat };
}

/**
 * Says who wrote each line of a file, from the journal and the audit log: hands by which call, a person or another program, or that it
 * was there before. What is not known is `unknown`, never a guess.
 *
 * @param path relative to the workspace
 * @param shown an earlier text of the file, such as that of a commit, to tell of its lines. Default: the file as it is
 * @throws SynapseError `not_found` if there is no such file, `binary_file` for one that is no text
 */
export async function blameFile(folder: string, stateFolder: string, path: string, shown?: string): Promise<BlamedLine[]> {
  const { confinement, rootNames } = openRoot(folder, stateFolder);
  using _confinement = confinement;
  const { root } = confinement;
  const place = placeIn(root, rootNames, path);
  const current = readCurrent(confinement, place);
  const log = auditFolder(stateFolder, root);
  const wanted = new Set<string>();
  const find = callFinder(log, wanted);
  using history = ChangeHistory.open(stateFolder, root, find);
  const live = liveSources(log, { stateFolder, root, find, entries: history?.entries ?? [] });
  const now = { place, changedAt: Number(current.stat.ctimeMs) };
  const first = (text: string, between: Between): WrittenText => firstText(text, between, live);
  if (history === undefined)
    return blamedLines(first(shown ?? current.text, now), (writer) => (writer.by === 'hands' ? { by: 'hands' } : othersOf(writer, live)));
  const { entries, texts } = history;
  for (const { call } of entries) wanted.add(call);
  const isPruned = !history.isWhole || ((entries.at(-1)?.id ?? 1) > 1 && wasChangedEarlier(stateFolder, root, entries, displayPath(place)));
  const { changes } = changesOf(entries, place, texts.findMoved);
  const [oldest] = changes;
  const since = oldest === undefined ? now : { before: oldest.entry.id, place: placeOf(oldest.before) };
  const origin: Origin = (text) => (isPruned ? { lines: linesOf(text), writers: linesOf(text).map(() => UNKNOWN) } : first(text, since));
  const slice = new TimeSlice();
  const how: Following = {
    texts,
    origin,
    // What is in no text that was seen may be of anyone.
    last: [
      { text: current.text, writer: { ...OTHER, between: { ...now, after: changes.at(-1)?.entry.id } } },
      ...(shown === undefined ? [] : [{ text: shown, writer: UNKNOWN }]),
    ],
    isLeftBy: (step) => texts.isLeftBy(step, current.stat),
  };
  const written = await followInTurns(changes, how, slice);
  const sources = sourcesOf(history, written, { stateFolder, log, find });
  return blamedLines(written, (writer) => (writer.by === 'hands' ? factsOf(writer, sources) : othersOf(writer, live)));
}

/** Who a writer other than hands is, with the commands in the workspace itself that may have written the line. */
function othersOf(writer: Exclude<Writer, { by: 'hands' }>, live: LiveSources): Facts {
  const between = writer.by === 'before' ? undefined : writer.between;
  const runs = between === undefined ? [] : suspectsIn(between, live).runs;
  const perhaps = runs.slice(0, MAX_SUSPECTS).map(({ tool, call, session }) => ({ tool, call, ...(session === undefined ? {} : { session }) }));
  return { by: writer.by, ...(perhaps.length === 0 ? {} : { perhaps }) };
}

/** The first text that is known. It was there before, unless a command in the workspace itself may have changed it until then. */
function firstText(text: string, between: Between, live: LiveSources): WrittenText {
  const { runs, isMade } = suspectsIn(between, live);
  if (runs.length === 0) return textBefore(text);
  const lines = linesOf(text);
  const writer: Writer = { by: isMade ? 'person-or-other' : 'unknown', between };
  return { lines, writers: lines.map(() => writer) };
}

function liveSources(
  log: string,
  { stateFolder, root, find, entries }: Pick<Logs, 'stateFolder' | 'find'> & { readonly root: string; readonly entries: readonly JournalEntry[] },
): LiveSources {
  const calls = new Map(entries.map(({ id, call }) => [id, call]));
  const listings = once(() => new TreeStore(stateFolder, root).reader());
  return { runs: once(() => liveRuns(log)), read: listingReader((sum) => listings()(sum)), find, callOf: (entry) => calls.get(entry) };
}

interface Logs {
  readonly stateFolder: string;
  readonly log: string;
  readonly find: FactSources['find'];
}

function sourcesOf(history: ChangeHistory, { writers }: WrittenText, { stateFolder, log, find }: Logs): FactSources {
  const { entries } = history;
  const ofBranches = new Map<string, Set<string>>();
  for (const writer of writers.flatMap((one) => (one.by === 'hands' && one.formatted !== undefined ? [one, one.formatted] : [one]))) {
    if (writer.by !== 'hands' || writer.nested === undefined) continue;
    const name = history.branchOf(writer.entry)?.log ?? '';
    const calls = ofBranches.get(name) ?? new Set();
    calls.add(writer.nested.call);
    ofBranches.set(name, calls);
  }
  const finders = new Map(
    Array.from(ofBranches, ([name, calls]) => [name, callFinder(name === '' ? log : join(stateFolder, 'audit', name), calls)] as const),
  );
  return {
    entries: new Map(entries.map((entry) => [entry.id, entry])),
    find,
    findNested: (entry, call) => finders.get(history.branchOf(entry)?.log ?? '')?.(call),
    branchOf: (entry) => history.branchOf(entry)?.name,
    liveCall: liveCallFinder(log, entries),
  };
}

function blamedLines({ lines, writers }: WrittenText, tell: (writer: Writer) => Omit<BlamedLine, 'line' | 'text' | 'formatted'>): BlamedLine[] {
  const told = new Map<Writer, ReturnType<typeof tell>>();
  const facts = (writer: Writer): ReturnType<typeof tell> => {
    const known = told.get(writer) ?? tell(writer);
    told.set(writer, known);
    return known;
  };
  return lines.map((text, at) => {
    const writer = writers[at] ?? UNKNOWN;
    const formatted = writer.by === 'hands' && writer.formatted !== undefined ? { formatted: facts(writer.formatted) } : {};
    return { line: at + 1, text, ...facts(writer), ...formatted };
  });
}
