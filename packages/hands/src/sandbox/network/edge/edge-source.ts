import type { Secret } from '../../../secrets/secret.ts';

/** A rule of the policy that denies some requests of a host, or asks about them. */
export interface DeniedRequests {
  readonly text: string;
  readonly asks: boolean;
  readonly isAbout: (host: string) => boolean;
  readonly mayCover: (method: string, path: string) => boolean;
}

/** A rule that an earlier answer of a person left: it allows requests of commands. */
export interface GrantedRequests {
  readonly isAbout: (host: string) => boolean;
  readonly covers: (method: string, path: string) => boolean;
  /** Whether it covers all requests of its hosts. */
  readonly isWhole: boolean;
}

/** Where the secrets and rules of commands come from. */
export interface EdgeSource {
  /** Whether there may be secrets. Called for each command. */
  readonly exist: () => boolean;
  /** Read for each command, and for each request with a secret: one that was replaced or removed counts at once. */
  readonly secrets: () => Promise<readonly Secret[]>;
  /** Whether a rule opens a host of this machine, so that it may get a secret without encryption. */
  readonly opensLocal: (host: string) => boolean;
  /** Rules of the policy about requests. */
  readonly denied: () => readonly DeniedRequests[];
  /** The rule that keeps a command from a host or an address, unless the host was approved. Default: none does. */
  readonly deniedBy?: (host: string, approved: ReadonlySet<string>) => string | undefined;
  /** Whether rules only ask about a host, and none denies it. Default: no. */
  readonly asksAbout?: (host: string) => boolean;
  /** What answers of persons allow. Called for each request that no other rule allows. Default: nothing. */
  readonly granted?: () => readonly GrantedRequests[];
}
