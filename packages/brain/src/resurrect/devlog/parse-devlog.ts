import type { Fact } from '../metadata/manifest.ts';
import { compareVersions, entries, isUnreleased, pointsElsewhere, versionOf } from './change-log.ts';
import type { DevlogKind } from './devlog-files.ts';
import { dateOf } from './heading-date.ts';
import { boxes, BULLET, CHECKED, isBox, labelled, whole, type OpenItem } from './open-items.ts';
import { FOREIGN_DONE, FOREIGN_NEXT, FOREIGN_STUCK, PLAN_HEADING } from './plan-words.ts';
import { listItems, LATER, URGENT } from './list-items.ts';
import { isBelow, sections, withInner, type Section } from './sections.ts';

/** The facts of a log. Line numbers refer to the file. */
export interface DevlogFacts {
  /** The heading of the latest entry. */
  readonly entry: Fact | undefined;
  /** The first paragraph below it. */
  readonly summary: Fact | undefined;
  /** The date in its heading, in milliseconds since 1970. */
  readonly time: number | undefined;
  /** Tasks: blockers, next steps, unchecked checkboxes. */
  readonly open: readonly OpenItem[];
  /** Entries below a heading such as "Unreleased", if that is the latest entry. */
  readonly unreleased: readonly Fact[];
  /** The text that says newer entries are elsewhere. */
  readonly elsewhere: Fact | undefined;
}

const NEXT =
  /\b(?:next|to-?do|todos|upcoming|planned|remaining|open (?:points|questions|issues|items|tasks)|left to do|unfinished|in progress|wip|stuck|blocked)\b/iu;
const STUCK = new RegExp(`\\b(?:stuck|blocked|${FOREIGN_STUCK})`, 'iu');
const DONE = new RegExp(`\\b(?:done|completed|finished|${FOREIGN_DONE})`, 'iu');
const VERSION = /\bv?\d+\.\d+(?:\.\d+)?\b/u;

/** An item that begins with a link. */
const LINKED = /^\s*(?:[-*+•]|\d+[.)])\s+[*_]{0,3}\[[^\]]+\]\(/u;

type Kind = Pick<DevlogKind, 'latest' | 'isList' | 'isChangeLog' | 'isReadme'>;

/** Returns the plans in a README: the items of its plan sections. Its other lists describe what exists. */
function readmePlans(all: readonly Section[]): OpenItem[] {
  const planned = all.flatMap((section, at) => (section.level > 0 && PLAN_HEADING.test(section.heading) ? withInner(all, at) : []));
  // Next steps for readers: a list of links.
  const isForReaders = planned.some(({ value }) => LINKED.test(value));
  const bullets = planned.flatMap((fact, index): OpenItem[] =>
    !isForReaders && BULLET.test(fact.value) && !isBox(fact) && !CHECKED.test(fact.value) ? [{ kind: 'next', ...whole(planned, index) }] : [],
  );
  return [...new Map([...boxes(planned), ...bullets].map((item) => [item.line, item])).values()];
}

interface Entry {
  readonly index: number;
  readonly time: number | undefined;
}

/** Returns the sections that are entries: their headings contain a date or a version. */
function entriesOf(all: readonly Section[]): Entry[] {
  return all.flatMap((section, index) => {
    const time = dateOf(section.heading);
    const isEntry = section.level > 0 && (time !== undefined || VERSION.test(section.heading));
    return isEntry && withInner(all, index).length > 0 ? [{ index, time }] : [];
  });
}

function latestEntry(all: readonly Section[], found: readonly Entry[], { latest }: Kind): Entry | undefined {
  const dated = found.filter(({ time }) => time !== undefined);
  const newest = Math.max(...dated.map(({ time }) => time ?? 0));
  const candidates = dated.length > 0 ? dated.filter(({ time }) => time === newest) : found;
  // Of two entries on the same day, the later one is at the end where new entries are added.
  if (latest === 'last') return candidates.at(-1);
  // A change log may be in ascending order, so the highest version is the latest.
  const version = ({ index }: Entry): readonly number[] => versionOf(all[index]?.heading ?? '') ?? [];
  return candidates.reduce<Entry | undefined>(
    (best, each) => (best === undefined || compareVersions(version(each), version(best)) > 0 ? each : best),
    undefined,
  );
}

/** Returns the section of what is not released yet, if it has entries and no date. It is the latest entry then. */
function pendingEntry(all: readonly Section[]): Entry | undefined {
  const index = all.findIndex((section, at) => section.level > 0 && isUnreleased(section) && entries(withInner(all, at)).length > 0);
  return index === -1 || dateOf(all[index]?.heading ?? '') !== undefined ? undefined : { index, time: undefined };
}

/** The newest items first. Blockers come before all, because nothing else can continue until they are solved. */
function inOrder(open: readonly OpenItem[], { latest }: Kind): OpenItem[] {
  const newestFirst = latest === 'last' ? open.toSorted((a, b) => b.line - a.line) : open;
  return newestFirst.toSorted((a, b) => Number(b.kind === 'stuck') - Number(a.kind === 'stuck'));
}

/** Returns the entry that contains a section: the section itself or an ancestor. */
function entryAround(all: readonly Section[], found: readonly Entry[], index: number): Entry | undefined {
  return found.findLast((entry) => {
    if (entry.index === index) return true;
    const level = all[entry.index]?.level ?? 0;
    return entry.index < index && all.slice(entry.index + 1, index + 1).every((section) => section.level > level);
  });
}

/** Returns the sections; those of a list of tasks by priority, as far as their headings tell one. */
function byPriority(all: readonly Section[], { isList }: Kind): { section: Section; at: number }[] {
  const numbered = all.map((section, at) => ({ section, at }));
  const rank = (at: number): number => Number(isBelow(all, at, LATER)) - Number(isBelow(all, at, URGENT));
  return isList ? numbered.toSorted((a, b) => rank(a.at) - rank(b.at)) : numbered;
}

/**
 * Parses a log.
 *
 * @param firstLine line number of the first given line in its file
 * @param kind which end is the latest, and whether every item is a task
 */
export function parseDevlog(text: string, firstLine: number, kind: Kind): DevlogFacts {
  const { isChangeLog = false } = kind;
  const all = sections(text, firstLine);
  if (kind.isReadme === true)
    return { entry: undefined, summary: undefined, time: undefined, open: readmePlans(all), unreleased: [], elsewhere: undefined };
  const found = entriesOf(all);
  const pending = isChangeLog ? pendingEntry(all) : undefined;
  const unreleased = pending === undefined ? [] : entries(withInner(all, pending.index));
  const latest = pending ?? latestEntry(all, found, kind);
  const entry = latest === undefined ? undefined : all[latest.index];
  const body = latest === undefined ? [] : withInner(all, latest.index).filter((fact) => !isBox(fact));
  const isPlain = kind.isList && !all.some(({ body }) => body.some(({ value }) => BULLET.test(value)));
  const plans = byPriority(all, kind).flatMap(({ section, at }): OpenItem[] => {
    if (isChangeLog && isUnreleased(section)) return [];
    const around = entryAround(all, found, at);
    // Plans of an older entry were done since, or are planned again.
    const isCurrent = around === undefined || around.index === latest?.index;
    if (!isCurrent) return [];
    const said = isChangeLog ? [] : labelled(section.body);
    const isPlan = section.level > 0 && (NEXT.test(section.heading) || FOREIGN_NEXT.test(section.heading)) && !DONE.test(section.heading);
    const how = STUCK.test(section.heading) ? 'stuck' : 'next';
    if (kind.isList) return isBelow(all, at, DONE) ? [] : [...said, ...listItems(section, isPlain).map((fact) => ({ kind: how, ...fact }) as const)];
    if (!isPlan) return said;
    const items = withInner(all, at).filter((fact) => !isBox(fact) && !CHECKED.test(fact.value));
    const bullets = items.flatMap((fact, index) => (BULLET.test(fact.value) ? [whole(items, index)] : []));
    const planned = bullets.length > 0 ? bullets : items.slice(0, 1).map((_, index) => whole(items, index));
    return [...said, ...planned.map((fact) => ({ kind: how, ...fact }) as const)];
  });
  const open = [...new Map([...all.flatMap((section) => boxes(section.body)), ...plans].map((fact) => [fact.line, fact])).values()];
  const summary = unreleased[0] ?? (body.length === 0 ? undefined : whole(body, 0));
  return {
    entry: entry === undefined ? undefined : { value: entry.heading, line: entry.line },
    summary,
    time: latest?.time,
    open: inOrder(open, kind),
    unreleased,
    elsewhere: isChangeLog && firstLine === 1 ? pointsElsewhere(all.flatMap((section) => section.body)) : undefined,
  };
}
