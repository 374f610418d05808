import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { MAX_INDEX_BYTES, visitIndex } from '../git-format/visit-index.ts';
import { gitignoreMatcher } from '../policy/gitignore-pattern.ts';

/** A rule of an ignore file. */
interface IgnoreRule {
  readonly isKept: boolean;
  readonly matches: (path: string) => boolean;
}

/** The rules of one ignore file. */
interface IgnoreFile {
  /** The folder of the file with a slash at its end; empty for the root. */
  readonly base: string;
  /** Rules about a name at any depth: the answer for a name is always the same. */
  readonly byName: boolean;
  readonly rules: readonly IgnoreRule[];
  readonly answers: Map<string, boolean | undefined>;
}

/** Maximum number of characters of a rule: as many as a path can have. */
const MAX_RULE = 4_096;
/** Maximum number of remembered answers of a file. */
const MAX_ANSWERS = 20_000;

/** The rules that apply in a folder: those of the folders above first. */
export type IgnoreStack = readonly IgnoreFile[];

/**
 * Adds an ignore file to those of the folders above.
 *
 * @param folder the folder of the file; one character per byte (latin1), as all paths here
 * @param text the file, as latin1 too, so that names need no conversion
 */
export function withIgnoreFile(stack: IgnoreStack, folder: string, text: string): IgnoreStack {
  const rules: IgnoreRule[] = [];
  let byName = true;
  for (const line of text.replace(/^\xEF\xBB\xBF/u, '').split(/\r?\n/u)) {
    if (line.startsWith('#') || line.trim() === '' || line.length > MAX_RULE) continue;
    const isKept = line.startsWith('!');
    const pattern = isKept ? line.slice(1) : line.replace(/^\\(?=[!#])/u, '');
    if (pattern.replace(/ +$/u, '').slice(0, -1).includes('/') || pattern.startsWith('/')) byName = false;
    rules.push({ isKept, matches: gitignoreMatcher(pattern, false, true) });
  }
  if (rules.length === 0) return stack;
  return [...stack, { base: folder === '' ? '' : `${folder}/`, byName, rules: rules.toReversed(), answers: new Map() }];
}

/** Whether the rules ignore a path whose folders are not ignored. */
export function isIgnored(stack: IgnoreStack, path: string, isFolder: boolean): boolean {
  for (let at = stack.length - 1; at >= 0; at -= 1) {
    const file = stack[at];
    if (file === undefined) continue;
    const answer = answerOf(file, path, isFolder);
    if (answer !== undefined) return answer;
  }
  return false;
}

/** Whether a file's last rule for a path ignores it; undefined if none matches. */
function answerOf({ base, byName, rules, answers }: IgnoreFile, path: string, isFolder: boolean): boolean | undefined {
  const place = byName ? path.slice(path.lastIndexOf('/') + 1) : path.slice(base.length);
  const asked = isFolder ? `${place}/` : place;
  const known = byName ? answers.get(asked) : undefined;
  if (known !== undefined || (byName && answers.has(asked))) return known;
  const rule = rules.find(({ matches }) => matches(asked));
  const answer = rule === undefined ? undefined : !rule.isKept;
  if (byName && answers.size < MAX_ANSWERS) answers.set(asked, answer);
  return answer;
}

/** The largest file `.git` of a linked worktree: one line with a path. */
const MAX_POINTER_BYTES = 8 * 1024;

/** Where the index of the repository at a folder is; undefined without a repository. */
function indexFile(root: string): string | undefined {
  const git = join(root, '.git');
  const stat = statSync(git, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return join(git, 'index');
  if (stat?.isFile() !== true || stat.size > MAX_POINTER_BYTES) return undefined;
  const [, target] = /^gitdir: (.+?)\r?\n?$/u.exec(readFileSync(git, 'utf8')) ?? [];
  return target === undefined ? undefined : join(resolve(root, target), 'index');
}

/** What git tracks, as far as its index was readable. */
export interface TrackedPaths {
  /** Changes with the index. */
  readonly stamp: string;
  /** By path; one character per byte (latin1). */
  readonly paths: ReadonlySet<string>;
}

const NONE: TrackedPaths = { stamp: '', paths: new Set() };

/** Returns the paths that the repository of a workspace tracks: ignored ones count too. Reads the index only if it changed. */
export function trackedPaths(root: string, before: TrackedPaths = NONE): TrackedPaths {
  try {
    const file = indexFile(root);
    const stat = file === undefined ? undefined : statSync(file, { throwIfNoEntry: false });
    if (file === undefined || stat?.isFile() !== true || stat.size > MAX_INDEX_BYTES) return NONE;
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
    if (stamp === before.stamp) return before;
    const bytes = readFileSync(file);
    const paths = new Set<string>();
    let last = '';
    visitIndex(bytes, ({ name, zero, dropped }) => {
      const start = dropped === undefined ? '' : last.slice(0, last.length - dropped);
      last = start + bytes.toString('latin1', name, zero);
      paths.add(last);
    });
    return { stamp, paths };
  } catch {
    // It is being replaced, or closed to this user: then ignored files count as not tracked.
    return NONE;
  }
}
