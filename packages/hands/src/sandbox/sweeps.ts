import { mayAddSteps } from '../policy/adds-steps.ts';
import { SynapseError } from '@synapse/protocol';
import { takeAway, type Leftover, type Quarantined } from '../quarantine/take-away.ts';
import { UNLOCK, lockCommands, noteBefore, takeUnfinished, type PlaceBefore } from '../quarantine/command-records.ts';
import { boundedView, type TreeView } from '../danger/tree-view.ts';
import type { NamedPlace } from '../danger/link-route.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { placesFromOutside } from '../workspace/places-from-outside.ts';
import { leftovers, type SweptWorkspace } from './command-sweep.ts';
import { persistencePoints, type PersistencePoint } from './persistence-points.ts';
import type { FolderHistory } from './sandbox-options.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import { unreadText, type Survey, type DeniedPathIndex } from './denied-path-index.ts';
import { reachable } from './workspace-mounts.ts';

interface SweepOptions {
  readonly confinement: Confinement;
  readonly policy: Pick<SandboxPolicy, 'allowProtected'>;
  readonly quarantineFolder: string;
  readonly history?: FolderHistory;
}

/** The sweeps of one command. Disposing it deletes the note about it, so do that only after its last sweep. */
export interface CommandSweeps extends Disposable {
  /** What commands of killed processes left. */
  readonly earlier: readonly Quarantined[];
  /** Quarantines what the command has left so far. Undefined if it does not write to the workspace itself. */
  readonly check: (() => Promise<Quarantined[]>) | undefined;
  /** Makes another process responsible for the last sweep. */
  transferOwnership(owner: string): void;
}

/** Steps in which it must be found out what a command on the workspace itself must not change: about 1 s. 2,000 links need 34,000. */
const MAX_STEPS = 500_000;

/**
 * Looks for what other programs take their orders from, in bounded steps.
 *
 * @throws SynapseError `too_large` if there is more than can be looked at
 */
export function inSteps<T>(root: PinnedDirectory, confinement: Confinement, look: (view: TreeView, outside: readonly NamedPlace[]) => T): T {
  using disk = new ConfinedView(root);
  const view = boundedView(disk, MAX_STEPS);
  const outside = placesFromOutside(confinement);
  const found = look(view, outside.places);
  if (!view.isSpent() && !outside.isSpent) return found;
  throw new SynapseError(
    'too_large',
    'Commands on the workspace itself do not run: its git settings and links are too many to find out what they name.',
    {
      hint: 'Run the command without `live` and not in the background. A person can remove the links, or allow it: --allow write,exec,protected.',
    },
  );
}

/** The folders before a command. No program is started in what a package manager fills. */
function foldersOf({ folders }: Survey): ReadonlySet<string> | undefined {
  return folders === undefined ? undefined : new Set([...folders.keys()].filter((path) => !INSTALLED.test(path)));
}
const INSTALLED = /(?:^|\/)(?:node_modules|\.git)\//u;

/** When to sweep. */
interface SweepRequest {
  readonly sweeps: boolean;
  readonly recovers: boolean;
  /** The text of the command, in which steps of a rebase may stand. */
  readonly command?: string | undefined;
}

type Known = Pick<SweptWorkspace, 'folders' | 'steps'>;

/** What is known of a command before it starts. */
interface KnownBefore {
  readonly folders: ReadonlySet<string> | undefined;
  readonly command: string;
}

async function stepsIn(command: string): Promise<ReadonlySet<string> | undefined> {
  return mayAddSteps(command) ? (await import('../policy/rebase-steps.ts')).stepsOf(command) : undefined;
}

/** Quarantines what commands on the workspace itself left. */
export class Sweeps {
  readonly #options: SweepOptions;
  readonly #index: DeniedPathIndex;

  constructor(options: SweepOptions, index: DeniedPathIndex) {
    this.#options = options;
    this.#index = index;
  }

  /**
   * Prepares the sweeps of a command before it starts.
   *
   * @param root held open until the sweeps are disposed
   * @param wanted `sweeps`: after the command, which writes to the workspace itself; `recovers`: before it, after those of killed processes
   */
  before(root: PinnedDirectory, survey: Survey, { sweeps, recovers, command = '' }: SweepRequest): CommandSweeps {
    const before = reachable(() => this.#watched(root, survey));
    const earlier = recovers ? this.#recover(root, before) : [];
    if (!sweeps) return { earlier, check: undefined, transferOwnership: () => {}, [Symbol.dispose]: () => {} };
    const note = noteBefore(this.#options.quarantineFolder, before);
    const folders = foldersOf(survey);
    const sweep = (): Promise<Quarantined[]> => this.sweep(root, before, { folders, command });
    // In sequence: what one sweep removes is gone for the next.
    let last: Promise<Quarantined[]> = Promise.resolve([]);
    const check = (): Promise<Quarantined[]> => (last = last.then(sweep, sweep));
    return { earlier, check, transferOwnership: (owner) => note.transferOwnership(owner), [Symbol.dispose]: () => note[Symbol.dispose]() };
  }

  /** The paths to compare before and after a command, in their current state. */
  #watched(root: PinnedDirectory, survey: Survey): PersistencePoint[] {
    const { confinement } = this.#options;
    return inSteps(root, confinement, (view, outside) => persistencePoints(root, view, confinement.root, survey, outside));
  }

  /** Sweeps after the commands of a killed Synapse process. */
  #recover(root: PinnedDirectory, now: readonly PersistencePoint[]): Quarantined[] {
    const { confinement, quarantineFolder } = this.#options;
    const found = takeUnfinished(quarantineFolder).flatMap((before) => this.#leftovers(root, before, now));
    // A person may have created it since, so it is reported and left in place.
    const told = [...new Map(found.map((one) => [one.path, { ...one, remove: false }])).values()];
    return takeAway(confinement, quarantineFolder, told).map((one) => ({ ...one, action: 'found' }));
  }

  /** Quarantines what a command left. If the sweep was incomplete, no further command runs until a person has checked. */
  async sweep(root: PinnedDirectory, before: readonly PlaceBefore[], known?: KnownBefore): Promise<Quarantined[]> {
    const { confinement, quarantineFolder, history } = this.#options;
    const found: Quarantined[] = [];
    let problem: string | undefined;
    try {
      const survey = await this.#index.survey();
      if (survey.unread?.length) problem = `What the last one left could not be looked at in full. ${unreadText(survey)}`;
      const folders = known?.folders;
      const steps = await stepsIn(known?.command ?? '');
      found.push(...takeAway(confinement, quarantineFolder, this.#leftovers(root, before, this.#watched(root, survey), { folders, steps })));
      const now = survey.folders;
      if (folders !== undefined && now !== undefined) history?.tookFolders([...folders].filter((path) => !now.has(path)));
    } catch (error) {
      problem = `What the last one left could not be judged (${errnoOf(error) ?? 'for an unknown reason'}).`;
    }
    if (problem === undefined) return found;
    lockCommands(quarantineFolder, problem);
    return [...found, { path: '.', reason: 'not-searched', detail: `${problem} A person must look, and run: ${UNLOCK}`, action: 'reported' }];
  }

  #leftovers(root: PinnedDirectory, before: readonly PlaceBefore[], after: readonly PersistencePoint[], known: Known = {}): Leftover[] {
    const { confinement, policy, history } = this.#options;
    using view = new ConfinedView(root);
    const outside = placesFromOutside(confinement).places;
    const swept = { view, rootPath: confinement.root, before, after, outside, ...known, hadFolder: history?.hadFolder };
    return leftovers(swept, policy.allowProtected === true);
  }
}
