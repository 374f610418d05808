import { MAX_TEXT_BYTES } from '../danger/executable-git-config.ts';
import { readSettings } from '../danger/git-settings.ts';
import { isGitData, settingsPlace } from '../danger/git-data.ts';
import { changeSentences, type PlainChange } from '../meaning/change-sentences.ts';
import { gitSentences } from '../meaning/git-sentences.ts';
import { installSentences, type FoldedFolder } from '../meaning/install-sentences.ts';
import { packageFile } from '../meaning/package-files.ts';
import { pushSentences } from '../meaning/push-places.ts';
import { shownName } from '../meaning/quoted.ts';
import type { ReferenceChange } from '../meaning/repository-change.ts';
import { submoduleSentences } from '../meaning/submodule-sentences.ts';
import type { EffectChange } from '../dry-run/show-effect.ts';
import { count } from '../text/amounts.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import type { ChangeViews } from './overlay-view.ts';
import type { PlannedEntry, ReadChanges } from './planned-entry.ts';

/** Maximum bytes of a lock file that is read for a sentence. */
const MAX_LOCK_BYTES = 16 * 1024 * 1024;
const SUBMODULES = /^(?:(?<folder>.*)\/)?\.gitmodules$/u;
/** A diff that was cut ends in this. */
const CUT = /^… /mu;

/** What is known of changes when a question is asked. */
export interface MeaningFacts {
  readonly views: Pick<ChangeViews, 'before' | 'after'>;
  readonly read: Pick<ReadChanges, 'checkedOut'>;
  /** The changes that are listed, without git's data. */
  readonly listed: readonly PlannedEntry[];
  readonly folded: readonly FoldedFolder[];
  readonly references: readonly ReferenceChange[];
  /** The changes as they are shown. */
  readonly shown: readonly EffectChange[];
  /** Throws if the reader may not see the content of a place. */
  readonly mayRead: (location: WorkspacePath) => void;
}

function isReadable(location: WorkspacePath, mayRead: MeaningFacts['mayRead']): boolean {
  try {
    mayRead(location);
    return true;
  } catch {
    // A rule denies it: then no sentence is made from its content either.
    return false;
  }
}

/** The text of a file before and after; empty where there is none. Undefined if a side cannot be read: a sentence would be a guess. */
function bothSides(views: MeaningFacts['views'], location: WorkspacePath, maxBytes: number): { before: string; after: string } | undefined {
  const at = bytePath(location);
  const [before, after] = [views.before, views.after].map((view) => (view.type(at) === undefined ? '' : view.readText(at, maxBytes)));
  return before === undefined || after === undefined ? undefined : { before, after };
}

/** Sentences about one file with settings. */
interface SettingsMeaning {
  readonly path: string;
  readonly said: readonly string[];
}

/** Whose settings they are, where it is not the workspace's own repository. */
function owner(path: string): string | undefined {
  const { folder, worktree, submodule } = settingsPlace(path) ?? { folder: SUBMODULES.exec(path)?.groups?.['folder'] };
  const parts = [
    ...(folder === undefined ? [] : [shownName(folder)]),
    ...(worktree === undefined ? [] : [`worktree ${shownName(worktree)}`]),
    ...(submodule === undefined ? [] : [`submodule ${shownName(submodule)}`]),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** What changed settings mean, for each file that has such settings. */
function ofSettings(
  { listed, views, mayRead }: MeaningFacts,
  hasSettings: (path: string) => boolean,
  sentences: typeof pushSentences,
): SettingsMeaning[] {
  return listed.flatMap(({ path, location }) => {
    if (!hasSettings(path) || !isReadable(location, mayRead)) return [];
    const sides = bothSides(views, location, MAX_TEXT_BYTES);
    if (sides === undefined) return [];
    const said = sentences(readSettings(sides.before).settings, readSettings(sides.after).settings);
    const whose = owner(path);
    return said.length === 0 ? [] : [{ path, said: whose === undefined ? said : said.map((one) => `in ${whose}: ${one}`) }];
  });
}

function ofPackages({ views, listed, folded, mayRead }: MeaningFacts): ReturnType<typeof installSentences> {
  const files = listed.filter(({ path, type, isTimeOnly }) => type === 'file' && !isTimeOnly && packageFile(path) !== undefined);
  const locks = files.flatMap(({ path, location }) => {
    if (packageFile(path) !== 'lock' || !isReadable(location, mayRead)) return [];
    const sides = bothSides(views, location, MAX_LOCK_BYTES);
    return sides === undefined ? [] : [{ path, ...sides }];
  });
  return installSentences({ files: files.map(({ path }) => path), locks, folders: folded });
}

const KINDS = { added: 'created', changed: 'changed', deleted: 'deleted', metadata: 'changed' } as const;

function ofFiles({ listed, shown, folded }: MeaningFacts, isTold: (path: string) => boolean): string[] {
  const diffs = new Map(shown.map(({ path, diff }) => [path, diff]));
  const files = listed.filter(({ path, isTimeOnly }) => !isTimeOnly && !isTold(path));
  const modes = files.filter(({ kind }) => kind === 'metadata');
  const plain = files
    .filter(({ kind, type }) => kind !== 'metadata' && !(type === 'directory' && kind === 'changed'))
    .map((change): PlainChange => {
      const diff = diffs.get(change.path);
      return { kind: KINDS[change.kind], path: change.path, files: change.files, diff: diff === undefined || CUT.test(diff) ? undefined : diff };
    });
  const counted = folded
    .filter(({ packages: { added, changed, deleted } }) => added + changed + deleted === 0)
    .map((folder) => `changes ${count(folder.files, 'file')} in ${shownName(folder.path)}${folder.isIgnored === true ? ', ignored by git' : ''}`);
  const [first] = modes;
  const permissions =
    first === undefined ? [] : [`changes the permissions of ${modes.length === 1 ? shownName(first.path) : count(modes.length, 'entry', 'entries')}`];
  return [...changeSentences(plain), ...counted, ...permissions];
}

/** Maximum number of files of a kind that a sentence names. */
const MAX_NAMED = 3;

function ofCheckedOut({ read: { checkedOut } }: MeaningFacts): string[] {
  if (checkedOut.length === 0) return [];
  const more = checkedOut.length - MAX_NAMED;
  const names = checkedOut.slice(0, MAX_NAMED).map(({ path }) => shownName(path));
  return [`brings what other programs execute or obey: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}

/** What changes mean. */
export interface ChangeMeaning {
  readonly sentences: readonly string[];
  /** The files with settings of which the sentences say what they mean for later commits and pushes. */
  readonly settings: ReadonlySet<string>;
}

/**
 * Returns what the changes of a command mean, one sentence each: what other programs execute first, then what happened to branches,
 * remotes and packages, then to other files. Taken from what is there now and was there before, never from the words of the command.
 */
export function changeMeaning(facts: MeaningFacts): ChangeMeaning {
  const packages = ofPackages(facts);
  const submodules = ofSettings(facts, (path) => SUBMODULES.test(path), submoduleSentences);
  const pushes = ofSettings(facts, (path) => settingsPlace(path) !== undefined, pushSentences);
  const told = new Set([...packages.flatMap(({ files }) => files), ...[...submodules, ...pushes].map(({ path }) => path)]);
  const isTold = (path: string): boolean => told.has(path) || isGitData(path.toLowerCase());
  const said = (all: readonly SettingsMeaning[]): string[] => all.flatMap((one) => one.said);
  const sentences = [
    ...ofCheckedOut(facts),
    ...said(pushes),
    ...gitSentences(facts.references),
    ...said(submodules),
    ...packages.map((one) => one.said),
    ...ofFiles(facts, isTold),
  ];
  return { sentences, settings: new Set(pushes.map(({ path }) => path)) };
}
