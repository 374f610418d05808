/** What happened to a file between two of: the last commit, the index, the working tree. */
export const CHANGES = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  R: 'renamed',
  C: 'copied',
  T: 'type_changed',
  U: 'unmerged',
} as const;
export type Change = (typeof CHANGES)[keyof typeof CHANGES];

/** Returns the change for a letter of git. */
export function changeOf(letter: string): Change | undefined {
  return Object.hasOwn(CHANGES, letter) ? CHANGES[letter as keyof typeof CHANGES] : undefined;
}

/** What both sides of a merge did to a file. */
export const CONFLICTS = {
  DD: 'both_deleted',
  AU: 'added_by_us',
  UD: 'deleted_by_them',
  UA: 'added_by_them',
  DU: 'deleted_by_us',
  AA: 'both_added',
  UU: 'both_modified',
} as const;
type Conflict = (typeof CONFLICTS)[keyof typeof CONFLICTS];

/** A line of a status; paths are git's bytes. */
export type StatusEntry =
  | { readonly kind: 'changed'; readonly path: Buffer; readonly from?: Buffer; readonly staged?: Change; readonly unstaged?: Change }
  | { readonly kind: 'conflicted'; readonly path: Buffer; readonly conflict: Conflict }
  | { readonly kind: 'untracked'; readonly path: Buffer };

/** The header of a status. */
export interface StatusHead {
  /** Undefined if there is no commit yet. */
  commit?: string;
  /** Undefined if HEAD is detached. */
  branch?: string;
  upstream?: string;
  /** Undefined if the upstream branch is gone. */
  ahead?: number;
  behind?: number;
  stashes: number;
}

const HEAD_LINES: ReadonlyArray<readonly [RegExp, (head: StatusHead, ...groups: string[]) => void]> = [
  [/^# branch\.oid ([0-9a-f]+)$/u, (head, commit) => void (head.commit = commit)],
  [/^# branch\.head (?!\(detached\)$)(.+)$/u, (head, branch) => void (head.branch = branch)],
  [/^# branch\.upstream (.+)$/u, (head, upstream) => void (head.upstream = upstream)],
  [/^# branch\.ab \+(\d+) -(\d+)$/u, (head, ahead, behind) => void Object.assign(head, { ahead: Number(ahead), behind: Number(behind) })],
  [/^# stash (\d+)$/u, (head, stashes) => void (head.stashes = Number(stashes))],
];

const SPACE = 0x20;

/** Returns the rest of a record after a number of space-terminated fields: the path, which may contain anything. */
function afterFields(record: Buffer, count: number): Buffer {
  let at = 0;
  for (let field = 0; field < count; field += 1) at = record.indexOf(SPACE, at) + 1;
  return record.subarray(at);
}

/**
 * Parses `git status --porcelain=v2 --branch --show-stash -z`, record by record. The first character of
 * a record is its type, and a rename is followed by a record with the old path.
 */
export class StatusParser {
  readonly head: StatusHead = { stashes: 0 };
  readonly #onEntry: (entry: StatusEntry) => void;
  #renamed: StatusEntry | undefined;

  constructor(onEntry: (entry: StatusEntry) => void) {
    this.#onEntry = onEntry;
  }

  readonly take = (record: Buffer): void => {
    if (this.#renamed !== undefined) {
      this.#onEntry({ ...this.#renamed, from: record } as StatusEntry);
      this.#renamed = undefined;
      return;
    }
    // The letters are ASCII even if the path is not.
    const [kind, , x = '', y = ''] = record.subarray(0, 4).toString('latin1');
    if (kind === '#') this.#takeHead(record.toString('utf8'));
    else if (kind === '?') this.#onEntry({ kind: 'untracked', path: record.subarray(2) });
    else if (kind === '1') this.#onEntry(changed(x, y, afterFields(record, 8)));
    else if (kind === '2') this.#renamed = changed(x, y, afterFields(record, 9));
    else if (kind === 'u') {
      const conflict = Object.entries(CONFLICTS).find(([letters]) => letters === x + y)?.[1] ?? 'both_modified';
      this.#onEntry({ kind: 'conflicted', path: afterFields(record, 10), conflict });
    }
  };

  #takeHead(line: string): void {
    for (const [pattern, set] of HEAD_LINES) {
      const match = pattern.exec(line);
      if (match !== null) set(this.head, ...match.slice(1));
    }
  }
}

function changed(x: string, y: string, path: Buffer): StatusEntry {
  const staged = changeOf(x);
  const unstaged = changeOf(y);
  return { kind: 'changed', path, ...(staged === undefined ? {} : { staged }), ...(unstaged === undefined ? {} : { unstaged }) };
}
