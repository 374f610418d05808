import { SynapseError } from '@synapse/protocol';
import { type Danger, DangerJudge } from '../../danger/danger-judge.ts';
import { leadsByMove } from '../../danger/execution-targets.ts';
import { protectedPlace } from '../../danger/protected-places.ts';
import { type ChangedEntry, changedView, type EntryType, join, movedView, nameOf, parentOf, type TreeView } from '../../danger/tree-view.ts';
import type { PlaceGuards } from '../place-guards.ts';
import { displayPath, nameFromBytes } from '../byte-name.ts';
import type { FileChange } from './change.ts';
import { ConfinedView } from '../confined-view.ts';
import type { Confinement } from '../confinement.ts';
import type { NamedElsewhere } from '../named-elsewhere.ts';
import type { WorkspacePath } from '../workspace-path.ts';
import { bytePath } from '../workspace-path.ts';
import { type Image, loadPath, type Step } from './step.ts';

/** Maximum number of entries in a moved folder. Each is judged under both names. */
const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 512;

const locationOf = (path: string): WorkspacePath => path.split('/').map((name) => nameFromBytes(Buffer.from(name, 'latin1')));
const shown = (path: string): string => displayPath(locationOf(path));

/** What is needed to judge changes of a workspace. */
export interface ChangeJudgement {
  readonly guards: Pick<PlaceGuards, 'opens' | 'approved' | 'moves' | 'hides'>;
  readonly confinement: Confinement;
  readonly elsewhere: NamedElsewhere;
  readonly signal: AbortSignal;
  /** Whether commands are running, which would see hidden files under new names. Default: false. */
  readonly areRunning?: boolean;
}

/** Runs work with a view of the current workspace. */
function withView({ confinement }: ChangeJudgement, work: (view: TreeView) => void): void {
  using root = confinement.openDirectory([]);
  using view = new ConfinedView(root);
  work(view);
}

/** Rejects changes to files that another program would execute or obey. */
export function judgeChanges(judgement: ChangeJudgement, changes: readonly FileChange[]): void {
  const entries = changes.map((change): [string, ChangedEntry | null] => {
    const path = bytePath(change.target.location);
    if (change.kind === 'delete') return [path, null];
    const { bytes } = change;
    return [path, { type: 'file', bytes: (maxBytes) => (bytes.length > maxBytes ? undefined : Buffer.from(bytes)) }];
  });
  withView(judgement, (view) => void judgeEntries(view, new Map(entries), judgement));
}

/** Rejects a new folder that completes something that another program obeys. */
export function judgeFolder(judgement: ChangeJudgement, location: WorkspacePath): void {
  withView(judgement, (view) => void judgeEntries(view, new Map([[bytePath(location), { type: 'folder' }]]), judgement));
}

/** Rejects a deletion after which something else could take the place of what another program executes. */
export function judgeDeletion(judgement: ChangeJudgement, location: WorkspacePath): void {
  withView(judgement, (view) => void judgeEntries(view, new Map([[bytePath(location), null]]), judgement));
}

/** Rejects a move that changes the meaning of an entry for rules or other programs. */
export function judgeMove(judgement: ChangeJudgement, from: WorkspacePath, to: WorkspacePath): void {
  withView(judgement, (view) => void judgeMoved(view, bytePath(from), bytePath(to), judgement));
}

/** The file tools cannot ask for approval in the middle of a change, so the user must allow such changes beforehand. */
function refuse(path: string, { reason, detail }: Danger): never {
  const repositories = reason === 'git-repository' || reason === 'git-pointer' ? ' Repositories are made by git init and git clone.' : '';
  throw new SynapseError('approval_required', `Nothing was changed: other programs would execute or obey ${shown(path)} (${detail}).`, {
    hint: `A person can allow it: --allow write,protected or allow: ["write", "protected"] (library).${repositories}`,
    details: { reason },
  });
}

function isRefused(path: string, danger: Danger | undefined, guards: ChangeJudgement['guards']): danger is Danger {
  if (danger?.verdict !== 'quarantine') return false;
  // Places that are protected by name were judged by the rules before the call began.
  if (danger.reason === 'protected' && protectedPlace(locationOf(path)) !== undefined) return false;
  return !isOpened(path, guards, danger.detail);
}

/** Whether a person permitted changes of files that other programs execute. */
const isOpened = (path: string, guards: ChangeJudgement['guards'], reason: string): boolean =>
  guards.opens([...locationOf(path).slice(0, -1), '.git', nameFromBytes(Buffer.from(nameOf(path), 'latin1'))]) ||
  guards.approved(locationOf(path), false, reason);

/** Rejects a change if it is unknown what other programs take from its place. */
function assertKnown(path: string, { guards, elsewhere: { problem } }: ChangeJudgement): void {
  if (problem === undefined || isOpened(path, guards, problem)) return;
  throw new SynapseError('too_large', `${shown(path)} was not changed, as another program may take its orders from there: ${problem}.`, {
    hint: 'Make it readable (chmod u+rwx), or delete it. A person can allow it: --allow write,protected or allow: ["write", "protected"] (library).',
  });
}

/** Rejects changes of single entries that would make another program execute or obey something. */
function judgeEntries(view: TreeView, changes: ReadonlyMap<string, ChangedEntry | null>, judgement: ChangeJudgement): TreeView {
  const { guards, confinement, elsewhere } = judgement;
  const withFolders = new Map(changes);
  for (const [path, entry] of changes) {
    if (entry === null) continue;
    for (let folder = parentOf(path); folder !== '' && view.type(folder) === undefined; folder = parentOf(folder))
      withFolders.set(folder, { type: 'folder' });
  }
  const after = changedView(view, withFolders);
  const differs = (path: string): boolean => withFolders.has(path);
  const { places, ofRoot, hadFolder } = elsewhere;
  const judge = new DangerJudge({ before: view, after, rootPath: confinement.root, elsewhere: places, ofRoot, differs, hadFolder });
  for (const [path, entry] of withFolders) {
    if (entry !== null) assertKnown(path, judgement);
    const danger = judge.judge(path);
    if (isRefused(path, danger, guards)) refuse(path, danger);
  }
  return after;
}

/** Returns the paths of everything in a folder, relative to it. */
function contentsOf(view: TreeView, folder: string, signal: AbortSignal): string[] {
  const found: string[] = [];
  const queue = [''];
  for (let below = queue.pop(); below !== undefined; below = queue.pop()) {
    signal.throwIfAborted();
    const here = below === '' ? folder : join(folder, below);
    const names = view.names(here);
    if (names === undefined || below.split('/').length > MAX_DEPTH) throw unjudged(folder, `${shown(here)} cannot be looked into, or lies too deep`);
    for (const name of names) {
      const path = join(below, name);
      found.push(path);
      if (view.type(join(folder, path)) === 'folder') queue.push(path);
    }
    if (found.length > MAX_ENTRIES) throw unjudged(folder, `it holds more than ${MAX_ENTRIES} entries`);
  }
  return found;
}

function seenByCommands(path: string, to: string): SynapseError {
  const problem = 'is hidden from commands, and one that runs now would see it there';
  return new SynapseError('conflict', `${shown(path)} would go along to ${shown(to)}. It ${problem}.`, {
    hint: 'Nothing was moved. Wait until the running commands and jobs have ended, or stop them.',
    details: { path: shown(path), problem },
    retryable: true,
  });
}

function unjudged(folder: string, why: string): SynapseError {
  return new SynapseError('too_large', `${shown(folder)} was not moved, as not all in it could be judged: ${why}.`, {
    hint: 'Move its parts one by one.',
  });
}

/** Whether an entry would come along into a place that is protected, and not opened. */
const isClosedPlace = (path: string, danger: Danger | undefined, guards: ChangeJudgement['guards']): danger is Danger =>
  danger?.verdict === 'quarantine' && danger.reason === 'protected' && !isOpened(path, guards, danger.detail);

/** Rejects a move by which an existing place that another program obeys leads elsewhere. */
function refuseLead(move: Parameters<typeof leadsByMove>[0], guards: ChangeJudgement['guards']): void {
  const lead = leadsByMove(move);
  if (lead === undefined) return;
  const detail = `${lead.setting} would name ${shown(lead.path)} then`;
  if (!isOpened(move.to, guards, detail)) refuse(move.to, { verdict: 'quarantine', reason: 'named-by-git', detail });
}

const placeIn = (folder: string, below: string): string => (below === '' ? folder : join(folder, below));

/**
 * Rejects a move if rules or other programs would treat the entry, or anything in it, differently under its new
 * name.
 *
 * @returns the tree after the move
 */
function judgeMoved(view: TreeView, from: string, to: string, judgement: ChangeJudgement): TreeView {
  const { guards, confinement, elsewhere, signal, areRunning = false } = judgement;
  const rootPath = confinement.root;
  assertKnown(to, judgement);
  const after = movedView(view, from, to);
  const inside = view.type(from) === 'folder' ? contentsOf(view, from, signal) : [];
  const nowhere = changedView(view, new Map([[from, null]]));
  // The meaning of each entry at its old place, as if it had just been created there: a repository may move unchanged.
  const there = new DangerJudge({ before: nowhere, after: view, rootPath, elsewhere: [] });
  const { places, ofRoot, hadFolder } = elsewhere;
  const isMade = (path: string): boolean => to.startsWith(`${path}/`) && view.type(path) === undefined;
  const differs = (path: string): boolean => path === from || path === to || isMade(path);
  const then = new DangerJudge({ before: view, after, rootPath, elsewhere: places, ofRoot, differs, hadFolder });
  const taken = then.judge(from);
  if (taken?.reason === 'named-by-git' && !isOpened(from, guards, taken.detail)) refuse(from, taken);
  const judgeByRules = guards.moves(locationOf(from), locationOf(to));
  for (const below of ['', ...inside]) {
    const [source, place] = [placeIn(from, below), placeIn(to, below)];
    if (below !== '') judgeByRules(locationOf(below));
    if (areRunning && guards.hides(locationOf(place))) throw seenByCommands(source, place);
    const danger = then.judge(place);
    if (isRefused(place, danger, guards) && there.judge(source)?.reason !== danger.reason) refuse(place, danger);
    // The rules judged the name of the folder, and not the files that come along into the place of another one.
    if (below !== '' && isClosedPlace(place, danger, guards)) refuse(place, danger);
  }
  refuseLead({ before: view, after, rootPath, from, to, inside }, guards);
  return after;
}

const TYPES: Readonly<Record<Image['type'], EntryType>> = { file: 'file', folder: 'folder', link: 'link', other: 'other' };

/** Returns the content of the file that a step puts in place; undefined if it is not known. */
type BytesAfter = (step: Step, maxBytes: number) => Buffer | undefined;

function entryAfter(step: Extract<Step, { kind: 'set' }>, bytesAfter: BytesAfter): ChangedEntry | null {
  return step.after === null ? null : { type: TYPES[step.after.type], bytes: (maxBytes) => bytesAfter(step, maxBytes) };
}

/** Judges steps in order, each on the tree that results from the previous ones. A file whose content is not known counts as unreadable. */
export function judgeSteps(judgement: ChangeJudgement, steps: readonly Step[], bytesAfter: BytesAfter): void {
  withView(judgement, (view) => {
    let tree = view;
    let entries = new Map<string, ChangedEntry | null>();
    // What is known of the root is true for the first step only.
    const current = (): ChangeJudgement => (tree === view ? judgement : { ...judgement, elsewhere: { ...judgement.elsewhere, ofRoot: undefined } });
    const judgeSets = (): void => {
      if (entries.size > 0) tree = judgeEntries(tree, entries, current());
      entries = new Map();
    };
    for (const step of steps) {
      if (step.kind === 'set') entries.set(bytePath(loadPath(step.path)), entryAfter(step, bytesAfter));
      else {
        judgeSets();
        tree = judgeMoved(tree, bytePath(loadPath(step.from)), bytePath(loadPath(step.to)), current());
      }
    }
    judgeSets();
  });
}
