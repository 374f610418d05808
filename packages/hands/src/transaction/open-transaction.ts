import { existsSync, lstatSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { mayCommit, writeHead } from '../git/write-head.ts';
import type { TooLargeToUndo } from '../workspace/changes/capture.ts';
import { shareOfDisk } from '../journal/kept-areas.ts';
import type { ProcessRequest } from '../process/processes.ts';
import type { CopyingSandbox } from '../sandbox/open-sandbox.ts';
import type { SandboxOutcome } from '../sandbox/sandbox-processes.ts';
import type { HiddenPlace } from '../sandbox/workspace-mounts.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { applyChanges, holdChanges, type OpenChanges, type TransactionParts } from './apply-changes.ts';
import type { OverlayCommand } from './copy-plan.ts';
import { runOnOverlay, withClonesByCopy } from './run-on-overlay.ts';
import { joinRepository } from './linked-repository.ts';
import { makeHiddenLayer } from './hidden-layer.ts';
import { opaqueMarks, setExactTimes } from './exact-attributes.ts';
import type { KeptOutputs } from './output-layer.ts';
import { judgedAgain, readArea, readEnded, type readJudged } from './read-area.ts';
import type { ReadChanges } from './planned-entry.ts';
import { showChanges } from './show-changes.ts';
import type { AppliedChanges, ApplyOptions, Transaction } from './transaction.ts';
import { makeArea, OUTPUTS, type TransactionArea } from './transaction-area.ts';

/**
 * Runs a command on a copy-on-write view of the workspace and reads what it changed.
 *
 * @param mode `try` for a dry run, which leaves no trace
 * @throws SynapseError `unavailable` if overlays do not work; the command was not run
 */
export async function openTransaction(
  parts: TransactionParts,
  sandbox: CopyingSandbox,
  request: ProcessRequest,
  mode: 'copy' | 'try' = 'copy',
): Promise<Transaction> {
  const { areas, confinement, repository, attributes } = parts;
  const command = parts.redact(request.argv.at(-1) ?? '');
  const area = makeArea(areas, confinement.root, mode === 'copy' ? command : undefined, repository);
  let ran: OverlayCommand;
  let seen: readonly string[] = [];
  try {
    if (existsSync(join(areas, OUTPUTS))) seen = await showOutputs(area, parts);

    // In parallel with the command, because most commands on a copy change something.
    attributes.start();
    const hide = async (places: readonly HiddenPlace[]): Promise<boolean> =>
      await makeHiddenLayer({ layer: area.hidden, confinement, attributes, signal: request.signal }, places);
    ran = await runOnOverlay(sandbox, withClonesByCopy(request), {
      area,
      root: confinement.root,
      repository,
      mode,
      hide,
      keep: mayCommit(request.argv.at(-1) ?? '') ? async () => await keepHead(area, parts, request.signal) : undefined,
      attributes,
    });
  } catch (error) {
    await area.remove();
    throw error;
  }
  const { outcome, startedAt, rootChanged } = ran;
  const mixed = repository === undefined ? undefined : joinRepository(area);
  // Most commands change nothing, and a dry run leaves the journal alone.
  const judgedAt = mode === 'copy' && readdirSync(area.upper).length > 0 ? newestOf(parts) : undefined;
  const judge: Judging['judge'] = async (named) => {
    const reading: typeof readJudged = async (...given) => await readArea(...given, command, named);
    const read = await readEnded(parts, area, outcome, rootChanged, reading);
    const touched = [...read.changes, ...read.touched].map(({ location }) => displayPath(location));
    const seenOutputs = seen.filter(
      (folder) => touched.some((path) => path === folder || path.startsWith(`${folder}/`)) || isDeletedIn(area, folder),
    );
    return { ...read, seenOutputs, unjudged: read.unjudged ?? mixed };
  };
  const open = { area, read: await judge(), startedAt, command };
  return new CommandTransaction(parts, open, outcome, { judge, judgedAt });
}

/** Lets a command see HEAD and the index as they are now. */
async function keepHead({ pinned }: TransactionArea, { confinement, attributes }: TransactionParts, signal: AbortSignal): Promise<void> {
  const folders = writeHead(confinement.root, pinned);
  if (folders === undefined) return;
  using layer = new HandleConfinement(pinned);
  using folder = layer.openDirectory([]);
  // Otherwise a folder that the command does not change would have another time.
  await setExactTimes(attributes, folder, folders, signal);
}

/** Lets a command see the build output of earlier ones; returns its folders. */
async function showOutputs(area: TransactionArea, { areas, confinement, alone }: TransactionParts): Promise<readonly string[]> {
  const { currentOutputs } = await import('./output-state.ts');
  const layer = await alone(async () => await currentOutputs(areas, confinement));
  if (layer !== undefined) symlinkSync(layer.upper, area.outputs);
  return layer?.folders ?? [];
}

/** Whether a command deleted a folder of build output. If only the earlier output has it, that is no change of the workspace. */
function isDeletedIn({ upper }: TransactionArea, folder: string): boolean {
  try {
    return lstatSync(join(upper, folder)).isCharacterDevice();
  } catch {
    // It did not touch it, or what is above it.
    return false;
  }
}

/** The newest change of the journal; undefined if that cannot be read. What a command did must not be lost for that. */
function newestOf({ journal }: TransactionParts): number | undefined {
  try {
    return journal.database.newest();
  } catch {
    // For example, the disk is full.
    return undefined;
  }
}

/** Maximum bytes kept for the undo of a command. */
const undoBudget = ({ journal, areas }: TransactionParts): number => journal.limits.wholeBytes ?? shareOfDisk(areas);

/** How to judge changes again, and after which change of the workspace they were judged. */
interface Judging {
  /** @param named what git checked out and a person approved by name. Default: all, for the first look */
  readonly judge: (named?: ReadChanges['checkedOut']) => Promise<ReadChanges>;
  readonly judgedAt: number | undefined;
}

class CommandTransaction implements Transaction {
  readonly outcome: SandboxOutcome;
  readonly #parts: TransactionParts;
  readonly #judging: Judging;
  #open: OpenChanges;
  #state: 'open' | 'applied' | 'held' = 'open';

  constructor(parts: TransactionParts, open: OpenChanges, outcome: SandboxOutcome, judging: Judging) {
    this.#parts = parts;
    this.#open = open;
    this.#judging = judging;
    this.outcome = outcome;
  }

  get changes(): ReadChanges {
    return this.#open.read;
  }

  get irreversible(): readonly TooLargeToUndo[] {
    const { bytes, path } = this.changes.removed;
    // Most commands delete nothing, so the disk need not be read.
    const limit = bytes === 0 ? 0 : undoBudget(this.#parts);
    return bytes > limit ? [{ path, bytes, limit }] : [];
  }

  async keepOutputs(folders: readonly string[]): Promise<KeptOutputs> {
    const { keepOutputs } = await import('./output-layer.ts');
    const { alone, attributes } = this.#parts;
    const kept = await alone(async () => await keepOutputs({ ...this.#parts, marks: opaqueMarks(attributes) }, this.#open, folders));
    this.#open = { ...this.#open, read: withoutFolders(this.changes, folders) };
    return kept;
  }

  async show(signal: AbortSignal): Promise<ShownEffect> {
    return await showChanges(this.#parts, this.#open, signal);
  }

  async apply(options: ApplyOptions = {}): Promise<AppliedChanges> {
    const { alone } = this.#parts;
    const { judge, judgedAt } = this.#judging;
    if (this.changes.seenOutputs.length > 0) await this.keepOutputs(this.changes.seenOutputs);
    const applied = await alone(async () => {
      // Two changes that are harmless alone can be dangerous together, such as the parts of a repository.
      const { checkedOut } = this.changes;
      const named = options.approved === true ? checkedOut : [];
      if (named.length < checkedOut.length || judgedAt === undefined || newestOf(this.#parts) !== judgedAt) {
        const { ReplacedEntries } = await import('./replaced-entries.ts');
        const replaced = ReplacedEntries.of(this.changes.changes);
        this.#open = { ...this.#open, replaced, read: judgedAgain(this.changes, await judge(named)) };
      }
      return await applyChanges(this.#parts, this.#open, options);
    });
    this.#state = 'applied';
    return applied;
  }

  async hold(why: string): Promise<string> {
    // Even if holding them fails: the copy contains the only version of the changes.
    this.#state = 'held';
    return await holdChanges(this.#open, why);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#state !== 'open') return;
    try {
      await this.#open.area.remove();
    } catch {
      // Nothing reached the workspace. The cleanup after this process removes the rest.
    }
  }
}

/** The changes outside folders. What their folders show of them, their times, is left out too. */
function withoutFolders(read: ReadChanges, folders: readonly string[]): ReadChanges {
  const isIn = (path: string): boolean => folders.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const changes = read.changes.filter(({ path }) => !isIn(path));
  const above = new Set(folders.map((folder) => displayPath(folder.split('/').slice(0, -1))));
  const touched = read.touched.filter(({ location }) => !isIn(displayPath(location)) && !above.has(displayPath(location)));
  const added = changes.filter(({ now }) => now !== undefined);
  // What the changes of the folders would have replaced stays.
  const taken = changes.map(({ path, kind, before, bytes }) => ({
    path,
    bytes: kind === 'deleted' || before?.isDirectory() === true ? bytes : Number(before?.size ?? 0n),
  }));
  const largest = taken.reduce((most, one) => (one.bytes > most.bytes ? one : most), { path: '.', bytes: 0 });
  return {
    ...read,
    changes,
    touched,
    seenOutputs: read.seenOutputs.filter((folder) => !folders.includes(folder)),
    files: added.reduce((sum, change) => sum + change.files, 0),
    bytes: added.reduce((sum, change) => sum + change.bytes, 0),
    removed: { path: largest.path, bytes: taken.reduce((sum, one) => sum + one.bytes, 0) },
  };
}
