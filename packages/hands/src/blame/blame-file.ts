import { hash } from 'node:crypto';
import { existsSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { queryAudit, type AuditedCall } from '../audit/query-audit.ts';
import { BlobStore } from '../journal/blob-store.ts';
import { JournalDatabase, type JournalEntry } from '../journal/journal-database.ts';
import { bytesBefore } from '../journal/step-text.ts';
import { appliedAt, leafProblem } from '../journal/whole-entry.ts';
import { workspaceId } from '../state/state-folder.ts';
import { keptText } from '../tree/kept-texts.ts';
import { TreeStore } from '../tree/tree-store.ts';
import { listingReader, type ReadListing } from '../tree/tree-files.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { once } from '../events/timing.ts';
import { openRoot, realPath } from '../workspace/open-root.ts';
import { isWithin } from '../workspace/workspace-path.ts';
import { readRegular } from '../workspace/read-regular.ts';
import { loadPath, sameImage, type SetStep } from '../workspace/changes/step.ts';
import { linesOf, OTHER, rewritten, textBefore, UNKNOWN, type Writer, type WrittenText } from './follow-lines.ts';

/** A line with who wrote it. */
export interface BlamedLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly by: Writer['by'];
  readonly tool?: string;
  readonly call?: string;
  readonly session?: string;
  /** The step of the protocol, and the mode of the brain. */
  readonly step?: string;
  readonly mode?: string;
  /** Who approved it, and the answer. */
  readonly approver?: string;
  readonly answer?: string;
  /** ISO 8601. */
  readonly time?: string;
  /** The writer of the line, if the call only formatted it. */
  readonly formatted?: Omit<BlamedLine, 'line' | 'text' | 'formatted'>;
}

/** Maximum bytes of a text. */
const MAX_BYTES = 4 * 1024 * 1024;

/** A change of the file, oldest first. */
interface Change {
  readonly entry: JournalEntry;
  readonly step: SetStep;
}

/** The changes of a file under all of its names, oldest first. Entries come newest first. */
function changesOf(entries: readonly JournalEntry[], path: string): Change[] {
  const changes: Change[] = [];
  let name = path;
  for (const entry of entries) {
    for (const step of entry.steps.toReversed()) {
      if (step.kind === 'set') {
        if (displayPath(loadPath(step.path)) === name) changes.push({ entry, step });
        continue;
      }
      const to = displayPath(loadPath(step.to));
      if (name === to || name.startsWith(`${to}/`)) name = displayPath(loadPath(step.from)) + name.slice(to.length);
    }
  }
  return changes.toReversed();
}

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

/** Finds the texts of a file at its changes. */
class Texts {
  readonly #powers: Parameters<typeof bytesBefore>[0];
  readonly #find: (call: string) => AuditedCall | undefined;
  readonly #listing: ReadListing;
  readonly #kept: (sum: string) => string | undefined;

  constructor(
    powers: Parameters<typeof bytesBefore>[0],
    find: (call: string) => AuditedCall | undefined,
    stored: () => (sum: string) => string | undefined,
    kept: (sum: string) => string | undefined,
  ) {
    this.#powers = powers;
    this.#find = find;
    this.#listing = listingReader((sum) => stored()(sum));
    this.#kept = kept;
  }

  /** The text before a change; null without a file, undefined if it is not kept. */
  before({ step }: Change): string | null | undefined {
    return step.before?.type === 'file' ? bytesBefore(this.#powers, step, MAX_BYTES)?.toString() : null;
  }

  /**
   * The text that a change left; undefined if it is not known.
   *
   * @param next the text that was found next, and whether nothing but the change left it
   */
  after(
    change: Change,
    next: { readonly text: string | null | undefined; readonly isLeftBy: (step: SetStep) => boolean },
  ): string | null | undefined {
    const { step } = change;
    if (step.after?.type !== 'file') return null;
    const sum = step.after.sha256 === '' ? this.#recorded(change) : step.after.sha256;
    if (typeof next.text === 'string' && sum !== undefined && hash('sha256', next.text) === sum) return next.text;
    // What replaces an entry as a whole has no hash in the journal.
    if (typeof next.text === 'string' && sum === undefined && next.isLeftBy(step))
      return Buffer.byteLength(next.text) === step.after.size ? next.text : undefined;
    const kept = sum === undefined ? undefined : this.#kept(sum);
    if (kept !== undefined) return kept;
    const given = this.#find(change.entry.call)?.start.arguments;
    // What the arguments say is not trusted: the hash decides.
    return [written(given), edited(given, this.before(change))].find((text) => text !== undefined && hash('sha256', text) === sum);
  }

  /** Whether nothing changed the file since a change that replaced it as a whole, as an undo would judge. */
  isLeftBy({ after, swap }: SetStep, stat: BigIntStats): boolean {
    if (after?.type !== 'file' || after.whole === undefined || swap === undefined) return false;
    return leafProblem(this.#powers, after.whole, stat, appliedAt(this.#powers, { swap })) === undefined;
  }

  /** The hash of the file after a command, as the record of its tree has it. */
  #recorded({ entry, step }: Change): string | undefined {
    const { before, after } = this.#find(entry.call)?.end?.command?.tree ?? {};
    let sum = after ?? before;
    const names = displayPath(loadPath(step.path)).split('/');
    for (const [at, name] of names.entries()) {
      const found = sum === undefined ? undefined : this.#listing(sum)?.get(Buffer.from(name).toString('latin1'));
      if (found === undefined || (found.kind === 'd') === (at === names.length - 1)) return undefined;
      sum = found.hash;
    }
    return sum;
  }
}

/** What is known of a file before its first change in the journal. */
type Origin = (text: string) => WrittenText;

/** Follows the lines of a file through its changes. */
class LineHistory {
  readonly #origin: Origin;
  /** The text that is followed; undefined before the first one. */
  #state: WrittenText | undefined;
  readonly #known = new Map<string, WrittenText>();
  /** Whether a text in between is not known: what differs next may be of hands, or of something else. */
  #isUnsure = false;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  get text(): WrittenText {
    return this.#state ?? { lines: [], writers: [] };
  }

  /** Continues with a text. One that was there before has its writers of then, as after an undo. */
  take(text: string, writer: Writer): void {
    const sum = hash('sha256', text);
    const first = this.#state === undefined && writer === OTHER ? this.#origin(text) : undefined;
    this.#state = this.#known.get(sum) ?? first ?? rewritten(this.text, text, this.#isUnsure ? UNKNOWN : writer);
    this.#isUnsure = false;
    this.#known.set(sum, this.#state);
  }

  /** The file is gone. */
  clear(): void {
    this.#state = { lines: [], writers: [] };
    this.#isUnsure = false;
  }

  lose(): void {
    this.#isUnsure = true;
  }
}

/** The file as it is. */
interface Current {
  readonly text: string;
  readonly stat: BigIntStats;
}

/** @param shown the text to tell of. Default: the current one */
function follow(changes: readonly Change[], texts: Texts, current: Current, origin: Origin, shown: string | undefined): WrittenText {
  const history = new LineHistory(origin);
  for (const [at, change] of changes.entries()) {
    const before = texts.before(change);
    if (typeof before === 'string') history.take(before, OTHER);
    else if (before === null) history.clear();
    else history.lose();
    const next = changes[at + 1];
    const after = texts.after(
      change,
      next === undefined
        ? { text: current.text, isLeftBy: (step) => texts.isLeftBy(step, current.stat) }
        : { text: texts.before(next), isLeftBy: ({ after }) => next.step.before !== null && sameImage(after, next.step.before) },
    );
    if (typeof after === 'string') history.take(after, { by: 'hands', entry: change.entry.id });
    else if (after === null) history.clear();
    else history.lose();
  }
  history.take(current.text, OTHER);
  // What is in no text that was seen may be of anyone.
  if (shown !== undefined) history.take(shown, UNKNOWN);
  return history.text;
}

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

type Facts = Omit<BlamedLine, 'line' | 'text' | 'formatted'>;

function factsOf(writer: Writer, entries: ReadonlyMap<number, JournalEntry>, find: (call: string) => AuditedCall | undefined): Facts {
  if (writer.by !== 'hands') return { by: writer.by };
  const entry = entries.get(writer.entry);
  if (entry === undefined) return { by: 'hands' };
  const { start, end } = find(entry.call) ?? {};
  return {
    by: 'hands',
    tool: entry.tool,
    call: entry.call,
    ...(entry.session === null ? {} : { session: entry.session }),
    ...(start?.step === undefined ? {} : { step: start.step }),
    ...(start?.mode === undefined ? {} : { mode: start.mode }),
    ...(end?.approver === undefined ? {} : { approver: end.approver }),
    ...(end?.answer === undefined ? {} : { answer: end.answer }),
    time: new Date(entry.time).toISOString(),
  };
}

/** Finds calls in the log, which is read once. @param wanted the calls that may be asked for */
function callFinder(stateFolder: string, root: string, wanted: ReadonlySet<string>): (call: string) => AuditedCall | undefined {
  const read = once(() => {
    const found = new Map<string, AuditedCall>();
    for (const audited of queryAudit(stateFolder, root)) {
      if (wanted.has(audited.call)) found.set(audited.call, audited);
      if (found.size === wanted.size) break;
    }
    return found;
  });
  return (call) => (wanted.has(call) ? read().get(call) : undefined);
}

/** Reads the file, which must be in the workspace. */
function readCurrent(root: string, path: string): Current {
  const real = realPath(join(root, path));
  if (!isWithin(real, root)) throw new SynapseError('outside_workspace', `${path} is outside the workspace.`);
  const found = readRegular(real, MAX_BYTES);
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
export function blameFile(folder: string, stateFolder: string, path: string, shown?: string): BlamedLine[] {
  const { confinement } = openRoot(folder, stateFolder);
  using _confinement = confinement;
  const { root } = confinement;
  const current = readCurrent(root, path);
  const journal = join(stateFolder, 'journal', workspaceId(root));
  using database = existsSync(join(journal, 'journal.db')) ? new JournalDatabase(join(journal, 'journal.db')) : undefined;
  const entries = database?.done() ?? [];
  const changes = changesOf(entries, path);
  const find = callFinder(stateFolder, root, new Set(changes.map(({ entry }) => entry.call)));
  const isPruned = (entries.at(-1)?.id ?? 1) > 1 && wasChangedEarlier(stateFolder, root, entries, path);
  const origin: Origin = (text) => (isPruned ? { lines: linesOf(text), writers: linesOf(text).map(() => UNKNOWN) } : textBefore(text));
  let written = origin(shown ?? current.text);
  if (database !== undefined) {
    const areas = join(stateFolder, 'transactions', workspaceId(root));
    const texts = new Texts(
      { areas, inodeMap: database.inodeMap, blobs: new BlobStore(join(journal, 'content')) },
      find,
      once(() => new TreeStore(stateFolder, root).reader()),
      (sum) => keptText(stateFolder, root, sum),
    );
    written = follow(changes, texts, current, origin, shown);
  }
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  return written.lines.map((text, at) => {
    const writer = written.writers[at] ?? UNKNOWN;
    const formatted = writer.by === 'hands' && writer.formatted !== undefined ? { formatted: factsOf(writer.formatted, byId, find) } : {};
    return { line: at + 1, text, ...factsOf(writer, byId, find), ...formatted };
  });
}
