import { grantSource, makeGrant, type Grant, type GrantProposal, type GrantScope } from './grant.ts';
import { parseRule } from './parse-rule.ts';
import { compilePolicy, type Policy, type PolicyOptions } from './policy.ts';

/** What a store of grants holds, and what is wrong with it. */
export interface LoadedGrants {
  readonly grants: readonly Grant[];
  readonly notice?: string;
}

/** Keeps the grants of a project beyond this run; the session's own are kept in memory. */
export interface GrantStore {
  /** Changes whenever what is kept does. Asked before every call, so it must be quick. */
  version(): string;
  /** What is kept and has not expired. What cannot be read is no grant, and is told of. */
  load(now: number): LoadedGrants;
  /** Replaces what is kept in one step, whoever else does so at the same time. */
  change(now: number, edit: (grants: readonly Grant[]) => readonly Grant[]): LoadedGrants;
}

/** The policy as it is now: what was granted or taken back while the hands are open counts from the next call on. */
export class LivePolicy {
  readonly #options: PolicyOptions;
  readonly #store: GrantStore | undefined;
  readonly #session: Grant[] = [];
  #kept: readonly Grant[] = [];
  #notices: string[] = [];
  #version = '';
  #current: Policy;

  /** @throws SynapseError `invalid_arguments` that lists every rule that is wrong */
  constructor(options: PolicyOptions, store?: GrantStore) {
    this.#options = options;
    this.#store = store;
    this.#current = compilePolicy(options);
    this.#load();
  }

  get current(): Policy {
    return this.#current;
  }

  /** The approvals that count now: those of the project, in the order they were given, then the session's. */
  get grants(): readonly Grant[] {
    const now = this.#now();
    return [...this.#kept, ...this.#session].filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  }

  /** What is wrong with the saved approvals. */
  get notices(): readonly string[] {
    return this.#notices;
  }

  /** Takes note of what other processes saved or revoked. */
  refresh(): void {
    if (this.#store !== undefined && this.#store.version() !== this.#version) this.#load();
  }

  /** Remembers an approval for the session or the project. */
  remember(proposal: GrantProposal, tool: string, scope: GrantScope): void {
    if (scope === 'once') return;
    const grant = makeGrant(proposal, tool, scope, this.#now());
    if (scope === 'session' || this.#store === undefined) this.#session.push(grant);
    else this.#take(this.#store.change(this.#now(), (kept) => [...kept.filter((other) => !isSame(other, grant)), grant]).grants);
    this.#compile();
  }

  /** Takes back every approval that `chosen` is true of, and gives them. */
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
    // Before the reading: what is written in between is read once more, not missed.
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

  /** A rule that is none any more, as of a tool that is gone, is left out: that only ever tightens. */
  #compile(): void {
    const isRule = (text: string): boolean =>
      typeof parseRule(text, { verdict: 'allow', layer: 'grant', origin: 'granted' }, this.#options) !== 'string';
    const grants = [...this.#kept, ...this.#session].filter(({ rules }) => rules.every(isRule));
    const sources = grants.length === 0 ? this.#options.sources : [...this.#options.sources, grantSource(grants)];
    this.#current = compilePolicy({ ...this.#options, sources });
  }
}

function isSame(one: Grant, other: Grant): boolean {
  return one.scope === other.scope && one.tool === other.tool && one.rules.join('\n') === other.rules.join('\n');
}
