/** What the index stores about a path. Paths are relative to the root; each character stands for one byte (latin1). */
export interface PlaceFinding {
  readonly path: string;
  readonly kind: 'git-folder' | 'git-pointer' | 'protected' | 'denied' | 'locked' | 'socket';
  readonly isFolder: boolean;
  /** For denied or locked paths: whether the rule is about this path, and would not match the same name in another folder. */
  readonly byPlace?: boolean;
  /** The rule matches the name of a link to this path. `path` is the real path, which is absolute for `outside`. */
  readonly behindLink?: 'inside' | 'outside';
  /** That link, relative to the root. */
  readonly link?: string;
}

/** What rules deny to commands. Paths are relative, with `/`. */
export interface Denials {
  readonly read: (path: string) => boolean;
  /** Whether nothing is denied that is directly in a folder and has a usual name, see `hasUsualNames`. Default: it may be. */
  readonly readsUsualNames?: ((folder: string) => boolean) | undefined;
  /** Default: nothing is denied. */
  readonly write?: ((path: string) => boolean) | undefined;
  /** Whether a path below may be denied because of where it is, and not only by its name. Default: true. */
  readonly mayDenyBelow?: ((path: string) => boolean) | undefined;
}
