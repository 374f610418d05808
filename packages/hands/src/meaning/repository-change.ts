/** A commit that a command made. */
export interface NewCommit {
  readonly hash: string;
  readonly parents: readonly string[];
  readonly subject: string;
}

/** What happened to a branch, a tag, another reference, or to HEAD. */
export interface ReferenceChange {
  /** The folder of the working tree, from the workspace; empty for the workspace itself. */
  readonly folder: string;
  /** `HEAD`, or the full name: `refs/heads/main`. */
  readonly name: string;
  /** A hash, `ref: …`, or a text that is neither. Undefined if there was none; the same for {@link after}. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** The new commits that it leads to and that no earlier reference leads to, newest first. */
  readonly commits: readonly NewCommit[];
  /** Whether there are more of them. */
  readonly hasMore: boolean;
  /** Whether {@link before} is among the ancestors of {@link after}; undefined if it is not known. */
  readonly follows?: boolean | undefined;
  /** Number of files in which the commits differ from {@link before}; undefined if it is not known. */
  readonly files?: number | undefined;
}
