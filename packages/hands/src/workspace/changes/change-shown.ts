import { setTimeout as delay } from 'node:timers/promises';
import { SynapseError } from '@synapse/protocol';
import { displayPath } from '../byte-name.ts';
import type { Confinement } from '../confinement.ts';
import type { FileBuffers } from '../file-buffers.ts';
import { openRegular } from '../open-file.ts';
import { editorPath, isSameText, MAX_SHOWN_BYTES, type ShownText } from '../shown-text.ts';
import { resolveTarget, type Target } from '../target.ts';
import type { WorkspacePath } from '../workspace-path.ts';
import type { ChangeJournal, MadeChange } from './capture.ts';
import { applyChanges, type FileChange } from './change.ts';
import { planChanges } from './plan-steps.ts';

/** How long the disk may take to show what an editor saved, in milliseconds. Some answer before they have saved. */
const SAVED_MS = 500;
const LOOK_MS = 20;

interface ShownChange {
  readonly changes: readonly FileChange[];
  readonly shown: ReadonlyMap<Target, ShownText>;
  readonly buffers: FileBuffers;
  readonly journal: ChangeJournal & Required<Pick<ChangeJournal, 'recordMade'>>;
  readonly holdCommands: (() => Disposable & { readonly areRunning: boolean }) | undefined;
  readonly confinement: Confinement;
  readonly signal: AbortSignal;
  readonly onNote: (note: string) => void;
}

const refusal = (location: WorkspacePath, why: string, hint: string): SynapseError =>
  new SynapseError('conflict', `${displayPath(location)} has unsaved changes in the editor, and ${why}; the edit was not made.`, {
    hint,
    retryable: true,
  });

/** The content on disk now; undefined if there is no such file any more, or it is too large. */
async function onDisk(confinement: Confinement, location: WorkspacePath): Promise<Buffer | undefined> {
  using target = resolveTarget(confinement, location, { followLink: false });
  if (target.stat?.isFile() !== true || target.stat.size > BigInt(4 * MAX_SHOWN_BYTES)) return undefined;
  using entry = confinement.openEntry(location);
  using file = openRegular(entry);
  return await file.read(0, file.size);
}

/** The content on disk, as soon as it is what an editor saved, or the time is up. */
async function onceSaved(confinement: Confinement, location: WorkspacePath, bytes: Buffer, waitMs: number): Promise<Buffer | undefined> {
  const until = performance.now() + waitMs;
  let now = await onDisk(confinement, location);
  while ((now === undefined || !isSameText(now, bytes)) && performance.now() < until) {
    await delay(LOOK_MS);
    now = await onDisk(confinement, location);
  }
  return now;
}

/** Has the editor write a file, and reports what is on disk then, also if the editor failed. Returns that content. */
async function writeByEditor(
  { buffers, confinement, signal }: ShownChange,
  { location }: Target,
  bytes: Buffer,
  onMade: (change: MadeChange) => void,
): Promise<Buffer> {
  const path = editorPath(confinement.root, location);
  if (path === undefined || buffers.write === undefined)
    throw refusal(location, 'the editor does not let its text be changed', 'Ask the person to save the file, then repeat the call.');
  const before = await onDisk(confinement, location);
  let failure: unknown;
  try {
    await buffers.write(path, bytes.toString('utf8').replace('\uFEFF', ''), signal);
  } catch (error) {
    failure = error;
  }
  const now = await onceSaved(confinement, location, bytes, failure === undefined ? SAVED_MS : 0);
  const isSaved = now !== undefined && isSameText(now, bytes);
  const isChanged = now !== undefined && before?.equals(now) !== true;
  if (isChanged || isSaved) onMade({ location, bytes: now });
  if (isSaved) return now;
  signal.throwIfAborted();
  if (failure !== undefined) {
    const what = isChanged ? 'changed the file in another way, then failed' : 'did not save it';
    throw new SynapseError('unavailable', `The edit of ${displayPath(location)} was given to the editor, which ${what}: ${messageOf(failure)}`, {
      hint: 'Ask the person to save the file in the editor, then read it again.',
      retryable: true,
      cause: failure,
    });
  }
  if (!isChanged) throw refusal(location, 'the editor did not save its text', 'Ask the person to save the file, then repeat the call.');
  return now;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 200);

/** A change of each file to the text that the editor shows already. */
function savesOf({ changes, shown }: ShownChange): FileChange[] {
  return changes.flatMap(({ kind, target }) => {
    const bytes = shown.get(target)?.bytes;
    return kind === 'write' && bytes !== undefined ? [{ kind, target, bytes }] : [];
  });
}

/** Has the editor make some changes, then makes the others. */
async function make(parts: ShownChange, changes: readonly FileChange[], isShown: (target: Target) => boolean, apart: boolean): Promise<void> {
  const { journal, onNote } = parts;
  await journal.recordMade(
    (capture) => planChanges(changes, capture),
    async (onMade) => {
      const own: FileChange[] = [];
      for (const change of changes) {
        if (change.kind !== 'write' || !isShown(change.target)) own.push(change);
        else {
          const wanted = Buffer.from(change.bytes);
          const written = await writeByEditor(parts, change.target, wanted, onMade);
          if (!apart && !isSameText(written, wanted))
            onNote(`The editor saved ${displayPath(change.target.location)} with changes of its own, such as a format; read it again.`);
        }
      }
      if (own.length > 0) applyChanges(own);
    },
    { apart },
  );
}

/** Rejects a change if an editor shows other texts than those that it was made from. */
async function assertStillShown({ shown, buffers, confinement, signal }: ShownChange, saves: readonly FileChange[]): Promise<void> {
  for (const { target } of saves) {
    const path = editorPath(confinement.root, target.location) ?? '';
    const now = await buffers.read(path, signal);
    if (typeof now === 'string' || now.text !== shown.get(target)?.given)
      throw refusal(target.location, 'they changed while the edit was made', 'Read it again and repeat the change.');
  }
}

/**
 * Changes files of which an editor shows unsaved texts. The editor saves its texts first, as a change of its own: the journal then has what
 * was on disk, and an undo of the call leaves what the person had typed. Then it makes the change, so that it can undo it, too.
 *
 * An editor opens files by path, and follows links. So no command may run meanwhile, which could put a link there.
 *
 * @throws SynapseError `conflict` if the editor cannot be given the change, or its text changed; `unavailable` if it fails
 */
export async function changeShown(parts: ShownChange): Promise<void> {
  const { changes, shown, confinement, holdCommands } = parts;
  const saves = savesOf(parts);
  const [first] = saves;
  if (first === undefined) return;
  using held = holdCommands?.();
  if (held?.areRunning === true)
    throw refusal(first.target.location, 'a command runs that could exchange the file', 'Ask the person to save the file, or wait for the command.');
  await assertStillShown(parts, saves);
  // Each is a change of its own: what the person typed stays saved if the next file cannot be saved, or Synapse is killed.
  for (const save of saves) await make(parts, [save], () => true, true);
  using resources = new DisposableStack();
  const edited = new Set<Target>();
  const fresh: FileChange[] = [];
  for (const change of changes) {
    const bytes = shown.get(change.target)?.bytes;
    if (bytes === undefined || change.kind !== 'write') fresh.push(change);
    else {
      const { location } = change.target;
      const saved = await onDisk(confinement, location);
      if (saved === undefined || !isSameText(saved, bytes))
        throw refusal(location, 'the editor saved them in another form, such as a format', 'Read it again and repeat the change.');
      const target = resources.use(resolveTarget(confinement, location, { followLink: false }));
      edited.add(target);
      fresh.push({ ...change, target });
    }
  }
  await make(parts, fresh, (target) => edited.has(target), false);
}
