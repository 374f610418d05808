/** The largest workspace that is cloned. */
export interface CloneLimits {
  readonly entries: number;
  /** Not counted for reflinks, which take no space. */
  readonly bytes: number;
}

/** Each entry costs a few microseconds whenever the branch is listed. A copy of 2 GB takes some seconds on a common disk. */
export const CLONE_LIMITS: CloneLimits = { entries: 250_000, bytes: 2 * 1024 ** 3 };
