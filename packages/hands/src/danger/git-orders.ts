import { foldBytes } from './fold-name.ts';
import { dangerousSettings } from './git-config.ts';
import type { GitSetting } from './git-settings.ts';
import { join, nameOf, parentOf, resolveIn, type TreeView } from './tree-view.ts';

/** Why something is dangerous. */
export type DangerReason = 'git-hook' | 'git-config' | 'git-pointer' | 'git-repository' | 'named-by-git' | 'protected' | 'instructions';

/** What was found in an entry. */
export interface Finding {
  readonly reason: DangerReason;
  readonly detail: string;
}

/** What an order is judged with. */
export interface OrderSources {
  /** The tree as it was. */
  readonly before: TreeView;
  /** The tree as it is, or would be. */
  readonly after: TreeView;
  readonly rootPath: string;
  /** The folder of the repository. */
  readonly folder: string;
}

type Judge = (path: string, sources: OrderSources) => Finding | undefined;

/** A text of more bytes is taken for dangerous and not read. */
const MAX_TEXT_BYTES = 1024 * 1024;
const read = (view: TreeView, path: string): string | undefined => view.readText(path, MAX_TEXT_BYTES);

/** `.git/modules/a` names its working tree, which lies in the same workspace. */
function isUsualWorkTree({ rootPath, folder }: OrderSources): (setting: GitSetting) => boolean {
  return ({ name, value }) =>
    name === 'core.worktree' && /(?:^|\/)\.git\/modules\//u.test(`${folder}/`) && resolveIn(rootPath, folder, value) !== undefined;
}

const settings: Judge = (path, sources) => {
  const text = read(sources.after, path);
  const found = text === undefined ? ['unreadable'] : dangerousSettings(text, read(sources.before, path), isUsualWorkTree(sources));
  return found.length === 0 ? undefined : { reason: 'git-config', detail: found.join(', ') };
};

const commonFolder: Judge = (path, { after, folder }) => {
  const above = parentOf(parentOf(folder));
  // Only where that folder is a repository itself, and so is judged like one.
  if (read(after, path)?.trim() === '../..' && nameOf(parentOf(folder)) === 'worktrees' && isGitFolder(after, above)) return undefined;
  return { reason: 'git-pointer', detail: 'takes settings and hooks from another folder' };
};

/** Each line leads git to a folder, which must lie in the workspace. */
const leadsTo =
  (from: (folder: string) => string): Judge =>
  (path, { after, rootPath, folder }) => {
    const lines = read(after, path)?.split('\n') ?? ['/'];
    const isInside = lines.every(
      (line) => line.trim() === '' || line.startsWith('#') || resolveIn(rootPath, from(folder), line.trim()) !== undefined,
    );
    return isInside ? undefined : { reason: 'git-pointer', detail: 'leads git to another folder' };
  };

const execLines = (text: string | undefined): string[] => (text ?? 'exec').split('\n').filter((line) => /^\s*(?:x|exec)\b/u.test(line));

/** What is left of a rebase goes on with `git rebase --continue`, and that runs each such line. */
const steps: Judge = (path, { before, after }) => {
  const known = new Set(before.type(path) === undefined ? [] : execLines(read(before, path)));
  const isNew = execLines(read(after, path)).some((line) => !known.has(line));
  return isNew ? { reason: 'git-hook', detail: 'git rebase --continue runs it' } : undefined;
};

const strategy: Judge = (path, { after }) =>
  /^(?:ort|recursive|resolve|octopus|ours|subtree)?$/u.test(read(after, path)?.trim() ?? '/')
    ? undefined
    : { reason: 'git-hook', detail: 'git rebase --continue runs a program of this name' };

/** A remote in a file of its own: the form before there were settings for it. */
const oldRemote: Judge = () => ({ reason: 'git-config', detail: 'names a remote' });

/** The files in the folder of a repository that make git run something, or lead it elsewhere. */
const ORDERS: Readonly<Record<string, Judge>> = {
  config: settings,
  'config.worktree': settings,
  commondir: commonFolder,
  gitdir: leadsTo((folder) => folder),
  'objects/info/alternates': leadsTo((folder) => join(folder, 'objects')),
  'objects/info/http-alternates': () => ({ reason: 'git-pointer', detail: 'leads git to another server' }),
  'rebase-merge/git-rebase-todo': steps,
  'rebase-merge/strategy': strategy,
};
/** Folders whose files are orders. */
const ORDER_FOLDERS: Readonly<Record<string, Judge>> = {
  hooks: () => ({ reason: 'git-hook', detail: 'git runs it' }),
  remotes: oldRemote,
  branches: oldRemote,
};

/** Whether git takes a folder for a repository, or the folder of a worktree, by what is in it. Any entry counts: a link may lead to the real one. */
export function looksLikeRepository(view: TreeView, folder: string): boolean {
  const has = (name: string): boolean => view.type(join(folder, name)) !== undefined;
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'));
}

/** Whether a folder is one of git: by its name, or by what is in it. */
export function isGitFolder(view: TreeView, folder: string): boolean {
  return view.type(folder) === 'folder' && (foldBytes(nameOf(folder)) === '.git' || looksLikeRepository(view, folder));
}

/** What makes a folder a repository. */
export const REPOSITORY_MARKS: ReadonlySet<string> = new Set(['HEAD', 'objects', 'refs', 'commondir']);

/** Judges an entry in the folder of a repository; undefined where git neither runs it nor takes orders from it. */
export function judgeOrder(path: string, sources: OrderSources): Finding | undefined {
  const { after, folder } = sources;
  const rest = path.slice(folder.length + 1);
  const judge = ORDERS[rest];
  if (judge !== undefined) return judge(path, sources);
  const [first = '', second, ...more] = rest.split('/');
  const judgeBelow = Object.hasOwn(ORDER_FOLDERS, first) ? ORDER_FOLDERS[first] : undefined;
  if (judgeBelow === undefined) return undefined;
  // A file or a link in the place of the folder brings its files from elsewhere.
  if (second === undefined) return after.type(path) === 'folder' ? undefined : { reason: 'git-hook', detail: `stands in for the folder ${first}` };
  return more.length > 0 || second.endsWith('.sample') || after.type(path) === 'folder' ? undefined : judgeBelow(path, sources);
}

/** The paths of what {@link judgeOrder} would judge, as far as it exists. */
export function ordersIn(view: TreeView, folder: string): string[] {
  const files = Object.keys(ORDERS).map((name) => join(folder, name));
  const folders = Object.keys(ORDER_FOLDERS).map((name) => join(folder, name));
  const below = folders.flatMap((path) => (view.names(path) ?? []).filter((name) => !name.endsWith('.sample')).map((name) => join(path, name)));
  return [...files, ...folders.filter((path) => view.names(path) === undefined), ...below].filter((path) => view.type(path) !== undefined);
}
