import { lstatSync } from 'node:fs';
import { isSynapseError } from '@synapse/protocol';
import { changedView, type ChangedEntry } from '../danger/changed-view.ts';
import { DangerJudge } from '../danger/danger-judge.ts';
import { Capture, type JournalLimits } from '../journal/capture.ts';
import { planTreeDeletion } from '../journal/plan-steps.ts';
import { loadPath, placesOf, storeName, storePath, type Image, type Step } from '../journal/step.ts';
import type { PlaceGuards } from '../policy/call-guards.ts';
import type { OverlayRun } from '../sandbox/overlay.ts';
import type { OverlayChange } from '../sandbox/overlay-changes.ts';
import { size } from '../text/amounts.ts';
import { displayName, displayPath, nameFromBytes } from '../workspace/byte-name.ts';
import { bytePath } from '../workspace/byte-path.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { resolveTarget, type Target } from '../workspace/target.ts';
import type { WorkspacePath } from '../workspace/workspace-path.ts';
import type { Effect, OmittedChange } from './effect.ts';
import { leadsInside } from './leads-inside.ts';
import type { RehearsedContents } from './rehearsed-contents.ts';
import { withOpenFolders } from './open-folders.ts';

/** A program must not gain powers by a copy: what a file gets is what the file tools would give it. */
const FILE_MODE = 0o777;
/** Of a folder the bits that hand on its group, or protect what is in it, are no powers. */
const FOLDER_MODE = 0o3777;
const SET_ID = 0o6000;

/** What a difference is turned into steps with. */
export interface OverlaySources {
  readonly run: Pick<OverlayRun, 'difference' | 'rootChanged' | 'startedAt'>;
  /** The workspace. */
  readonly lower: Confinement;
  readonly guards: Pick<PlaceGuards, 'effect' | 'sweep'>;
  readonly contents: RehearsedContents;
  readonly limits: JournalLimits;
  readonly signal: AbortSignal;
}

/** What stands in the way of a change being made at all. */
class Omission extends Error {}

/** Turns what a command did on a copy into the steps that do exactly that in the workspace. */
export function overlayEffect({ run, lower, guards, contents, limits, signal }: OverlaySources): Effect {
  const { difference, rootChanged, startedAt } = run;
  const capture = new Capture(contents, limits);
  using lowerRoot = lower.openDirectory([]);
  using before = new ConfinedView(lowerRoot);
  const changed = new Map(difference.changes.map((change) => [bytePath(change.location), entryOf(change)]));
  const danger = new DangerJudge({ before, after: changedView(before, changed), rootPath: lower.root });
  const steps: Step[] = [];
  const omitted: OmittedChange[] = [];
  const cautions: string[] = rootChanged ? ['the permissions of the workspace itself stay as they are'] : [];
  const left = new Set<string>();
  const replaced = new Set<string>();
  let bytes = 0;
  let blocked: string | undefined = difference.complete
    ? undefined
    : 'not all that it did could be read: it was ended, did too much, or closed a folder';
  const block = (reason: string): void => void (blocked ??= reason);

  const assertSettled = (target: Target): void => {
    // Where a name is new, its folder tells whether another took one away or made one there.
    const stat = target.stat ?? lstatSync(target.ancestor.self, { bigint: true });
    if (stat.ctimeNs >= startedAt)
      block(`${displayPath(target.stat === undefined ? target.ancestor.location : target.location)} was changed by something else while it ran`);
  };
  const deletion = (target: Target): Step[] => {
    if (target.stat?.isDirectory() !== true) return [set(target.location, capture.image(target.ancestor, target.name), null)];
    using directory = target.ancestor.child(target.name);
    const deleted = planTreeDeletion(target, directory, true, capture, signal);
    for (const place of deleted.flatMap(placesOf)) {
      judge(() => guards.sweep(place));
      using below = resolveTarget(lower, place, { followLink: false });
      assertSettled(below);
    }
    return deleted;
  };
  const future = (change: OverlayChange): Image => {
    const { type, mode = 0, path } = change;
    if (type === 'directory') return { type: 'folder', mode: mode & FOLDER_MODE };
    if (type === 'link') {
      const target = nameFromBytes(change.target ?? Buffer.alloc(0));
      if (!leadsInside(change.location, target, lower.root)) throw new Omission(`a link that leads out of the workspace, to ${displayName(target)}`);
      return { type: 'link', target: storeName(target) };
    }
    if (type === 'other' || change.read === undefined) throw new Omission('a pipe, a socket or a device');
    if ((mode & SET_ID) !== 0) cautions.push(`${path} does not get the rights of its owner (set-id bits)`);
    if ((change.links ?? 1) > 1) cautions.push(`${path} is one of several names of a file; here it becomes a file of its own`);
    bytes += change.size;
    if (change.size > limits.fileBytes || bytes > limits.changeBytes) {
      block(`${path} (${size(change.size)}) is more than can be kept`);
      return { type: 'file', sha256: '', size: change.size, mode: mode & FILE_MODE, kept: false };
    }
    const { sum, size: read } = contents.refer(change.read);
    return { type: 'file', sha256: sum, size: read, mode: mode & FILE_MODE, kept: false };
  };
  const stepsOf = (change: OverlayChange): Step[] => {
    const { location, kind } = change;
    judge(() => guards.effect(location));
    const found = danger.judge(bytePath(location));
    // What is protected by its name was judged by the rules just now.
    if (found?.verdict === 'quarantine' && found.reason !== 'protected') throw new Omission(`git would obey it: ${found.detail}`);
    if (found?.reason === 'instructions') cautions.push(`${change.path} is ${found.detail}`);
    // Below what is a file until it is replaced, nothing can be looked for.
    if (ancestors(location).some((folder) => replaced.has(folder))) return [set(location, null, future(change))];
    using target = resolveTarget(lower, location, { followLink: false });
    assertSettled(target);
    if (kind === 'deleted') return deletion(target);
    const after = future(change);
    const before = target.stat === undefined ? null : capture.image(target.ancestor, target.name);
    // Only what is empty can give way to something else in one step.
    if (before?.type === 'folder' && after.type !== 'folder') return [...deletion(target), set(location, null, after)];
    if (before !== null && before.type !== 'folder' && after.type === 'folder') replaced.add(displayPath(location));
    return [set(location, before, after)];
  };
  for (const change of difference.changes) {
    signal.throwIfAborted();
    try {
      if (ancestors(change.location).some((folder) => left.has(folder))) throw new Omission('the folder that it is in is left out');
      steps.push(...stepsOf(change));
    } catch (error) {
      if (!(error instanceof Omission)) throw error;
      left.add(displayPath(change.location));
      omitted.push({ path: change.path, reason: error.message });
    }
  }
  if (steps.length > limits.changeSteps) block(`${steps.length} changes are more than can be kept`);
  for (const { path, bytes: lost } of capture.tooLarge) block(`${path} (${size(lost)}) is more than can be kept`);
  const folderAt = (path: Parameters<typeof loadPath>[0]): Image | null => {
    using target = resolveTarget(lower, loadPath(path), { followLink: false });
    return target.stat === undefined ? null : capture.image(target.ancestor, target.name);
  };
  // Where it cannot be done, what stands there need not be as it was.
  const ordered = blocked === undefined ? withOpenFolders(steps, folderAt) : steps;
  return { steps: ordered, omitted, cautions, tooLarge: capture.tooLarge, blocked };
}

const VIEW_TYPES = { file: 'file', directory: 'folder', link: 'link', other: 'other' } as const;

/** A change as the detector sees it. */
function entryOf({ kind, type, size: bytes, read }: OverlayChange): ChangedEntry | null {
  if (kind === 'deleted') return null;
  return { type: VIEW_TYPES[type], text: (maxBytes) => (read === undefined || bytes > maxBytes ? undefined : read().toString()) };
}

function set(location: WorkspacePath, before: Image | null, after: Image | null): Step {
  return { kind: 'set', path: storePath(location), before, after };
}

function judge(guard: () => void): void {
  try {
    guard();
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    const why = error.details?.['why'];
    throw new Omission(typeof why === 'string' ? why : error.message.replace(/\.$/u, ''));
  }
}

function ancestors(location: WorkspacePath): string[] {
  return location.slice(1).map((_, index) => displayPath(location.slice(0, index + 1)));
}
