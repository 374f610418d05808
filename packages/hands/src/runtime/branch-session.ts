import { SynapseError } from '@synapse/protocol';
import type { BranchStore, StoredBranch } from '../branch/branch-store.ts';
import { holdBranch, type HeldBranch } from '../branch/hold-branch.ts';
import type { HoldParts } from '../branch/start-holder.ts';
import type { BranchProcess, LinkToBranch } from './start-branch.ts';

/** What a session in a branch requires. */
export interface SessionParts {
  readonly stored: StoredBranch;
  readonly store: BranchStore;
  readonly hold: HoldParts;
  /** Starts the process in the mounted branch. */
  readonly start: (held: HeldBranch) => BranchProcess;
}

/** Keeps a branch mounted, and runs its process: from the first call on, until the branch is needed as a whole or the session ends. */
export class BranchSession implements AsyncDisposable {
  readonly #parts: SessionParts;
  #held: HeldBranch | undefined;
  #process: BranchProcess | undefined;
  #starting: Promise<BranchProcess> | undefined;
  #running = 0;
  /** Pending while something needs the branch as a whole. */
  #alone: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: SessionParts) {
    this.#parts = parts;
  }

  get #name(): string {
    return this.#parts.stored.record.name;
  }

  /** The link to the process, if it runs. */
  get link(): LinkToBranch | undefined {
    return this.#process?.link;
  }

  /**
   * Mounts the branch, or joins the process that holds it.
   *
   * @throws SynapseError `not_found` if it does not exist any more, `unavailable` if branches do not work here
   */
  async mount(): Promise<HeldBranch> {
    const { store, stored, hold } = this.#parts;
    const { folder, record } = store.current(stored);
    // Again, even if it is mounted: the process that held it may have been killed, and its number be that of another.
    const held = await holdBranch(folder, record, hold);
    this.#held?.[Symbol.dispose]();
    return (this.#held = held);
  }

  /** Uses the process of the branch, and starts it if it does not run. */
  async run<T>(work: (link: LinkToBranch) => Promise<T>): Promise<T> {
    this.#assertOpen();
    while (this.#alone !== undefined) await this.#alone;
    this.#running += 1;
    try {
      const started = await (this.#starting ??= this.#start());
      started.keep(true);
      return await work(started.link);
    } finally {
      this.#running -= 1;
      // What runs no call keeps no program from ending.
      if (this.#running === 0) this.#process?.keep(false);
    }
  }

  /**
   * Ends the process and gives the branch back, for something that needs it as a whole. Later calls wait for that.
   *
   * @throws SynapseError `busy` while calls run in it
   */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    this.#assertOpen();
    while (this.#alone !== undefined) await this.#alone;
    if (this.#running > 0) {
      throw new SynapseError('busy', `Calls run in the branch ${this.#name}.`, { hint: 'Wait for their results first.', retryable: true });
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#alone = promise;
    try {
      await this.#release();
      this.assertCurrent();
      return await work();
    } finally {
      this.#alone = undefined;
      resolve();
    }
  }

  /** @throws SynapseError `not_found` if the branch was deleted, also if there is a new one of its name */
  assertCurrent(): void {
    this.#parts.store.current(this.#parts.stored);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#process?.link.end(closed(this.#name));
    await this.#release();
  }

  async #start(): Promise<BranchProcess> {
    try {
      const started = this.#parts.start(await this.mount());
      this.#process = started;
      void started.ended.then(() => this.#forget(started));
      return started;
    } catch (error) {
      this.#starting = undefined;
      throw error;
    }
  }

  #forget(ended: BranchProcess): void {
    if (this.#process !== ended) return;
    this.#process = undefined;
    this.#starting = undefined;
    this.#unmount();
  }

  async #release(): Promise<void> {
    await this.#starting?.catch(() => {});
    const ending = this.#process;
    if (ending !== undefined) {
      ending.link.end(closed(this.#name));
      await ending.end();
      this.#forget(ending);
    }
    this.#unmount();
  }

  #unmount(): void {
    this.#held?.[Symbol.dispose]();
    this.#held = undefined;
  }

  #assertOpen(): void {
    if (this.#isClosed) throw closed(this.#name);
  }
}

function closed(name: string): SynapseError {
  return new SynapseError('unavailable', `The hands of the branch ${name} are closed.`, { hint: 'Open it again: hands.branch(…).' });
}
