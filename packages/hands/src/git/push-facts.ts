import type { PushedUpdate, PushFacts } from '../meaning/push-sentences.ts';
import { type PushedRef, type PushWords, pushWords, refsOf } from '../meaning/push-words.ts';
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

const areTracking = (name: string, folder: string): boolean =>
  folder.length > TRACKING.length && [name, folder].every((one) => one.startsWith(TRACKING) && REF_NAME.test(one));

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
    return areTracking(name, folder) && !isShared(settings, remote, folder) ? { name, all: folder } : undefined;
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
  const others = [`refs/${isTag(source) ? 'heads' : 'tags'}/${target}`, `refs/${target}`];
  const found = REF_NAME.test(target) ? await refsIn(repository, others) : undefined;
  // What is below such a name is listed too.
  return found !== undefined && others.every((name) => !found.has(name));
}

const TAGS = 'refs/tags/';
const isTag = (name: string | undefined): boolean => name?.startsWith(TAGS) === true;
const isWhole = (name: string | undefined): boolean => name?.startsWith('refs/') === true;
const short = (name: string): string => name.replace(/^refs\/(?:heads|tags)\//u, '');

/** What a reference is here and on the other side. */
interface Ends {
  /** Its whole name here, and its commit; undefined for a commit without a name. */
  readonly named: { readonly name: string; readonly commit: string | undefined } | undefined;
  /** Its whole name there. */
  readonly target: string;
}

/** Finds both ends of a reference; undefined if only git can tell them. */
async function endsOf({ source, target }: PushedRef, looking: Looking): Promise<Ends | undefined> {
  const { repository, branch } = looking;
  if (target !== undefined && UNCLEAR_TARGET.test(target)) return undefined;
  const names = sourcesOf(source, branch);
  const here = await refsIn(repository, names);
  const [name, ...others] = names.filter((one) => here?.has(one) === true);
  // git refuses a name that means more than one.
  if (here === undefined || others.length > 0) return undefined;
  const named = name === undefined ? undefined : { name, commit: here.get(name) };
  if (target === undefined) return name === undefined || isMapped(looking, name) ? undefined : { named, target: name };
  if (isWhole(target)) return { named, target };
  // A short name on the other side is of the same kind as here, unless it is the name of something else there, such as a tag.
  if (!(await isPlainTarget(target, name, repository))) return undefined;
  return { named, target: `${isTag(name) ? TAGS : 'refs/heads/'}${target}` };
}

/** What a push sends and removes, compared with what is remembered of the other side; undefined if that does not tell. */
async function comparedWith(
  tracking: { readonly name: string; readonly all: string },
  commit: string,
  repository: Repository,
  mayBeNew: boolean,
): Promise<Pick<PushedUpdate, 'isKnown' | 'sent' | 'lost'> | undefined> {
  const there = await refsIn(repository, [tracking.name]);
  if (there === undefined) return undefined;
  const theirs = there.get(tracking.name);
  if (theirs !== undefined) {
    const sent = await missingCommits(repository, { commit, without: { commit: theirs } });
    const lost = await missingCommits(repository, { commit: theirs, without: { commit } });
    return sent === undefined || lost === undefined ? undefined : { isKnown: true, sent, lost };
  }
  if (!mayBeNew || !(await hasRefs(repository, tracking.all))) return undefined;
  const sent = await missingCommits(repository, { commit, without: { folder: tracking.all } });
  return sent === undefined ? undefined : { isKnown: false, sent, lost: undefined };
}

/** Returns what happens to a reference of the other side; undefined if only git can tell which one that is. */
async function updateOf(ref: PushedRef, looking: Looking): Promise<PushedUpdate | undefined> {
  const { repository, settings, remote } = looking;
  const isForced = ref.isForced || looking.isForced;
  const notKnown = { isKnown: undefined, sent: undefined, lost: undefined };
  if (ref.source === undefined) return { target: ref.target ?? '', source: undefined, isDeleted: true, isForced, ...notKnown };
  const ends = await endsOf(ref, looking);
  if (ends === undefined) return undefined;
  const { named, target } = ends;
  const source = short(named?.name ?? ref.source);
  const said = { target, source: source === short(target) ? undefined : source, isDeleted: false, isForced };
  // For a commit without a name, git accepts a short one only if it is there already.
  const mayBeNew = named !== undefined || isWhole(ref.target);
  const commit = named === undefined ? await commitOf(repository, ref.source) : named.commit;
  const tracking = looking.isRemembered ? trackingOf(settings, remote, target) : undefined;
  const compared = commit === undefined || tracking === undefined ? undefined : await comparedWith(tracking, commit, repository, mayBeNew);
  if (compared !== undefined) return { ...said, ...compared };
  return mayBeNew ? { ...said, ...notKnown } : undefined;
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

/** What a push sends beside single references, as phrases. */
function phrasesOf(words: PushWords, sets: ReadonlySet<string>, settings: RemoteSettings): readonly string[] {
  const withTags = words.withTags ?? isOn(lastValue(settings, 'push.followtags'));
  const withModules = words.withSubmodules ?? sendsSubmodules(settings);
  return [
    ...[...sets].flatMap((set) => SETS[set] ?? []),
    ...(withTags && !sets.has('tags') ? ['annotated tags of these commits'] : []),
    ...(withModules ? ['new commits of submodules to their own remotes, and what names them'] : []),
  ];
}

/** What happens to the first references, and phrases for what is not certain or left out. */
async function updatesOf(refs: readonly PushedRef[], looking: Looking): Promise<{ readonly updates: PushedUpdate[]; readonly unsure: string[] }> {
  const updates: PushedUpdate[] = [];
  const unsure: string[] = [];
  for (const ref of refs.slice(0, MAX_REFS)) {
    const update = await updateOf(ref, looking);
    if (update !== undefined) updates.push(update);
    else unsure.push(`${shownName(ref.source ?? '')}, whose name there is not certain,${ref.isForced ? ' by force' : ''}`);
  }
  const more = refs.slice(MAX_REFS);
  const isHarsh = more.some((ref) => ref.isForced || ref.source === undefined);
  if (more.length > 0) unsure.push(`${count(more.length, 'more reference', 'more references')}${isHarsh ? ', some replaced or deleted,' : ''}`);
  return { updates, unsure };
}

/** Returns where a push goes and what it sends, as far as the repository tells; undefined if its words or the remote are not certain. */
export async function pushFacts(repository: Repository, { words: given, isEarly }: PushQuestion): Promise<PushFacts | undefined> {
  const words = pushWords(given);
  if (words === undefined) return undefined;
  const view = contactView(repository);
  const contact = view && contactPlaces(view, words.repository, 'push');
  if (contact === undefined) return undefined;
  const { remote, places, settings, branch } = contact;
  const isMirror = isOn(lastValue(settings, 'remote.mirror', remote));
  const isForced = words.isForced || isMirror;
  const facts = { places, isForced, isTrial: words.isTrial };
  const sets = new Set<string>([...words.sets, ...(isMirror && words.refs.length === 0 ? ['mirror'] : [])]);
  const isNamed = words.refs.length > 0 || sets.size > 0;
  const usual = isNamed ? words.refs : usualRefs(settings, remote, branch);
  if (usual === 'matching') sets.add('matching');
  const phrases = phrasesOf(words, sets, settings);
  // What is committed or checked out before the push is not there yet.
  if (isEarly) return { ...facts, updates: [], sets: ['what the commands before it leave', ...phrases] };
  const refs = usual === undefined || usual === 'matching' ? [] : usual;
  // Commits that stand for others hide what is sent.
  const isRemembered = contact.isRemembered && !(await replacesCommits(repository));
  const { updates, unsure } = await updatesOf(refs, { repository, settings, remote, branch, isForced, isNamed, isRemembered });
  return { ...facts, updates, sets: [...phrases, ...unsure] };
}
