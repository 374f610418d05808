import { type Leftover, type Quarantined, takeAway } from '../quarantine/take-away.ts';
import { lockCommands, noteBefore, type PlaceBefore, takeUnfinished, UNLOCK } from '../quarantine/command-records.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { placesFromOutside } from '../workspace/places-from-outside.ts';
import { leftovers } from './command-sweep.ts';
import { type PersistencePoint, persistencePoints } from './persistence-points.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import { type Survey, unreadText, type WorkspaceIndex } from './workspace-index.ts';
import { reachable } from './workspace-mounts.ts';

interface SweepOptions {
  readonly confinement: Confinement;
  readonly policy: Pick<SandboxPolicy, 'allowProtected'>;
  readonly quarantineFolder: string;
}

/** The sweeps of one command. Disposing it deletes the note about it, so do that only after its last sweep. */
export interface CommandSweeps extends Disposable {
  /** What commands of killed processes left. */
  readonly earlier: readonly Quarantined[];
  /** Quarantines what the command has left so far. Undefined if it does not write to the workspace itself. */
  readonly check: (() => Promise<Quarantined[]>) | undefined;
  /** Makes another process responsible for the last sweep. */
  handOver(owner: string): void;
}

/** Quarantines what commands on the workspace itself left. */
export class Sweeps {
  readonly #options: SweepOptions;
  readonly #index: WorkspaceIndex;

  constructor(options: SweepOptions, index: WorkspaceIndex) {
    this.#options = options;
    this.#index = index;
  }

  /**
   * Prepares the sweeps of a command before it starts.
   *
   * @param root held open until the sweeps are disposed
   * @param wanted `sweeps`: after the command, which writes to the workspace itself; `recovers`: before it, after those of killed processes
   */
  before(root: PinnedDirectory, survey: Survey, { sweeps, recovers }: { readonly sweeps: boolean; readonly recovers: boolean }): CommandSweeps {
    const before = reachable(() => this.#watched(root, survey));
    const earlier = recovers ? this.#recover(root, before) : [];
    if (!sweeps) return { earlier, check: undefined, handOver: () => {}, [Symbol.dispose]: () => {} };
    const note = noteBefore(this.#options.quarantineFolder, before);
    const sweep = (): Promise<Quarantined[]> => this.sweep(root, before);
    // In sequence: what one sweep removes is gone for the next.
    let last: Promise<Quarantined[]> = Promise.resolve([]);
    const check = (): Promise<Quarantined[]> => (last = last.then(sweep, sweep));
    return { earlier, check, handOver: (owner) => note.handOver(owner), [Symbol.dispose]: () => note[Symbol.dispose]() };
  }

  /** The paths to compare before and after a command, in their current state. */
  #watched(root: PinnedDirectory, survey: Survey): PersistencePoint[] {
    const { confinement } = this.#options;
    using view = new ConfinedView(root);
    return persistencePoints(root, view, confinement.root, survey, placesFromOutside(confinement));
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
  async sweep(root: PinnedDirectory, before: readonly PlaceBefore[]): Promise<Quarantined[]> {
    const { confinement, quarantineFolder } = this.#options;
    const found: Quarantined[] = [];
    let problem: string | undefined;
    try {
      const survey = await this.#index.survey();
      if (survey.unread?.length) problem = `What the last one left could not be looked at in full. ${unreadText(survey)}`;
      found.push(...takeAway(confinement, quarantineFolder, this.#leftovers(root, before, this.#watched(root, survey))));
    } catch (error) {
      problem = `What the last one left could not be judged (${errnoOf(error) ?? 'for an unknown reason'}).`;
    }
    if (problem === undefined) return found;
    lockCommands(quarantineFolder, problem);
    return [...found, { path: '.', reason: 'not-searched', detail: `${problem} A person must look, and run: ${UNLOCK}`, action: 'reported' }];
  }

  #leftovers(root: PinnedDirectory, before: readonly PlaceBefore[], after: readonly PersistencePoint[]): Leftover[] {
    const { confinement, policy } = this.#options;
    using view = new ConfinedView(root);
    return leftovers({ view, rootPath: confinement.root, before, after, outside: placesFromOutside(confinement) }, policy.allowProtected === true);
  }
}
