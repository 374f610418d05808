import type { PushedUpdate, PushFacts } from '../meaning/push-sentences.ts';
import { type PushedRef, pushWords, refsOf } from '../meaning/push-words.ts';
import { shownName } from '../meaning/quoted.ts';
import { lastValue, type RemoteSettings } from '../danger/remote-settings.ts';
import { isOn } from '../meaning/remote-addresses.ts';
import { count } from '../text/amounts.ts';
import { contactPlaces, contactView } from './contact-places.ts';
import { commitOf, hasRefs, missingCommits, refsIn, replacesCommits } from './pushed-commits.ts';
import type { Repository } from './repository.ts';

/** Maximum number of references that are looked at. */
const MAX_REFS = 4;
/** Names that git accepts for references, and that are no pattern. */
const REF_NAME = /^(?!-)(?!.*\.\.)[^\s~^:?*[\\\p{Cc}]+$/u;
/** Where the branches of others are remembered. A setting can name any other place, such as the branches here. */
const TRACKING = 'refs/remotes/';

/** Whether another remote is remembered in the same folder. */
const isShared = (settings: RemoteSettings, remote: string, folder: string): boolean =>
  settings
    .subsections('remote.fetch')
    .some((other) => other !== remote && settings.all('remote.fetch', other).some((spec) => spec.split(':')[1]?.startsWith(folder) === true));

/** Where a branch of the other side is remembered here; undefined if it is not. */
function trackingOf(settings: RemoteSettings, remote: string, target: string): { readonly name: string; readonly all: string } | undefined {
  const specs = settings.all('remote.fetch', remote);
  // Some branches are left out.
  if (specs.some((spec) => spec.startsWith('^'))) return undefined;
  for (const spec of specs) {
    const [from = '', to = ''] = spec.replace(/^\+/u, '').split(':', 2);
    const star = from.indexOf('*');
    const [start, end] = star === -1 ? [from, ''] : [from.slice(0, star), from.slice(star + 1)];
    const isMatch = star === -1 ? target === from : target.startsWith(start) && target.endsWith(end) && target.length >= from.length;
    if (!isMatch || !to.startsWith('refs/')) continue;
    const name = star === -1 ? to : to.replace('*', () => target.slice(start.length, target.length - end.length));
    const folder = to.slice(0, (star === -1 ? to : to.slice(0, to.indexOf('*'))).lastIndexOf('/') + 1);
    const isTracking = folder.length > TRACKING.length && [name, folder].every((one) => one.startsWith(TRACKING) && REF_NAME.test(one));
    return isTracking && !isShared(settings, remote, folder) ? { name, all: folder } : undefined;
  }
  return undefined;
}

const isHead = (source: string | undefined): boolean => source === 'HEAD' || source === '@';
const whole = (name: string): readonly string[] => (name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`, `refs/${name}`]);

/** The names here that a source may mean, of which one should exist; empty if it is not a name. */
function sourcesOf(source: string | undefined, branch: string | undefined): readonly string[] {
  if (isHead(source)) return branch === undefined || !REF_NAME.test(branch) ? [] : [`refs/heads/${branch}`];
  return source === undefined || !REF_NAME.test(source) ? [] : whole(source);
}

/** What goes where a push names nothing; undefined if that is not known. */
function usualRefs(settings: RemoteSettings, remote: string, branch: string | undefined): readonly PushedRef[] | 'matching' | undefined {
  const configured = settings.all('remote.push', remote);
  if (configured.length > 0) return refsOf(configured);
  const how = lastValue(settings, 'push.default') ?? 'simple';
  if (how === 'matching') return 'matching';
  if (branch === undefined || how === 'nothing') return [];
  const source = `refs/heads/${branch}`;
  if (!isUpstream(how)) return [{ source, target: undefined, isForced: false }];
  const [target, ...more] = settings.all('branch.merge', branch);
  return target === undefined || more.length > 0 ? undefined : [{ source, target, isForced: false }];
}

/** Whether a branch goes to the one that it is merged from. */
const isUpstream = (how: string | undefined): boolean => how === 'upstream' || how === 'tracking';

/** Whether settings give a branch that a push names another name on the other side. */
function isMapped({ settings, remote, isNamed }: Looking, source: string): boolean {
  if (!isNamed) return false;
  if (settings.all('remote.push', remote).length > 0) return true;
  const branch = source.replace(/^refs\/heads\//u, '');
  return isUpstream(lastValue(settings, 'push.default')) && settings.all('branch.merge', branch).some((target) => target !== source);
}

const SETS: Readonly<Record<string, string>> = {
  branches: 'all branches',
  tags: 'all tags',
  mirror: 'all branches and tags, and deletes there what is not here,',
  matching: 'all branches that are on both sides',
};

interface Looking {
  readonly repository: Repository;
  readonly settings: RemoteSettings;
  readonly remote: string;
  readonly branch: string | undefined;
  readonly isForced: boolean;
  /** Whether the command names the references, and not a setting. */
  readonly isNamed: boolean;
  /** Whether what is remembered of the remote counts. */
  readonly isRemembered: boolean;
}

/** Names on the other side that mean something else there than a new branch of this name. */
const UNCLEAR_TARGET = /^(?:HEAD|@|refs|(?:heads|tags|remotes)\/.*)$/u;

/** Whether a short name on the other side is that of a branch, as far as is known here; or of a tag, for a tag. */
async function isPlainTarget(target: string, source: string | undefined, repository: Repository): Promise<boolean> {
  const isTag = source?.startsWith('refs/tags/') === true;
  const others = [`refs/${isTag ? 'heads' : 'tags'}/${target}`, `refs/${target}`];
  const found = REF_NAME.test(target) ? await refsIn(repository, others) : undefined;
  // What is below such a name is listed too.
  return found !== undefined && others.every((name) => !found.has(name));
}

/** Returns what happens to a reference of the other side; undefined if only git can tell which one that is. */
async function updateOf(ref: PushedRef, looking: Looking): Promise<PushedUpdate | undefined> {
  const { repository, settings, remote, branch } = looking;
  const isForced = ref.isForced || looking.isForced;
  const short = (name: string): string => name.replace(/^refs\/(?:heads|tags)\//u, '');
  if (ref.source === undefined) {
    return { target: ref.target ?? '', source: undefined, isDeleted: true, isForced, isKnown: undefined, sent: undefined, lost: undefined };
  }
  if (ref.target !== undefined && UNCLEAR_TARGET.test(ref.target)) return undefined;
  const here = await refsIn(repository, sourcesOf(ref.source, branch));
  const found = sourcesOf(ref.source, branch).filter((name) => here?.has(name) === true);
  const [source] = found;
  // git refuses a name that means more than one.
  if (here === undefined || found.length > 1) return undefined;
  if (ref.target === undefined && (source === undefined || isMapped(looking, source))) return undefined;
  // A short name on the other side is of the same kind as here, unless it is the name of something else there, such as a tag.
  if (ref.target !== undefined && !ref.target.startsWith('refs/') && !(await isPlainTarget(ref.target, source, repository))) return undefined;
  const kind = source?.startsWith('refs/tags/') === true ? 'refs/tags/' : 'refs/heads/';
  const target = ref.target === undefined ? (source ?? '') : ref.target.startsWith('refs/') ? ref.target : `${kind}${ref.target}`;
  const shownSource = short(source ?? ref.source);
  // For a commit without a name, git accepts a short one only if it is there already.
  const isWhole = source !== undefined || ref.target?.startsWith('refs/') === true;
  const said = { target, source: shownSource === short(target) ? undefined : shownSource, isDeleted: false, isForced };
  const unknown: PushedUpdate | undefined = isWhole ? { ...said, isKnown: undefined, sent: undefined, lost: undefined } : undefined;
  const commit = source === undefined ? await commitOf(repository, ref.source) : here.get(source);
  const tracking = looking.isRemembered ? trackingOf(settings, remote, target) : undefined;
  if (commit === undefined || tracking === undefined) return unknown;
  const there = await refsIn(repository, [tracking.name]);
  const theirs = there?.get(tracking.name);
  if (there === undefined) return unknown;
  if (theirs !== undefined) {
    const sent = await missingCommits(repository, { commit, without: { commit: theirs } });
    const lost = await missingCommits(repository, { commit: theirs, without: { commit } });
    return sent === undefined || lost === undefined ? unknown : { ...said, isKnown: true, sent, lost };
  }
  if (!isWhole || !(await hasRefs(repository, tracking.all))) return unknown;
  const sent = await missingCommits(repository, { commit, without: { folder: tracking.all } });
  return sent === undefined ? unknown : { ...said, isKnown: false, sent, lost: undefined };
}

/** What is read of a push. */
export interface PushQuestion {
  /** The words after `git push`. */
  readonly words: ReadonlyArray<string | undefined>;
  /** Whether earlier commands may change what is pushed. */
  readonly isEarly: boolean;
}

/** Whether new commits of submodules go too, by the settings. */
const sendsSubmodules = (settings: RemoteSettings): boolean =>
  ['on-demand', 'only'].includes(lastValue(settings, 'push.recursesubmodules') ?? '') || isOn(lastValue(settings, 'submodule.recurse'));

/** Returns where a push goes and what it sends, as far as the repository tells; undefined if its words or the remote are not certain. */
export async function pushFacts(repository: Repository, { words: given, isEarly }: PushQuestion): Promise<PushFacts | undefined> {
  const words = pushWords(given);
  const view = words === undefined ? undefined : contactView(repository);
  const contact = words === undefined || view === undefined ? undefined : contactPlaces(view, words.repository, 'push');
  if (words === undefined || contact === undefined) return undefined;
  const { remote, places, settings, branch } = contact;
  const isMirror = isOn(lastValue(settings, 'remote.mirror', remote));
  const isForced = words.isForced || isMirror;
  const facts = { places, isForced, isTrial: words.isTrial };
  const sets = new Set<string>([...words.sets, ...(isMirror && words.refs.length === 0 ? ['mirror'] : [])]);
  const isNamed = words.refs.length > 0 || sets.size > 0;
  const usual = isNamed ? words.refs : usualRefs(settings, remote, branch);
  if (usual === 'matching') sets.add('matching');
  const withTags = words.withTags ?? isOn(lastValue(settings, 'push.followtags'));
  const withModules = words.withSubmodules ?? sendsSubmodules(settings);
  const phrases = [
    ...[...sets].flatMap((set) => SETS[set] ?? []),
    ...(withTags && !sets.has('tags') ? ['annotated tags of these commits'] : []),
    ...(withModules ? ['new commits of submodules to their own remotes, and what names them'] : []),
  ];
  // What is committed or checked out before the push is not there yet.
  if (isEarly) return { ...facts, updates: [], sets: ['what the commands before it leave', ...phrases] };
  const refs = usual === undefined || usual === 'matching' ? [] : usual;
  // Commits that stand for others hide what is sent.
  const isRemembered = contact.isRemembered && !(await replacesCommits(repository));
  const looking: Looking = { repository, settings, remote, branch, isForced, isNamed, isRemembered };
  const updates: PushedUpdate[] = [];
  for (const ref of refs.slice(0, MAX_REFS)) {
    const update = await updateOf(ref, looking);
    if (update !== undefined) updates.push(update);
    else phrases.push(`${shownName(ref.source ?? '')}, whose name there is not certain,${ref.isForced ? ' by force' : ''}`);
  }
  const more = refs.slice(MAX_REFS);
  const isHarsh = more.some((ref) => ref.isForced || ref.source === undefined);
  if (more.length > 0) phrases.push(`${count(more.length, 'more reference', 'more references')}${isHarsh ? ', some replaced or deleted,' : ''}`);
  return { ...facts, updates, sets: phrases };
}
