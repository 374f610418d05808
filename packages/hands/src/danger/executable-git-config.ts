import { followed } from './link-route.ts';
import { foldBytes } from './protected-places.ts';
import { type GitSetting, plainValue, readSettings } from './git-settings.ts';
import { MAX_JUDGED_INDEX_BYTES, indexProblem } from './false-index.ts';
import { newPushHosts } from './push-hosts.ts';
import { cutHistory, objectReplacement } from './replaced-objects.ts';
import { below, join, nameOf, parentOf, resolveIn, type TreeView } from './tree-view.ts';

/** Settings that only describe a repository, or how git works or looks. All others could name a program, an included file, or another place. */
const HARMLESS: readonly RegExp[] = [
  /^core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|protecthfs|protectntfs)$/u,
  /^core\.(?:autocrlf|eol|safecrlf|whitespace|quotepath|abbrev|commentchar|sparsecheckout|sparsecheckoutcone)$/u,
  /^core\.(?:compression|bigfilethreshold|untrackedcache|preloadindex|fscache|longpaths|trustctime|checkstat|splitindex)$/u,
  /^remote\.(?:fetch|push|tagopt|promisor|partialclonefilter|prune|prunetags|mirror|skipdefaultupdate|skipfetchall)$/u,
  /^branch\.(?:merge|rebase|description|sort|autosetupmerge|autosetuprebase)$/u,
  /^user\.(?:name|email|useconfigonly|signingkey)$/u,
  /^extensions\.(?:objectformat|refstorage|partialclone|worktreeconfig|relativeworktrees)$/u,
  /^submodule\.(?:active|branch|ignore|fetchrecursesubmodules|path|recurse|fetchjobs)$/u,
  /^(?:color|column|advice|pack|index|feature|status|rerere|stash|versionsort|tag|i18n)\.[-\da-z]+$/u,
  /^(?:init\.defaultbranch|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|prunetags|parallel|writecommitgraph))$/u,
  /^(?:diff\.(?:algorithm|renames|renamelimit|colormoved|mnemonicprefix|noprefix|submodule|context)|merge\.(?:ff|conflictstyle|renames|renamelimit|stat|log))$/u,
  /^(?:rebase\.(?:autosquash|autostash|updaterefs|abbreviatecommands|stat|missingcommitscheck)|commit\.(?:verbose|status|cleanup)|log\.(?:date|decorate|follow))$/u,
  /^(?:gc\.(?:auto|autodetach|autopacklimit|pruneexpire|reflogexpire|reflogexpireunreachable)|maintenance\.(?:auto|strategy)|lfs\.(?:repositoryformatversion|access))$/u,
];
/** Settings that are harmless with these values. */
const HARMLESS_VALUES: Readonly<Record<string, RegExp>> = {
  'core.fsmonitor': /^(?:true|false)$/u,
  // Other values let other users of the machine change the repository.
  'core.sharedrepository': /^(?:false|umask|0)$/u,
  'core.hookspath': /^\/dev\/null$/u,
  'submodule.update': /^(?:checkout|rebase|merge|none)$/u,
  'filter.required': /^(?:true|false)$/u,
  // Exactly what `git lfs install` writes.
  'filter.clean': /^git-lfs clean -- %f$/u,
  'filter.smudge': /^git-lfs smudge (?:--skip )?-- %f$/u,
  'filter.process': /^git-lfs filter-process(?: --skip)?$/u,
};
/** Also where the name of a remote stands: git takes any other text there for an address. */
const ADDRESS = /^(?:remote\.(?:url|pushurl|pushdefault)|branch\.(?:remote|pushremote)|submodule\.url)$/u;
/** `ext::sh -c …` runs a command, `fd::` uses a descriptor, and a leading dash is an option of ssh. */
const PLAIN_ADDRESS = /^(?!-)(?!.*::)[^\0]+$/u;

function isHarmless({ name, value }: GitSetting): boolean {
  if (ADDRESS.test(name)) return PLAIN_ADDRESS.test(value.replaceAll('"', ''));
  return HARMLESS.some((pattern) => pattern.test(name)) || HARMLESS_VALUES[name]?.test(plainValue(value)) === true;
}

/** Returns the values of each setting that is not harmless, in order: the last one applies. */
function notHarmless(settings: readonly GitSetting[], isUsual: (setting: GitSetting) => boolean): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const setting of settings) {
    if (isHarmless(setting) || isUsual(setting)) continue;
    const key = JSON.stringify([setting.name, setting.subsection]);
    const known = values.get(key);
    if (known === undefined) values.set(key, [setting.value]);
    else known.push(setting.value);
  }
  return values;
}

/**
 * Returns the settings of a git configuration that could make git run something, or that cannot be parsed.
 * An allow-list: git adds settings that name programs more often than this file is updated.
 *
 * @param before the earlier text; its findings are not reported again
 * @param isUsual whether a setting is harmless in its place
 */
export function dangerousSettings(text: string, before = '', isUsual: (setting: GitSetting) => boolean = () => false): string[] {
  if (text === before && before !== '') return [];
  const { settings, isReadable } = readSettings(text);
  const old = notHarmless(readSettings(before).settings, isUsual);
  const found = new Set<string>();
  if (!isReadable) found.add('unreadable');
  for (const setting of newPushHosts(readSettings(before).settings, settings)) found.add(setting);
  const led = new Set([...found].map((one) => one.split(' to ', 1)[0]));
  for (const [key, values] of notHarmless(settings, isUsual)) {
    const [name] = JSON.parse(key) as [string, string];
    // With the host, it is said already.
    if (!led.has(name) && JSON.stringify(old.get(key)) !== JSON.stringify(values)) found.add(name);
  }
  return [...found];
}

/** Why something is dangerous. */
export type DangerReason = 'git-hook' | 'git-config' | 'git-pointer' | 'git-repository' | 'named-by-git' | 'protected' | 'instructions';

/** The finding for an entry. */
export interface DangerFinding {
  readonly reason: DangerReason;
  readonly detail: string;
}

/** What is needed to judge a file that git obeys. */
export interface OrderSources {
  /** The tree before the change. */
  readonly before: TreeView;
  /** The current or planned tree. */
  readonly after: TreeView;
  readonly rootPath: string;
  /** The folder of the repository. */
  readonly folder: string;
}

type Judge = (path: string, sources: OrderSources) => DangerFinding | undefined;

/** Maximum bytes of a text. A larger one counts as dangerous and is not read. */
export const MAX_TEXT_BYTES = 1024 * 1024;
const read = (view: TreeView, path: string): string | undefined => view.readText(path, MAX_TEXT_BYTES);
/** Whether a file is there whose text is not known, so that nothing can be compared with it. */
const isUnread = (view: TreeView, path: string): boolean => view.type(path) === 'file' && read(view, path) === undefined;

/** Returns a check for the usual `core.worktree`: in `.git/modules/a`, it names the submodule's working tree in the same workspace. */
function isUsualWorkTree({ rootPath, folder }: OrderSources): (setting: GitSetting) => boolean {
  return ({ name, value }) =>
    name === 'core.worktree' && /(?:^|\/)\.git\/modules\//u.test(`${folder}/`) && resolveIn(rootPath, folder, value) !== undefined;
}

const settings: Judge = (path, sources) => {
  const text = isUnread(sources.before, path) ? undefined : read(sources.after, path);
  const found = text === undefined ? ['unreadable'] : dangerousSettings(text, read(sources.before, path), isUsualWorkTree(sources));
  return found.length === 0 ? undefined : { reason: 'git-config', detail: found.join(', ') };
};

const commonFolder: Judge = (path, { after, folder }) => {
  const above = parentOf(parentOf(folder));
  // Only if that folder is itself a repository, and thus judged like one.
  if (read(after, path)?.trim() === '../..' && nameOf(parentOf(folder)) === 'worktrees' && isGitFolder(after, above)) return undefined;
  return { reason: 'git-pointer', detail: 'takes settings and hooks from another folder' };
};

/** Judges where the working tree of a repository is, which must be in the workspace. */
const workTree: Judge = (path, { after, rootPath, folder }) => {
  const lines = read(after, path)?.split('\n') ?? ['/'];
  const isInside = lines.every((line) => line.trim() === '' || resolveIn(rootPath, folder, line.trim()) !== undefined);
  return isInside ? undefined : { reason: 'git-pointer', detail: 'leads git to another folder' };
};

/** Where each new object is compared with its name (`changed-objects.ts`). A link in place of such a folder is never taken over. */
const CHECKED_STORE = /(?:^|\/)\.git\/(?:modules\/.+\/)?objects$/u;
/** Lines that name no store. */
const NO_STORE = /^(?:#|$)/u;

/** Judges the list of further stores of objects, which git reads as its own: another one could show other objects for those that were committed. */
const stores: Judge = (path, { before, after, rootPath, folder }) => {
  const known = new Set(read(before, path)?.split('\n'));
  const isChecked = (line: string): boolean => {
    // git unquotes it.
    const store = line.startsWith('"') ? undefined : resolveIn(rootPath, join(folder, 'objects'), line);
    return store !== undefined && CHECKED_STORE.test(store) && followed(after, rootPath, store) === store;
  };
  const lines = read(after, path)?.split('\n') ?? ['/'];
  const isUsual = lines.every((line) => NO_STORE.test(line) || known.has(line) || isChecked(line));
  return isUsual ? undefined : { reason: 'git-pointer', detail: 'leads git to objects that are not compared with their names' };
};

/** The lines of a todo list that run a command. */
export const execLines = (text: string | undefined): string[] => (text ?? 'exec').split('\n').filter((line) => /^\s*(?:x|exec)\b/u.test(line));

/** Judges the todo list of a rebase: `git rebase --continue` runs each exec line. */
const steps: Judge = (path, { before, after }) => {
  const known = new Set(before.type(path) === undefined ? [] : execLines(read(before, path)));
  const isNew = execLines(read(after, path)).some((line) => !known.has(line));
  return isNew ? { reason: 'git-hook', detail: 'git rebase --continue runs it' } : undefined;
};

/** The strategies of git itself. Of another name, git runs `git-merge-NAME`, which with a slash is in the working tree. */
const STRATEGY = /^(?:ort|recursive|resolve|octopus|ours|subtree)?$/u;

const strategy: Judge = (path, { after }) =>
  STRATEGY.test(read(after, path)?.trim() ?? '/') ? undefined : { reason: 'git-hook', detail: 'git rebase --continue runs a program of this name' };

/** Judges the options of a cherry-pick or revert in progress, which have the form of a configuration. */
const pickOptions: Judge = (path, { after }) => {
  const { settings: options, isReadable } = readSettings(read(after, path) ?? '=');
  const isUsual = isReadable && options.every(({ name, value }) => name !== 'options.strategy' || STRATEGY.test(plainValue(value)));
  return isUsual ? undefined : { reason: 'git-hook', detail: 'git cherry-pick --continue and git revert --continue run a program of this name' };
};

/** Judges what is staged, or a part of it. */
const staged: Judge = (path, { before, after, folder }) => {
  const type = after.type(path);
  if (type === 'folder') return undefined;
  if (type === 'link') return { reason: 'git-pointer', detail: 'a link, which leads git to another place' };
  const bytes = after.readBytes(path, MAX_JUDGED_INDEX_BYTES);
  const detail =
    bytes === undefined
      ? 'it is no file, or too large to see what git would write because of it'
      : indexProblem(bytes, (name) => after.readBytes(join(folder, name), MAX_JUDGED_INDEX_BYTES));
  if (detail === undefined || (bytes !== undefined && before.readBytes(path, MAX_JUDGED_INDEX_BYTES)?.equals(bytes) === true)) return undefined;
  return { reason: 'git-pointer', detail };
};
/** The common part of a split index. */
const SHARED_INDEX = /^sharedindex\./u;

const shallow: Judge = (_, sources) => {
  const detail = cutHistory(sources);
  return detail === undefined ? undefined : { reason: 'git-pointer', detail };
};

/** Judges what other programs than git keep in its folder. */
const ofProgram =
  (detail: string): Judge =>
  () => ({ reason: 'git-config', detail });

/** Judges a remote in a separate file: the form before there were settings for remotes. */
const oldRemote: Judge = () => ({ reason: 'git-config', detail: 'names a remote' });

/** Judges for the files in a repository's folder that make git run something, or lead it elsewhere. */
const ORDERS: ReadonlyMap<string, Judge> = new Map(
  Object.entries<Judge>({
    config: settings,
    'config.worktree': settings,
    commondir: commonFolder,
    index: staged,
    gitdir: workTree,
    'objects/info/alternates': stores,
    'objects/info/http-alternates': () => ({ reason: 'git-pointer', detail: 'leads git to another server' }),
    'rebase-merge/git-rebase-todo': steps,
    'rebase-merge/strategy': strategy,
    'sequencer/opts': pickOptions,
    // Its existence is enough: https://thoughtbot.com/blog/git-safe
    safe: ofProgram('shells with .git/safe/../../bin in their PATH run the programs in bin'),
    'lazygit.yml': ofProgram('lazygit runs commands that are named there'),
    'sl/config': ofProgram('Sapling runs hooks and aliases that are named there'),
  }),
);
/** The same for what stays where it is once it is there: a repository that needs it is damaged without it. */
const STAYING: ReadonlyMap<string, Judge> = new Map([['shallow', shallow]]);
/** Judges for folders with such files. */
const ORDER_FOLDERS: Readonly<Record<string, Judge>> = {
  hooks: () => ({ reason: 'git-hook', detail: 'git runs it' }),
  remotes: oldRemote,
  branches: oldRemote,
};

/** Whether git recognizes a folder as a repository or a worktree, by its contents. Any entry counts: a link may lead to a real one. */
export function looksLikeRepository(view: TreeView, folder: string): boolean {
  const has = (name: string): boolean => view.type(join(folder, name)) !== undefined;
  return has('HEAD') && ((has('objects') && has('refs')) || has('commondir'));
}

/** Whether a folder belongs to git, by its name or its contents. */
export function isGitFolder(view: TreeView, folder: string): boolean {
  return view.type(folder) === 'folder' && (foldBytes(nameOf(folder)) === '.git' || looksLikeRepository(view, folder));
}

/** Entries that make a folder a repository. */
export const REPOSITORY_MARKS: ReadonlySet<string> = new Set(['HEAD', 'objects', 'refs', 'commondir']);

/**
 * Where a link would lead git's writing elsewhere, such as the lines of a log, or bring orders from there. Git makes none itself. In
 * its other places, such as `annex` or `lfs`, other programs do.
 */
const NO_LINKS =
  /^(?:(?:objects|refs|logs|reftable|info|modules|worktrees|rebase-merge|rebase-apply|sequencer|sl)(?:\/|$)|(?:[A-Z_]*HEAD|[A-Z]+_MSG|index|packed-refs|shallow)$)/u;

/** Whether a folder is that of a new worktree elsewhere. As a whole: without its pointer, git could neither use nor remove the rest. */
function isLostWorktree(path: string, rest: string, { before, after, rootPath }: OrderSources): boolean {
  if (!/^worktrees\/[^/]+$/u.test(rest) || after.type(path) !== 'folder' || before.type(path) !== undefined) return false;
  const pointer = read(after, join(path, 'gitdir'))?.trim();
  return pointer !== undefined && resolveIn(rootPath, path, pointer) === undefined;
}

/** Judges the list of submodules, which is part of the commits: it may lead one that exists to another host. */
export function judgeSubmodules(path: string, { before, after }: Pick<OrderSources, 'before' | 'after'>): DangerFinding | undefined {
  const [old, now] = [read(before, path), read(after, path)];
  const isOnBothSides = before.type(path) !== undefined && after.type(path) !== undefined;
  if (isOnBothSides && (isUnread(before, path) || isUnread(after, path))) return { reason: 'protected', detail: 'it is too large to be compared' };
  if (old === undefined || now === undefined || old === now) return undefined;
  const hosts = newPushHosts(readSettings(old).settings, readSettings(now).settings);
  return hosts.length === 0 ? undefined : { reason: 'protected', detail: hosts.join(', ') };
}

/** Judges an entry in, or in place of, a folder of which git runs or obeys each file; undefined for others. */
function judgeInFolder(path: string, rest: string, sources: OrderSources): DangerFinding | undefined {
  const { after } = sources;
  const [first = '', second, ...more] = rest.split('/');
  const judge = Object.hasOwn(ORDER_FOLDERS, first) ? ORDER_FOLDERS[first] : undefined;
  if (judge === undefined) return undefined;
  // A file or a link in place of the folder brings in files from elsewhere.
  if (second === undefined) return after.type(path) === 'folder' ? undefined : { reason: 'git-hook', detail: `stands in for the folder ${first}` };
  return more.length > 0 || second.endsWith('.sample') || after.type(path) === 'folder' ? undefined : judge(path, sources);
}

/** Judges an entry in a repository's folder; undefined if git neither runs nor obeys it. */
export function judgeOrder(path: string, sources: OrderSources): DangerFinding | undefined {
  const { after, folder } = sources;
  const rest = below(folder, path);
  const judge = SHARED_INDEX.test(rest) ? staged : (ORDERS.get(rest) ?? STAYING.get(rest));
  if (judge !== undefined) return judge(path, sources);
  if (isLostWorktree(path, rest, sources)) return { reason: 'git-pointer', detail: 'a worktree outside the workspace, where commands leave nothing' };
  if (NO_LINKS.test(rest) && after.type(path) === 'link') return { reason: 'git-pointer', detail: 'a link, which leads git to another place' };
  const replacement = objectReplacement(rest, sources);
  return replacement === undefined ? judgeInFolder(path, rest, sources) : { reason: 'git-pointer', detail: replacement };
}

/** Returns the existing paths that {@link judgeOrder} would judge, but for those that stay. */
export function ordersIn(view: TreeView, folder: string): string[] {
  const files = Array.from(ORDERS.keys(), (name) => join(folder, name));
  const folders = Object.keys(ORDER_FOLDERS).map((name) => join(folder, name));
  const below = folders.flatMap((path) => (view.names(path) ?? []).filter((name) => !name.endsWith('.sample')).map((name) => join(path, name)));
  const shared = (view.names(folder) ?? []).filter((name) => SHARED_INDEX.test(name)).map((name) => join(folder, name));
  return [...files, ...shared, ...folders.filter((path) => view.names(path) === undefined), ...below].filter((path) => view.type(path) !== undefined);
}

const MAX_POINTER_BYTES = 8192;
/** Where git keeps the repositories of submodules and worktrees; these are judged like any other. */
const KEPT_BY_GIT = /(?:^|\/)\.git\/(?:modules|worktrees)\/[^/]/u;

/** Returns where a file named `.git`, or a link to one, leads inside the workspace. */
function pointsTo(view: TreeView, rootPath: string, path: string): string | undefined {
  const target = /^gitdir: (?<path>.+)$/u.exec(view.readText(followed(view, rootPath, path), MAX_POINTER_BYTES)?.trim() ?? '')?.groups?.['path'];
  return target === undefined ? undefined : resolveIn(rootPath, parentOf(path), target);
}

/** Whether a file named `.git` is one that `git submodule` and `git worktree` write. */
export function isUsualPointer(view: TreeView, rootPath: string, path: string): boolean {
  return view.type(path) === 'file' && KEPT_BY_GIT.test(pointsTo(view, rootPath, path) ?? '');
}

/**
 * Returns the configurations of the repository whose working tree is the folder, or of the one that the folder itself is;
 * empty for other folders. Links are followed as git does.
 */
export function configurationsOf(view: TreeView, rootPath: string, folder: string): string[] {
  const path = join(folder, '.git');
  const type = view.type(followed(view, rootPath, path));
  const bare = view.type(path) === undefined && foldBytes(nameOf(folder)) !== '.git' && looksLikeRepository(view, folder) ? folder : undefined;
  const repository = type === 'folder' ? path : type === 'file' ? pointsTo(view, rootPath, path) : bare;
  if (repository === undefined) return [];
  const real = followed(view, rootPath, repository);
  const pointer = view.readText(followed(view, rootPath, join(real, 'commondir')), MAX_POINTER_BYTES)?.trim() ?? '.';
  const common = resolveIn(rootPath, real, pointer);
  return [...(common === undefined ? [] : [join(common, 'config')]), join(real, 'config.worktree')];
}
