import { onceATurn } from '../events/timing.ts';
import { grantSource, makeGrant, type Grant, type GrantProposal, type GrantScope } from './grant.ts';
import { parseRule } from './parse-rule.ts';
import { isTighterMode, type Mode } from './modes.ts';
import { compilePolicy, type Policy, type PolicyOptions } from './policy.ts';

/** The content of a grant store, and its problems. */
export interface LoadedGrants {
  readonly grants: readonly Grant[];
  readonly notice?: string;
}

/** Stores the grants of a project. Grants of a session stay in memory. */
export interface GrantStore {
  /** Changes when the stored grants change. Must be fast: it is read before every call. */
  version(): string;
  /** Returns the saved grants that have not expired. Leaves out unreadable grants and reports them. */
  load(now: number): LoadedGrants;
  /** Replaces the saved grants atomically, even if other processes do so at the same time. */
  change(now: number, edit: (grants: readonly Grant[]) => readonly Grant[]): LoadedGrants;
}

/** The current policy. Grants and revocations while the hands are open apply from the next call. */
export class PolicyStore {
  readonly #options: PolicyOptions;
  readonly #store: GrantStore | undefined;
  /** Of what other processes saved. What this one saves is known at once. */
  readonly #storedVersion = onceATurn(() => this.#store?.version() ?? '');
  readonly #session: Grant[] = [];
  #kept: readonly Grant[] = [];
  #notices: string[] = [];
  #version = '';
  /** The mode that a person at a client chose. */
  #limit: Mode | undefined;
  #current: Policy;

  /** @throws SynapseError `invalid_arguments` that lists every invalid rule */
  constructor(options: PolicyOptions, store?: GrantStore) {
    this.#options = options;
    this.#store = store;
    this.#current = compilePolicy(options);
    this.#load();
  }

  get current(): Policy {
    return this.#current;
  }

  /** The current approvals: the project's, oldest first, then the session's. */
  get grants(): readonly Grant[] {
    const now = this.#now();
    return [...this.#kept, ...this.#session].filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  }

  /** Problems with the saved approvals. */
  get notices(): readonly string[] {
    return this.#notices;
  }

  /**
   * Limits the mode from the next call on. A mode that is looser than the configured one has no effect, so a client cannot permit itself
   * anything. Returns the mode in force.
   */
  limitMode(mode: Mode): Mode {
    this.#limit = mode;
    this.#compile();
    return this.#current.mode;
  }

  /** Loads what other processes saved or revoked. */
  refresh(): void {
    if (this.#storedVersion() !== this.#version) this.#load();
  }

  /** Saves an approval for the session or the project. */
  remember(proposal: GrantProposal, tool: string, scope: GrantScope): void {
    if (scope === 'once') return;
    const grant = makeGrant(proposal, tool, scope, this.#now());
    if (scope === 'session' || this.#store === undefined) this.#session.push(grant);
    else this.#take(this.#store.change(this.#now(), (kept) => [...kept.filter((other) => !isSame(other, grant)), grant]).grants);
    this.#compile();
  }

  /** Revokes every approval for which `chosen` returns true, and returns them. */
  revoke(chosen: (grant: Grant) => boolean): readonly Grant[] {
    const revoked = this.grants.filter(chosen);
    const stays = (grant: Grant): boolean => !revoked.some((other) => other.grantedAt === grant.grantedAt && isSame(other, grant));
    if (revoked.some(({ scope }) => scope === 'project') && this.#store !== undefined)
      this.#take(this.#store.change(this.#now(), (kept) => kept.filter(stays)).grants);
    this.#session.splice(0, this.#session.length, ...this.#session.filter(stays));
    this.#compile();
    return revoked;
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #load(): void {
    if (this.#store === undefined) return;
    // Read the version first: then a write in between is read again, not missed.
    this.#version = this.#store.version();
    const { grants, notice } = this.#store.load(this.#now());
    this.#kept = grants;
    if (notice !== undefined) this.#notices.push(notice);
    this.#compile();
  }

  #take(grants: readonly Grant[]): void {
    this.#kept = grants;
    this.#version = this.#store?.version() ?? '';
  }

  /** Compiles the policy without rules that are no longer valid, such as those of a removed tool. This only makes it stricter. */
  #compile(): void {
    const isRule = (text: string): boolean =>
      typeof parseRule(text, { verdict: 'allow', layer: 'grant', origin: 'granted' }, this.#options) !== 'string';
    const grants = [...this.#kept, ...this.#session].filter(({ rules }) => rules.every(isRule));
    const sources = grants.length === 0 ? this.#options.sources : [...this.#options.sources, grantSource(grants)];
    const policy = compilePolicy({ ...this.#options, sources });
    const mode = this.#limit;
    this.#current = mode !== undefined && isTighterMode(mode, policy.mode) ? { ...policy, mode, modeOrigin: 'the client' } : policy;
  }
}

function isSame(one: Grant, other: Grant): boolean {
  return one.scope === other.scope && one.tool === other.tool && one.rules.join('\n') === other.rules.join('\n');
}
