import { grantSource, makeGrant, type Grant, type GrantProposal, type GrantScope } from './grant.ts';
import { compilePolicy, type Policy, type PolicyOptions } from './policy.ts';

/** Keeps the grants of a project beyond this run; the session's own are kept in memory. */
export interface GrantStore {
  load(): readonly Grant[];
  save(grant: Grant): void;
}

/** The policy as it is now: what was granted while the hands are open counts from the next call on. */
export class LivePolicy {
  readonly #options: PolicyOptions;
  readonly #store: GrantStore | undefined;
  readonly #grants: Grant[];
  #current: Policy;

  /** @throws SynapseError `invalid_arguments` that lists every rule that is wrong */
  constructor(options: PolicyOptions, store?: GrantStore) {
    this.#options = options;
    this.#store = store;
    this.#grants = [...(store?.load() ?? [])];
    this.#current = this.#compile();
  }

  get current(): Policy {
    return this.#current;
  }

  /** Remembers an approval for the session or the project. */
  remember(proposal: GrantProposal, tool: string, scope: GrantScope): void {
    const grant = makeGrant(proposal, tool, scope, (this.#options.now ?? Date.now)());
    this.#grants.push(grant);
    if (scope === 'project') this.#store?.save(grant);
    this.#current = this.#compile();
  }

  #compile(): Policy {
    const sources = this.#grants.length === 0 ? this.#options.sources : [...this.#options.sources, grantSource(this.#grants)];
    return compilePolicy({ ...this.#options, sources });
  }
}
