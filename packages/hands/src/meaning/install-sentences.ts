import { count, size } from '../text/amounts.ts';
import { PACKAGE_MANAGERS, type PackageManager } from './package-files.ts';
import { shownName } from './quoted.ts';

/** A changed file that lists packages, with its text before and after. */
export interface ChangedList {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A folder whose content is only counted. */
export interface FoldedFolder {
  readonly path: string;
  /** Number of files that are new, changed or deleted in it, and the bytes of those that are not deleted. */
  readonly files: number;
  readonly bytes: number;
  /** Number of packages in it that are new, changed and deleted. */
  readonly packages: { readonly added: number; readonly changed: number; readonly deleted: number };
  /** Whether the repository ignores it; undefined if that is not known. */
  readonly isIgnored?: boolean;
}

/** What a command did to the packages of a project. */
export interface PackageFacts {
  /** Paths of all changed manifests and lock files. */
  readonly files: readonly string[];
  /** Those lock files of which both texts can be read. */
  readonly locks: readonly ChangedList[];
  readonly folders: readonly FoldedFolder[];
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

interface Amounts {
  readonly added: number;
  readonly changed: number;
  readonly deleted: number;
}

/** Compares the packages of a lock file: one with another version is changed. */
function comparedLists(packages: (text: string) => Iterable<string>, { before, after }: ChangedList): Amounts {
  const [old, now] = [new Set(packages(before)), new Set(packages(after))];
  const nameIn = (one: string): string => one.slice(0, Math.max(0, one.lastIndexOf('@')));
  const gone = [...old].filter((one) => !now.has(one)).map(nameIn);
  const come = [...now].filter((one) => !old.has(one)).map(nameIn);
  const [goneNames, comeNames] = [new Set(gone), new Set(come)];
  return {
    added: come.filter((name) => !goneNames.has(name)).length,
    changed: come.filter((name) => goneNames.has(name)).length,
    deleted: gone.filter((name) => !comeNames.has(name)).length,
  };
}

const sum = (all: readonly Amounts[]): Amounts =>
  all.reduce((one, other) => ({ added: one.added + other.added, changed: one.changed + other.changed, deleted: one.deleted + other.deleted }), {
    added: 0,
    changed: 0,
    deleted: 0,
  });

const isNothing = ({ added, changed, deleted }: Amounts): boolean => added + changed + deleted === 0;

/** `installs 3 packages, updates 1 and removes 2`. */
function inWords({ added, changed, deleted }: Amounts, [adds, changes, removes]: readonly [string, string, string]): string {
  const parts = (
    [
      [adds, added],
      [changes, changed],
      [removes, deleted],
    ] as const
  ).filter(([, amount]) => amount > 0);
  const words = parts.map(([verb, amount], index) => `${verb} ${index === 0 ? count(amount, 'package') : amount.toLocaleString('en')}`);
  const last = words.pop() ?? '';
  return words.length === 0 ? last : `${words.join(', ')} and ${last}`;
}

const INSTALLED = ['installs', 'updates', 'removes'] as const;
const LOCKED = ['adds', 'changes', 'removes'] as const;

/** What git does with a folder, after a separator. */
const inGit = ({ isIgnored }: FoldedFolder, separator: string): string =>
  isIgnored === undefined ? '' : `${separator}${isIgnored ? 'ignored by git' : 'NOT ignored by git'}`;

/** Maximum number of names in parentheses. */
const MAX_NAMED = 4;

function named(files: readonly string[], folders: readonly FoldedFolder[]): string {
  const list = files.slice(0, MAX_NAMED).map(shownName);
  const more = files.length - MAX_NAMED;
  const first = [...list, ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : [])].join(', ');
  const kept = folders.slice(0, MAX_NAMED).map((folder) => `${shownName(folder.path)}${inGit(folder, ' ')}`);
  const all = [...(first === '' ? [] : [first]), ...(kept.length === 0 ? [] : [kept.join(', ')])].join('; ');
  return all === '' ? '' : ` (${all})`;
}

/** A sentence about packages, with the changed files that it is about. */
interface InstallSentence {
  readonly said: string;
  readonly files: readonly string[];
}

function ofManager({ manifests, locks, folders: names }: PackageManager, facts: PackageFacts): InstallSentence[] {
  const folders = facts.folders.filter(({ path }) => names.some((name) => path === name || path.endsWith(`/${name}`)));
  const files = facts.files.filter((path) => manifests.includes(nameOf(path)) || Object.hasOwn(locks, nameOf(path)));
  const installed = sum(folders.map(({ packages }) => packages));
  if (!isNothing(installed)) return [{ said: `${inWords(installed, INSTALLED)}${named(files, folders)}`, files }];
  const locked = sum(
    facts.locks.flatMap((list) => {
      const packages = Object.hasOwn(locks, nameOf(list.path)) ? locks[nameOf(list.path)] : undefined;
      return packages === undefined ? [] : [comparedLists(packages, list)];
    }),
  );
  if (isNothing(locked)) return [];
  return [{ said: `${inWords(locked, LOCKED)} that later builds download and run${named(files, folders)}`, files }];
}

/** Returns what a command did to packages, one sentence for each package manager. */
export function installSentences(facts: PackageFacts): InstallSentence[] {
  return PACKAGE_MANAGERS.flatMap((manager) => ofManager(manager, facts));
}

/** A folder whose content is only counted, in one line. */
export function foldedLine(folder: FoldedFolder): string {
  const { path, files, bytes, packages } = folder;
  const all = packages.added + packages.changed + packages.deleted;
  return `${path}/: ${all === 0 ? '' : `${count(all, 'package')}, `}${count(files, 'file')}, ${size(bytes)}${inGit(folder, ', ')}`;
}
