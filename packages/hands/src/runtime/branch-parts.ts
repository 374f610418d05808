import type { CallEvent } from '@synapse/protocol';
import { notify } from '../events/notify.ts';
import type { EventListener } from '../pipeline/record.ts';
import { isTighterMode, type Mode } from '../policy/modes.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import type { LinkToBranch } from './start-branch.ts';

/** The mode of a branch: as strict as chosen for it, and as the hands that opened it are now. */
export class BranchMode {
  readonly #above: PolicyStore;
  readonly #policy: PolicyStore;
  #chosen: Mode | undefined;

  constructor(above: PolicyStore, policy: PolicyStore) {
    this.#above = above;
    this.#policy = policy;
    this.refresh();
  }

  /** Chooses a mode. Returns the one in force. */
  choose(mode: Mode): Mode {
    this.#chosen = mode;
    return this.refresh();
  }

  /** Follows the hands above. Returns the mode in force. */
  refresh(): Mode {
    const { mode } = this.#above.current;
    const chosen = this.#chosen ?? mode;
    return this.#policy.limitMode(isTighterMode(chosen, mode) ? chosen : mode);
  }
}

/** The listeners to the calls in a branch. Its process tells events only if there are some. */
export class BranchListeners {
  readonly #all = new Set<EventListener>();
  #following: { readonly link: LinkToBranch; readonly stop: AbortController } | undefined;

  readonly emit = (event: CallEvent): void => {
    for (const listener of this.#all) notify(listener, event);
  };

  add(listener: EventListener, link: LinkToBranch | undefined): () => void {
    this.#all.add(listener);
    if (link !== undefined) this.follow(link);
    return () => {
      this.#all.delete(listener);
      if (this.#all.size > 0) return;
      this.#following?.stop.abort();
      this.#following = undefined;
    };
  }

  /** Listens to the process of the branch, if there are listeners. */
  follow(link: LinkToBranch): void {
    if (this.#all.size === 0 || this.#following?.link === link) return;
    const stop = new AbortController();
    this.#following = { link, stop };
    // The calls of the process report its end.
    link.request('events', null, { signal: stop.signal, onNotice: this.emit }).catch(() => {});
  }
}
