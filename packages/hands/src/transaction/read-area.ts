import { mayAddSteps } from '../policy/adds-steps.ts';
import { existsSync, lstatSync } from 'node:fs';
import { DangerJudge } from '../danger/danger-judge.ts';
import { looksLikeRepository } from '../danger/executable-git-config.ts';
import { until } from '../events/timing.ts';
import type { Processes } from '../process/processes.ts';
import type { SandboxOutcome } from '../sandbox/sandbox-processes.ts';
import type { LinkedWorktree } from '../sandbox/view/outside-repository.ts';
import { displayText, type Name } from '../workspace/byte-name.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { ElsewhereSource } from '../workspace/named-elsewhere.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import { isOpaque } from './exact-attributes.ts';
import { isPackIndexTrue } from './check-pack.ts';
import { closeFolders } from './closed-folders.ts';
import { HiddenPlaces } from './hidden-layer.ts';
import { mayBeBrought } from './change-judges.ts';
import { judgeRepository, ownOfWorktree } from './linked-repository.ts';
import { MergedView, OverlayView } from './overlay-view.ts';
import { takeAlongHidden, type MovedHidden } from './moved-hidden.ts';
import type { ReadChanges } from './planned-entry.ts';
import { readChanges } from './read-changes.ts';
import type { TransactionArea } from './transaction-area.ts';

/** Deadline for reading the changes of a cancelled command, in milliseconds. */
const ENDED_MS = 10_000;
const NOTHING_READ: ReadChanges = {
  changes: [],
  withheld: [],
  checkedOut: [],
  hasCopies: false,
  movesHidden: false,
  seenOutputs: [],
  touched: [],
  cautions: [],
  unjudged: undefined,
  files: 0,
  bytes: 0,
  fingerprint: '',
  removed: { bytes: 0, path: '.' },
};

const NONE_MOVED: MovedHidden = { pinned: new Map(), relocated: new Set() };

/** Maximum number of files from git that a question names. */
const MAX_CHECKED_OUT = 100;
const TOO_MANY_CHECKED_OUT = `git brings more than ${MAX_CHECKED_OUT} files that other programs execute or obey, which is too many to ask about; a person runs the command in a terminal`;

/** What reading an area requires. */
export interface AreaParts {
  /** The workspace, with its repository if that is {@link linked}. */
  readonly confinement: Confinement;
  /** The repository outside the workspace that commands may change; undefined if there is none. */
  readonly linked: LinkedWorktree | undefined;
  /** Reads recreated folders; executes nothing from the workspace. */
  readonly processes: Processes;
  /** Reads and changes attributes of entries. */
  readonly attributes: AttributeWorker;
  readonly guards: Pick<PlaceGuards, 'denied' | 'moves' | 'opens' | 'approved' | 'read'>;
  readonly elsewhere: ElsewhereSource;
  readonly signal: AbortSignal;
}

/**
 * Reads the changes in an area and judges each one. What git checked out is among the changes, and must not be applied unless a person approves it.
 *
 * @param named what a person saw by name, if it was asked about; all else that git checked out is withheld
 */
export async function readArea(given: AreaParts, area: TransactionArea, command: string, named?: ReadChanges['checkedOut']): Promise<ReadChanges> {
  const { parts, read } = await readWithSteps(given, area, command);
  if (named?.length === 0 || !read.withheld.some(mayBeBrought)) return read;
  const { checkedOutByGit, approving } = await import('./checked-out-by-git.ts');
  const isNamed = namedIn(named);
  const checkedOut = checkedOutByGit(read, area, parts).filter(({ location }) => isNamed(bytePath(location)));
  if (checkedOut.length === 0) return read;
  if (checkedOut.length > MAX_CHECKED_OUT) return { ...read, unjudged: read.unjudged ?? TOO_MANY_CHECKED_OUT };
  const whole = await readJudged({ ...parts, guards: approving(parts.guards, checkedOut) }, area);
  // Always named, also among many other changes, and in changes that wait for another reason.
  const notices = checkedOut.map(({ path, detail }) => `${path} comes from git: ${detail}`);
  return { ...whole, checkedOut, cautions: [...notices, ...whole.cautions] };
}

/** Reads the changes, with the steps of a rebase that are in the command itself, and so were judged with it. */
async function readWithSteps(given: AreaParts, area: TransactionArea, command: string): Promise<{ parts: AreaParts; read: ReadChanges }> {
  const read = await readJudged(given, area);
  if (!read.withheld.some(({ reason }) => reason === 'git-hook') || !mayAddSteps(command)) return { parts: given, read };
  const { stepsInCommand } = await import('./steps-in-command.ts');
  const steps = stepsInCommand(read.withheld, area, command);
  if (steps.length === 0) return { parts: given, read };
  const paths = new Set(steps.map(({ entry }) => bytePath(entry.location)));
  const { guards } = given;
  const approved: typeof guards.approved = (location, isFolder, reason) =>
    (reason === 'git-hook' && paths.has(bytePath(location))) || guards.approved(location, isFolder, reason);
  const parts = { ...given, guards: { ...guards, approved } };
  const whole = await readJudged(parts, area);
  const notices = steps.map(({ entry, runs }) => `${entry.path} makes git rebase --continue run: ${runs.map((run) => displayText(run)).join(', ')}`);
  return { parts, read: { ...whole, cautions: [...notices, ...whole.cautions] } };
}

function namedIn(named: ReadChanges['checkedOut'] | undefined): (path: string) => boolean {
  if (named === undefined) return () => true;
  const paths = new Set(named.map(({ location }) => bytePath(location)));
  return (path) => paths.has(path);
}

/** Reads the changes in an area, and withholds what other programs execute or obey. */
export async function readJudged(parts: AreaParts, area: TransactionArea): Promise<ReadChanges> {
  const { confinement, linked, elsewhere, processes, attributes, signal } = parts;
  if (existsSync(area.opened)) closeFolders(area);
  const guards = linked === undefined ? parts.guards : ownOfWorktree(parts.guards, linked);
  await using merged = new MergedView(area.path, processes, signal, linked !== undefined);
  using stack = new DisposableStack();
  const lower = stack.use(confinement.openDirectory([]));
  const upper = stack.use(new HandleConfinement(area.upper));
  const before = stack.use(new ConfinedView(lower));
  const made = stack.use(upper.openDirectory([]));
  const hidden = await HiddenPlaces.read(area.hidden, signal);
  const isReplaced = async (folder: readonly Name[]): Promise<boolean> => (await isOpaque(attributes, made, folder, signal)) !== false;
  const moved =
    hidden.files.size === 0 ? NONE_MOVED : await takeAlongHidden({ area, confinement, hidden, guards, isOpaque: isReplaced, attributes, signal });
  const after = new OverlayView(stack.use(new ConfinedView(made)), before);
  const { places, ofRoot, problem, hadFolder } = await until(elsewhere.current(), signal);
  const changed = new Set(new ConfinedView(made).names(''));
  const differs = (path: string): boolean => changed.has(path.split('/', 1)[0] ?? '');
  const read = await readChanges({
    upper: area.upper,
    lower: lower.self,
    standIn: lower.standIn,
    guards,
    danger: new DangerJudge({ before, after, rootPath: confinement.root, elsewhere: places, ofRoot, differs, hadFolder }),
    root: confinement.root,
    after,
    isOpaque: async (folder, name) => (await isOpaque(attributes, made, folder, signal)) ?? (name !== undefined && !(await merged.has(folder, name))),
    hidden,
    isPackIndexTrue: async (location) => await isPackIndexTrue(area.upper, processes, signal, location),
    isRepository: (folder) => looksLikeRepository(after, folder) || looksLikeRepository(before, folder),
    isGraphTrue: async (entry) =>
      await (await import('./check-graph.ts')).isGraphTrue({ confinement, processes, signal, above: area.path, upper: area.upper }, entry),
    ...moved,
    outputs: !isLinkThere(area.outputs) ? 'none' : existsSync(area.record) ? 'drop' : 'shown',
    signal,
  });
  const judged = linked === undefined && !isLinkThere(area.repository.lower) ? read : judgeRepository(read, area, linked);
  return { ...judged, unjudged: judged.unjudged ?? problem };
}

const isLinkThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Reads the changes of a command that just ended. If they cannot be read, the result says why, and nothing of them is applied. */
export async function readEnded(
  parts: AreaParts,
  area: TransactionArea,
  { aborted }: SandboxOutcome,
  rootChanged: boolean,
  reading: typeof readJudged,
): Promise<ReadChanges> {
  // Changes of a cancelled call are read too, with a separate deadline.
  const signal = aborted ? AbortSignal.timeout(ENDED_MS) : parts.signal;
  try {
    const read = await reading({ ...parts, signal }, area);
    const cautions = rootChanged ? [...read.cautions, 'the permissions of the workspace itself stay as they are'] : read.cautions;
    return { ...read, cautions, unjudged: read.unjudged ?? (aborted ? 'the command was ended before it was done' : undefined) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...NOTHING_READ, unjudged: `what it did could not be read (${why})` };
  }
}

/**
 * Withholds what a second judgement withholds. Everything else stays as it was read first: the state of the workspace before
 * the command tells what others have changed since.
 */
export function judgedAgain(first: ReadChanges, second: ReadChanges): ReadChanges {
  const withheld = second.withheld.map(({ location, isThere }) => ({ key: bytePath(location), isThere }));
  const isWithheld = (path: string): boolean => withheld.some(({ key, isThere }) => path === key || (isThere && path.startsWith(`${key}/`)));
  return {
    ...first,
    changes: first.changes.filter(({ location }) => !isWithheld(bytePath(location))),
    withheld: second.withheld,
    movesHidden: first.movesHidden || second.movesHidden,
    cautions: second.cautions,
    unjudged: first.unjudged ?? second.unjudged,
  };
}
