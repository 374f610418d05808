import type { Fact } from '../metadata/manifest.ts';
import { dateOf } from './heading-date.ts';
import { sections, withInner, type Section } from './sections.ts';

/** What a log says. Lines are those of the file. */
export interface DevlogFacts {
  /** The heading of the latest entry. */
  readonly entry: Fact | undefined;
  /** The first words below it. */
  readonly summary: Fact | undefined;
  /** Things to do: unchecked boxes, then what stands below headings such as "Next". */
  readonly open: readonly Fact[];
}

const UNCHECKED = /^\s*(?:[-*+]|\d+[.)])\s+\[ \]\s+(\S.*)$/u;
const CHECKED = /^\s*(?:[-*+]|\d+[.)])\s+\[[xX-]\]\s/u;
const BULLET = /^\s*(?:[-*+•]|\d+[.)])\s+(\S.*)$/u;
const NEXT =
  /\b(?:next|to-?do|todos|upcoming|planned|remaining|open (?:points|questions|issues|items|tasks)|left to do|unfinished|in progress|wip)\b/iu;
const DONE = /\b(?:done|completed|finished)\b/iu;
const VERSION = /\bv?\d+\.\d+(?:\.\d+)?\b/u;

function latestEntry(all: readonly Section[], latest: 'first' | 'last'): number | undefined {
  const entries = all.flatMap((section, index) => {
    const time = dateOf(section.heading);
    const isEntry = section.level > 0 && (time !== undefined || VERSION.test(section.heading));
    return isEntry && withInner(all, index).length > 0 ? [{ index, time }] : [];
  });
  const dated = entries.filter(({ time }) => time !== undefined);
  // Two entries of one day: the later one is at the end where new entries are written.
  const newest = Math.max(...dated.map(({ time }) => time ?? 0));
  const candidates = dated.length > 0 ? dated.filter(({ time }) => time === newest) : entries;
  return (latest === 'first' ? candidates[0] : candidates.at(-1))?.index;
}

const itemText = ({ value, line }: Fact): Fact => ({ value: (BULLET.exec(value)?.[1] ?? value).trim(), line });

/**
 * Reads a log.
 *
 * @param firstLine the number in its file of the first line given
 * @param kind which end is the latest, and whether every item is a thing to do
 */
export function parseDevlog(text: string, firstLine: number, kind: { latest: 'first' | 'last'; isList: boolean }): DevlogFacts {
  const all = sections(text, firstLine);
  const index = latestEntry(all, kind.latest);
  const entry = index === undefined ? undefined : all[index];
  const body = index === undefined ? [] : withInner(all, index).filter(({ value }) => !UNCHECKED.test(value));
  const boxes = all.flatMap(({ body }) =>
    body.flatMap(({ value, line }) => {
      const item = UNCHECKED.exec(value)?.[1];
      return item === undefined ? [] : [{ value: item, line }];
    }),
  );
  const plans = all.flatMap((section, at) => {
    const isPlan = section.level > 0 ? NEXT.test(section.heading) && !DONE.test(section.heading) : kind.isList;
    const listed = kind.isList && !DONE.test(section.heading);
    if (!isPlan && !listed) return [];
    const items = (listed ? section.body : withInner(all, at)).filter(({ value }) => !UNCHECKED.test(value) && !CHECKED.test(value));
    const bullets = items.filter(({ value }) => BULLET.test(value));
    return (bullets.length > 0 || kind.isList ? bullets : items.slice(0, 1)).map(itemText);
  });
  const open = [...new Map([...boxes, ...plans].map((fact) => [fact.line, fact])).values()];
  return {
    entry: entry === undefined ? undefined : { value: entry.heading, line: entry.line },
    summary: body[0] === undefined ? undefined : itemText(body[0]),
    open: kind.latest === 'last' ? open.toSorted((a, b) => b.line - a.line) : open,
  };
}
