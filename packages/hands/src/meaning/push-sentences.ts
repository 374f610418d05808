import { count } from '../text/amounts.ts';
import { shownName, shownText } from './quoted.ts';

/** Commits of one side that the other lacks. */
export interface PushedCommits {
  readonly count: number;
  /** Whether there are more than were counted. */
  readonly isMore: boolean;
  /** The newest ones. */
  readonly subjects: readonly string[];
}

/** What a push does to one reference of the other side. */
export interface PushedUpdate {
  /** The whole name on the other side: `refs/heads/main`. */
  readonly target: string;
  /** The name here, if it is another. */
  readonly source: string | undefined;
  readonly isDeleted: boolean;
  readonly isForced: boolean;
  /** Whether the branch is there, as far as this repository knows; undefined if it knows nothing of the other side. */
  readonly isKnown: boolean | undefined;
  /** Commits that go there; undefined if that is not known. */
  readonly sent: PushedCommits | undefined;
  /** Commits of the other side that are not part of what is pushed. */
  readonly lost: PushedCommits | undefined;
}

/** What a push does, as far as settings and references tell. */
export interface PushFacts {
  readonly places: readonly string[];
  readonly updates: readonly PushedUpdate[];
  /** Sets of references that go too, as phrases: `all tags`. */
  readonly sets: readonly string[];
  readonly isForced: boolean;
  readonly isTrial: boolean;
}

/** Maximum number of subjects and references in sentences. The command names all references. */
const MAX_SUBJECTS = 3;
const MAX_SUBJECT = 60;
const MAX_UPDATES = 4;
/** Maximum number of addresses in a sentence. */
const MAX_PLACES = 5;

const KINDS: readonly (readonly [prefix: string, noun: string])[] = [
  ['refs/heads/', 'branch '],
  ['refs/tags/', 'tag '],
  ['', ''],
];

function nameOf(ref: string): string {
  const [prefix, noun] = KINDS.find(([start]) => ref.startsWith(start)) ?? ['', ''];
  return `${noun}${shownName(ref.slice(prefix.length))}`;
}

function subjectsOf({ subjects, count: total, isMore }: PushedCommits): string {
  const shown = subjects.slice(0, MAX_SUBJECTS).map((subject) => shownText(subject, MAX_SUBJECT));
  const more = total - shown.length;
  if (shown.length === 0) return '';
  return `: ${shown.join(', ')}${more > 0 ? `, and ${isMore ? 'more' : count(more, 'more', 'more')}` : ''}`;
}

const amountOf = ({ count: total, isMore }: PushedCommits): string => `${isMore ? 'more than ' : ''}${count(total, 'commit')}`;

function updateSentence(update: PushedUpdate, place: string, isTrial: boolean): string {
  const { target, source, isDeleted, isForced, isKnown, sent, lost } = update;
  const name = nameOf(target);
  if (isDeleted) return `deletes ${name} of ${place}`;
  const from = source === undefined ? '' : ` from ${shownName(source)}`;
  const push = isForced && !isTrial ? 'force-pushes' : 'pushes';
  if (sent === undefined) return `${push} ${name}${from} to ${place}`;
  if (isKnown === false)
    return `creates ${name} on ${place}${from} with ${sent.count === 0 ? 'no new commits' : `${amountOf(sent)}${subjectsOf(sent)}`}`;
  if (lost !== undefined && lost.count > 0) {
    const gone = `${amountOf(lost)} there that ${lost.count === 1 && !lost.isMore ? 'is' : 'are'} not here${subjectsOf(lost)}`;
    return isForced
      ? `replaces ${name} of ${place}${from}: drops ${gone}; pushes ${amountOf(sent)}${subjectsOf(sent)}`
      : `pushes ${amountOf(sent)} to ${place}, ${name}${from}${subjectsOf(sent)}; it is refused because of ${gone}`;
  }
  if (sent.count === 0) return `${push} ${name}${from} to ${place}, which has its commits as of the last fetch`;
  return `${push} ${amountOf(sent)} to ${place}, ${name}${from}${subjectsOf(sent)}`;
}

/** Names places, and counts those that are too many. */
export function placesText(places: readonly string[]): string {
  const more = places.length - MAX_PLACES;
  return [...places.slice(0, MAX_PLACES), ...(more > 0 ? [count(more, 'more address', 'more addresses')] : [])].join(' and ');
}

/** Returns what a push does, in sentences. */
export function pushedSentences({ places, updates, sets, isForced, isTrial }: PushFacts): string[] {
  const place = placesText(places);
  const shown = updates.slice(0, MAX_UPDATES).map((update) => updateSentence(update, place, isTrial));
  const more = updates.length - shown.length;
  const verb = isForced && !isTrial ? 'force-pushes' : 'pushes';
  const sentences = [
    ...shown,
    ...(more > 0 ? [`${verb} ${count(more, 'more branch or tag', 'more branches and tags')} to ${place}`] : []),
    ...(sets.length > 0 ? [`${verb} ${sets.join(', ')} to ${place}`] : []),
  ];
  const found = sentences.length === 0 ? [`${verb} to ${place}`] : sentences;
  return isTrial ? found.map((sentence) => `only tries, and sends nothing: ${sentence}`) : found;
}
