import type { FileStyle } from './file-style.ts';
import { depthOf, INDENT_UNITS, indentAt, type IndentUnit } from './indent-unit.ts';
import { indentOf } from './tiers.ts';
import type { Wanted } from './changed-part.ts';
import { isBlank } from './lines.ts';

/** A way to convert the indentation of a given text to that of a file. */
interface Rule {
  /** Undefined if the rule does not cover an indentation. Only a line of a block comment, which begins with a star, may stand one space further in than a level. */
  apply(indent: string, isStar: boolean): string | undefined;
  /** Whether the matched lines are enough evidence for the rule. */
  holdsFor(indents: ReadonlyMap<string, string>, unit: () => IndentUnit | undefined): boolean;
}

/** Creates the rule that adds the same characters to every line, or removes them. */
function offsetRule(given: string, found: string): Rule | undefined {
  const holdsFor = (): boolean => true;
  if (found.endsWith(given)) {
    const more = found.slice(0, found.length - given.length);
    return { apply: (indent) => more + indent, holdsFor };
  }
  if (!given.endsWith(found)) return undefined;
  const less = given.slice(0, given.length - found.length);
  return { apply: (indent) => (indent.startsWith(less) ? indent.slice(less.length) : undefined), holdsFor };
}

/** Creates the rule that converts levels of one unit to levels of another, possibly with an offset. */
function scaleRule(given: string, found: string, from: IndentUnit, to: IndentUnit): Rule | undefined {
  const [depth, other] = [depthOf(given, from), depthOf(found, to)];
  if (depth === undefined || other === undefined || depth.rest !== other.rest) return undefined;
  const more = other.level - depth.level;
  return {
    apply(indent, isStar) {
      const { level, rest } = depthOf(indent, from) ?? { level: -1, rest: 0 };
      return level < 0 || level + more < 0 || rest > (isStar ? 1 : 0) ? undefined : indentAt({ level: level + more, rest }, to);
    },
    holdsFor(indents, unit) {
      if (![undefined, to].includes(unit())) return false;
      const levels = new Set([...indents.keys()].map((indent) => depthOf(indent, from)?.level));
      // One level alone does not identify the units, nor do two, if all lines are moved as well: two rules fit any two levels.
      return more === 0 ? levels.size > 1 || depth.level > 0 : levels.size > 2;
    },
  };
}

/** The indentation change between given lines and the matching lines of a file. */
export interface Reindent {
  /** The matched lines with the file's indentation. */
  readonly found: string;
  /** Whether all that goes is the space between marks and lines. */
  readonly isMark?: true;
  /** Number of different indentations that the given lines have. */
  readonly levels: number;
  /** The file's indentation unit, if it is consistent. */
  unit(): IndentUnit | undefined;
  /** Whether a line of the file is indented like this one. */
  hasIndentOf(line: string): boolean;
  /** Whether lines of the file stand further in behind the mark of a block alone. */
  marksBlocks(): boolean;
  /** Another text with the same indentation change; undefined if it is ambiguous. */
  apply(text: string): string | undefined;
}

/** Maximum combined length, in characters, for changing units. Longer indentation is only shifted. */
const MAX_SCALED = 200;
const MAX_REMEMBERED = 1_000;

function rulesFor(given: string, found: string): Rule[] {
  const isScaled = given.length + found.length <= MAX_SCALED;
  const pairs = isScaled ? INDENT_UNITS.flatMap((from) => INDENT_UNITS.map((to) => [from, to] as const)) : [];
  const scales = pairs.map(([from, to]) => (from === to ? undefined : scaleRule(given, found, from, to)));
  return [offsetRule(given, found), ...scales].filter((rule) => rule !== undefined);
}

/**
 * Compares the indentation of given lines with that of a file: tabs for spaces, four spaces for two, or a shift of all
 * lines. The caller ensures that the lines are otherwise equal. Returns undefined if no single rule converts all of them
 * to the file's indentation.
 * @param found returns the file's line for a given one; called for each line, in order
 */
type CompareIndents = (given: readonly string[], found: (index: number) => string) => Reindent | undefined;

/**
 * Creates a comparison for one file.
 */
export function compareIndents({ unit, hasIndentOf, marksBlocks }: Pick<FileStyle, 'unit' | 'hasIndentOf' | 'marksBlocks'>): CompareIndents {
  // A text is compared with many places, and most of them start alike.
  const remembered = new Map<string, Rule[]>();
  const firstRules = (indent: string, other: string): Rule[] => {
    const key = `${indent}:${other}`;
    const known = remembered.get(key);
    if (known !== undefined) return known;
    const rules = rulesFor(indent, other);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(key, rules);
    return rules;
  };
  return (given, found) => {
    let rules: Rule[] | undefined;
    const indents = new Map<string, string>();
    const lines: string[] = [];
    for (const [index, line] of given.entries()) {
      const foundLine = found(index);
      const isBlank = line.trim() === '';
      const [indent, other] = [indentOf(line), indentOf(foundLine)];
      lines.push(isBlank ? line : other + line.slice(indent.length));
      if (isBlank || indents.get(indent) === other) continue;
      rules = rules === undefined ? firstRules(indent, other) : rules.filter((rule) => rule.apply(indent, line[indent.length] === '*') === other);
      if (rules.length === 0) return undefined;
      indents.set(indent, other);
    }
    const live = rules?.filter((rule) => rule.holdsFor(indents, unit));
    if (live?.length === 0) return undefined;
    return {
      found: lines.join('\n'),
      levels: indents.size,
      unit,
      hasIndentOf,
      marksBlocks,
      apply: (text) => (live === undefined ? text : agreed(live, indents, text)),
    };
  };
}

/** Returns the text if all applicable rules agree on it. Indentations already matched need no rule. */
function agreed(rules: readonly Rule[], indents: ReadonlyMap<string, string>, text: string): string | undefined {
  const outcomes = new Set<string | undefined>();
  for (const rule of rules) {
    const lines: string[] = [];
    for (const line of text.split('\n')) {
      const indent = indentOf(line);
      const shifted = line.trim() === '' ? '' : (indents.get(indent) ?? rule.apply(indent, line[indent.length] === '*'));
      if (shifted === undefined) break;
      lines.push(line.trim() === '' ? line : shifted + line.slice(indent.length));
    }
    const outcome = lines.join('\n');
    if (lines.length === text.split('\n').length) outcomes.add(outcome);
  }
  const [only] = outcomes;
  return outcomes.size === 1 ? only : undefined;
}

/** Characters at the end of a line after which the next line is indented further. */
const OPENS = /[{([:=>]$/u;

/** Whether it is clear what the other lines of a new text mean beside the first one, which moves in by what the file has before it. */
function isClear(rest: readonly string[], before: string, indent: string, opens: boolean): boolean {
  if (indent === '') return rest.every((line) => line.startsWith(before)) && !(opens && indentOf(rest[0] ?? '') === before);
  // Lines that stand where the file has the first one may be meant as they are, unless it begins a block.
  return opens || rest.every((line) => indentOf(line) !== before + indent);
}

/**
 * Completes a one-line text that matched behind white space: the file indents it further than given, and the other
 * lines of the new text may be meant literally or may have to move as well.
 * @param before the file's white space before the match
 * @returns the intended texts; undefined if they are ambiguous
 */
export function completeMargin(wanted: Wanted, before: string, compare: CompareIndents): (Wanted & { readonly before: string }) | undefined {
  const [first = '', ...others] = wanted.old.split('\n');
  const [newFirst = '', ...newOthers] = wanted.new.split('\n');
  const asGiven = { ...wanted, before: '' };
  const indent = indentOf(first);
  const keepsIndent = isBlank(newFirst) || indentOf(newFirst) === indent;
  const rest = newOthers.filter((line) => !isBlank(line));
  // The other lines of the old text match the file as given, so only the first one lost its indentation, all of it.
  // If it kept a part, the text belongs to another place.
  if (others.some((line) => !isBlank(line))) return indent === '' && keepsIndent ? asGiven : undefined;
  // The new line has indentation that the old one was given without: the file's, or more of it.
  if (!keepsIndent) return undefined;
  if (rest.length === 0 && indentOf(newFirst) === indent) return asGiven;
  if (!isClear(rest, before, indent, OPENS.test(newFirst.trimEnd()))) return undefined;
  // Deleting a part of a line leaves its indentation. Deleting a whole line also deletes its indentation, which
  // would otherwise end up before the next line.
  const deletesPart = isBlank(wanted.new) && !wanted.old.endsWith('\n');
  return indent === '' || deletesPart ? asGiven : shiftMargin(wanted, before, rest.length > 0, compare);
}

/** Moves a text whose first line lost a part of its indentation; undefined if it is not clear how far. */
function shiftMargin(wanted: Wanted, before: string, hasRest: boolean, compare: CompareIndents): (Wanted & { readonly before: string }) | undefined {
  const [first = ''] = wanted.old.split('\n');
  const margin = before + indentOf(first);
  const reindent = compare([first], () => before + first);
  const shifted = reindent?.apply(wanted.new);
  if (reindent === undefined || shifted === undefined) return undefined;
  const unit = reindent.unit();
  const stands = (line: string): boolean => {
    const own = indentOf(line);
    return own === margin || (unit !== undefined && reindent.hasIndentOf(line) && depthOf(own, unit)?.rest === 0);
  };
  if (hasRest && !shifted.split('\n').every((line) => isBlank(line) || stands(line))) return undefined;
  return { old: before + wanted.old, new: shifted, before };
}
