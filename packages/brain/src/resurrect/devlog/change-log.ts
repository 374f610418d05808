import type { Fact } from '../metadata/manifest.ts';
import { BULLET, whole } from './open-items.ts';
import type { Section } from './sections.ts';

const UNRELEASED =
  /^\W*(?:unreleased|upcoming|next(?:\s+(?:release|version))?|tbd|tba|dev(?:elopment)?|head|main|master|trunk|not\s+(?:yet\s+)?released)\b\W*(?:\([^)]*\)|changes)?\W*$|\(?\b(?:unreleased|not\s+(?:yet\s+)?released|in\s+(?:development|progress)|coming\s+soon)\b\)?|\d\.(?:\d+\.?)*[-.]?(?:dev\d*|snapshot)\b|\bvnext\b/iu;
/** Matches the line below a heading that says that the version is unreleased. */
const UNRELEASED_LINE =
  /^\W*(?:(?:release(?:d| date)?|date|status)\W*)?(?:unreleased|not\s+(?:yet\s+)?released|tbd|tba|in\s+(?:development|progress)|pending)\W*$/iu;
/** Matches placeholders for entries. */
const PLACEHOLDER =
  /\bnot (?:yet )?(?:been )?(?:written|released)\b|\bshort description\b|^\W*(?:nothing|none|n\/a|tbd|tba|todo|no changes?|unreleased changes)\b[^:]{0,20}$|^\W*$/iu;

/** Whether a section has unreleased changes, by its heading or by the line below it. */
export function isUnreleased({ heading, body }: Pick<Section, 'heading' | 'body'>): boolean {
  return UNRELEASED.test(heading) || (versionOf(heading) !== undefined && UNRELEASED_LINE.test(body[0]?.value ?? ''));
}

/** Returns the entries below a heading, without placeholders. */
export function entries(body: readonly Fact[]): Fact[] {
  const items = body.flatMap((fact, index) => (BULLET.test(fact.value) && !/^\s{2,}/u.test(fact.value) ? [whole(body, index)] : []));
  const all = items.length > 0 ? items : body.filter(({ value }) => !UNRELEASED_LINE.test(value)).slice(0, 1);
  return all.filter(({ value }) => !PLACEHOLDER.test(value));
}

const ELSEWHERE =
  /\bno longer (?:maintained|updated|kept)\b|\b(?:has |have |was |were )?moved to\b|\b(?:versions?|releases?|entries|changes) (?:newer|later|more recent|after|since)\b|\b(?:newer|later|more recent|recent) (?:versions?|releases?|entries|changes)\b|\bsee (?:the )?\[?(?:github )?releases\b|\breleases page\b/iu;
/** Lines at the start of a log to search for a pointer to newer entries. */
const BEGINNING = 15;

/** Finds the text that says newer entries are elsewhere. */
export function pointsElsewhere(lines: readonly Fact[]): Fact | undefined {
  const index = lines.findIndex(({ value, line }) => line <= BEGINNING && !BULLET.test(value) && ELSEWHERE.test(value));
  return index === -1 ? undefined : whole(lines, index);
}

/** Returns the numbers of the first version in a text. */
export function versionOf(text: string): readonly number[] | undefined {
  const found = /(?<![\d.])v?(\d+)\.(\d+)(?:\.(\d+))?/u.exec(text);
  return found === null ? undefined : found.slice(1, 4).map((part) => Number(part ?? 0));
}

/** Compares versions; negative if the first one is older. */
export function compareVersions(one: readonly number[], other: readonly number[]): number {
  return [0, 1, 2].reduce((order, index) => order || (one[index] ?? 0) - (other[index] ?? 0), 0);
}
