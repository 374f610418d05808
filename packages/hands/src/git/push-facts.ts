import { isSynapseError } from '@synapse/protocol';
import type { PushedCommits, PushedUpdate, PushFacts } from '../meaning/push-sentences.ts';
import { type PushedRef, pushWords, type PushWords, refsOf } from '../meaning/push-words.ts';
import { type RemoteSettings, remotePlaces, usualRemote } from '../meaning/remote-addresses.ts';
import { type ConfigEntry, splitKey } from './git-config.ts';
import { commitIdArguments, divergedArguments, listRefsArguments, newCommitsArguments } from './git-arguments.ts';
import { readSmallFile } from './git-folder.ts';
import type { Repository } from './repository.ts';
import { parseSingleRevision } from './revision.ts';

/** Maximum number of commits that are counted, and of references that are looked at. */
const MAX_COMMITS = 1_000;
const MAX_REFS = 20;
/** Maximum length of what git lists, in characters. */
const MAX_LISTED = 1024 * 1024;
const HASH = /^[\da-f]{40}(?:[\da-f]{24})?$/u;
/** Names that git accepts for references, and that are no pattern. */
const REF_NAME = /^(?!-)(?!.*\.\.)[^\s~^:?*[\\\p{Cc}]+$/u;

const decoded = (text: string): string => Buffer.from(text, 'latin1').toString();

/** The settings of a repository, by name. */
export function remoteSettings(entries: readonly ConfigEntry[]): RemoteSettings {
  const values = new Map<string, Map<string, string[]>>();
  for (const { key, value } of entries) {
    const { section, subsection = '', variable } = splitKey(key);
    const name = `${section}.${variable}`;
    const known = values.get(name) ?? new Map<string, string[]>();
    values.set(name, known);
    const own = decoded(subsection);
    const list = known.get(own) ?? [];
    known.set(own, list);
    list.push(decoded(value ?? 'true'));
  }
  return {
    all: (name, subsection = '') => values.get(name)?.get(subsection) ?? [],
    subsections: (name) => [...(values.get(name)?.keys() ?? [])].filter((subsection) => subsection !== ''),
  };
}

/** The name of the branch that is checked out; undefined for none. */
export function currentBranch(repository: Repository): string | undefined {
  const head = readSmallFile(repository.ownFolder, 'HEAD')?.toString().trim() ?? '';
  const name = head.startsWith('ref: refs/heads/') ? head.slice('ref: refs/heads/'.length) : undefined;
  // What HEAD says where references are a table.
  return name === '.invalid' ? undefined : name;
}

async function listed(repository: Repository, given: readonly string[]): Promise<string> {
  let text = '';
  const enough = new AbortController();
  await repository.run({
    arguments: given,
    onOutput(chunk) {
      text += chunk.toString('utf8');
      if (text.length > MAX_LISTED) enough.abort();
    },
    enough: enough.signal,
  });
  return text;
}

/** The commits of references, by whole name. */
async function refsIn(repository: Repository, names: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (names.length === 0) return new Map();
  const lines = (await listed(repository, listRefsArguments(names))).split('\n');
  return new Map(
    lines.flatMap((line) => {
      const [hash = '', name = ''] = line.split(' ', 2);
      return HASH.test(hash) ? [[name, hash] as const] : [];
    }),
  );
}

/** The commit of an expression such as `HEAD~2`; undefined if it means none. */
async function commitOf(repository: Repository, expression: string): Promise<string | undefined> {
  try {
    const id = (await listed(repository, commitIdArguments(parseSingleRevision(expression)))).trim();
    return HASH.test(id) ? id : undefined;
  } catch (error) {
    if (!isSynapseError(error) || error.code === 'timeout' || error.code === 'cancelled') throw error;
    // git would refuse it too.
    return undefined;
  }
}

const commitsOf = (subjects: readonly string[]): PushedCommits => ({
  count: Math.min(subjects.length, MAX_COMMITS),
  isMore: subjects.length > MAX_COMMITS,
  subjects: subjects.slice(0, 3),
});

async function diverged(repository: Repository, ours: string, theirs: string): Promise<Pick<PushedUpdate, 'sent' | 'lost'>> {
  const records = (await listed(repository, divergedArguments(ours, theirs, MAX_COMMITS + 1))).split('\0').filter((record) => record !== '');
  const side = (mark: string): string[] => records.filter((record) => record.startsWith(mark)).map((record) => record.slice(1));
  const [sent, lost] = [commitsOf(side('<')), commitsOf(side('>'))];
  const isMore = records.length > MAX_COMMITS;
  return { sent: { ...sent, isMore }, lost: { ...lost, isMore: isMore && lost.count > 0 } };
}

/** Where a branch of the other side is remembered here; undefined if it is not. */
function trackingOf(settings: RemoteSettings, remote: string, target: string): { readonly name: string; readonly all: string } | undefined {
  for (const spec of settings.all('remote.fetch', remote)) {
    const [from = '', to = ''] = spec.replace(/^\+/u, '').split(':', 2);
    const star = from.indexOf('*');
    const [start, end] = star === -1 ? [from, ''] : [from.slice(0, star), from.slice(star + 1)];
    const isMatch = star === -1 ? target === from : target.startsWith(start) && target.endsWith(end) && target.length >= from.length;
    if (!isMatch || !to.startsWith('refs/')) continue;
    const name = star === -1 ? to : to.replace('*', () => target.slice(start.length, target.length - end.length));
    const folder = to.slice(0, (star === -1 ? to : to.slice(0, to.indexOf('*'))).lastIndexOf('/') + 1);
    return REF_NAME.test(name) && REF_NAME.test(folder) ? { name, all: folder } : undefined;
  }
  return undefined;
}

/** A reference of a push, before its commits are looked up. */
interface Named {
  readonly ref: PushedRef;
  /** The names here that it may mean, the first that exists counts; empty if it is not a name. */
  readonly sources: readonly string[];
}

const whole = (name: string): readonly string[] => (name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`]);

function namedBy(ref: PushedRef, branch: string | undefined): Named {
  const { source } = ref;
  const name = source === 'HEAD' || source === '@' ? branch : source;
  return { ref, sources: name === undefined || !REF_NAME.test(name) ? [] : whole(name) };
}

/** What goes where a push names nothing; undefined if that is not known. */
function usualRefs(settings: RemoteSettings, remote: string, branch: string | undefined): readonly PushedRef[] | 'matching' | undefined {
  const configured = settings.all('remote.push', remote);
  if (configured.length > 0) return refsOf(configured);
  const how = settings.all('push.default').at(-1) ?? 'simple';
  if (how === 'matching') return 'matching';
  if (branch === undefined || how === 'nothing') return [];
  const merged = how === 'upstream' || how === 'tracking' ? settings.all('branch.merge', branch).at(-1) : undefined;
  return [{ source: `refs/heads/${branch}`, target: merged, isForced: false }];
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
  readonly words: PushWords;
}

async function updateOf({ ref, sources }: Named, { repository, settings, remote, words }: Looking): Promise<PushedUpdate> {
  const isForced = ref.isForced || words.isForced;
  const short = (name: string): string => name.replace(/^refs\/(?:heads|tags)\//u, '');
  const given = ref.target ?? ref.source ?? '';
  const deleted = { source: undefined, isDeleted: true, isForced, isKnown: undefined, sent: undefined, lost: undefined };
  const here = await refsIn(repository, sources);
  const source = sources.find((name) => here.has(name));
  // A short name on the other side is of the same kind as here.
  const kind = source?.startsWith('refs/tags/') === true ? 'refs/tags/' : 'refs/heads/';
  const target = ref.target === undefined && source !== undefined ? source : given.startsWith('refs/') ? given : `${kind}${given}`;
  if (ref.source === undefined) return { target: given, ...deleted };
  const shownSource = short(source ?? ref.source);
  const said = { target, source: shownSource === short(target) ? undefined : shownSource, isDeleted: false, isForced };
  const commit = source === undefined ? await commitOf(repository, ref.source) : here.get(source);
  const tracking = trackingOf(settings, remote, target);
  if (commit === undefined || tracking === undefined) return { ...said, isKnown: undefined, sent: undefined, lost: undefined };
  const theirs = (await refsIn(repository, [tracking.name])).get(tracking.name);
  if (theirs !== undefined) return { ...said, isKnown: true, ...(await diverged(repository, commit, theirs)) };
  const others = await refsIn(repository, [tracking.all]);
  if (others.size === 0) return { ...said, isKnown: undefined, sent: undefined, lost: undefined };
  const output = await listed(repository, newCommitsArguments(commit, tracking.all, MAX_COMMITS + 1));
  const subjects = output.split('\0').slice(0, -1);
  return { ...said, isKnown: false, sent: commitsOf(subjects), lost: undefined };
}

/** What is read of a push. */
export interface PushQuestion {
  /** The words after `git push`. */
  readonly words: ReadonlyArray<string | undefined>;
  /** Whether earlier commands may change what is pushed. */
  readonly isEarly: boolean;
}

/** Returns where a push goes and what it sends, as far as the repository tells; undefined if its words or the remote are not known. */
export async function pushFacts(repository: Repository, { words: given, isEarly }: PushQuestion): Promise<PushFacts | undefined> {
  const words = pushWords(given);
  if (words === undefined) return undefined;
  const settings = remoteSettings(repository.settings);
  const branch = currentBranch(repository);
  const remote = words.repository ?? usualRemote(settings, branch, 'push');
  const places = remotePlaces(settings, remote, 'push');
  if (places === undefined) return undefined;
  const facts = { places, isForced: words.isForced, isTrial: words.isTrial };
  const isMirror = settings.all('remote.mirror', remote).at(-1) === 'true';
  const sets = new Set<string>([...words.sets, ...(isMirror && words.refs.length === 0 ? ['mirror'] : [])]);
  const usual = words.refs.length > 0 || sets.size > 0 ? words.refs : usualRefs(settings, remote, branch);
  if (usual === 'matching') sets.add('matching');
  const withTags = words.withTags || settings.all('push.followtags').at(-1) === 'true';
  const withModules = words.withSubmodules || ['on-demand', 'only'].includes(settings.all('push.recursesubmodules').at(-1) ?? '');
  const phrases = [
    ...[...sets].flatMap((set) => SETS[set] ?? []),
    ...(withTags && !sets.has('tags') ? ['annotated tags of these commits'] : []),
    ...(withModules ? ['new commits of submodules to their own remotes, and what names them'] : []),
  ];
  const refs = usual === undefined || usual === 'matching' ? [] : usual;
  // What is committed or checked out before the push is not there yet.
  if (isEarly) return { ...facts, updates: [], sets: ['what the commands before it leave', ...phrases] };
  const named = refs.slice(0, MAX_REFS).map((ref) => namedBy(ref, branch));
  const looking: Looking = { repository, settings, remote, words };
  const updates: PushedUpdate[] = [];
  for (const one of named) updates.push(await updateOf(one, looking));
  return { ...facts, updates, sets: [...phrases, ...(refs.length > MAX_REFS ? [`${refs.length - MAX_REFS} more references`] : [])] };
}
