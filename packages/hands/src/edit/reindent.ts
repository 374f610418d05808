import { depthOf, INDENT_UNITS, indentAt, type IndentUnit } from './indent-unit.ts';
import { indentOf } from './tiers.ts';

/** One way in which the indentation of a given text may become that of a file. */
interface Rule {
  /** Undefined for an indentation that the rule has no answer for. */
  apply(indent: string): string | undefined;
  /** Whether the lines that were found are evidence enough for it. */
  holdsFor(indents: ReadonlyMap<string, string>, unit: () => IndentUnit | undefined): boolean;
}

/** Spaces beyond a level that a line may have: those of a block comment have one. What has more is aligned to something. */
const MAX_REST = 1;

/** The same characters are added to every line, or taken from it. */
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

/** Levels of one unit become levels of another, perhaps some more or fewer. */
function scaleRule(given: string, found: string, from: IndentUnit, to: IndentUnit): Rule | undefined {
  const [depth, other] = [depthOf(given, from), depthOf(found, to)];
  if (depth === undefined || other === undefined || depth.rest !== other.rest) return undefined;
  const more = other.level - depth.level;
  return {
    apply(indent) {
      const { level, rest } = depthOf(indent, from) ?? { level: -1, rest: 0 };
      return level < 0 || level + more < 0 || rest > MAX_REST ? undefined : indentAt({ level: level + more, rest }, to);
    },
    holdsFor(indents, unit) {
      const levels = new Set([...indents.keys()].map((indent) => depthOf(indent, from)?.level));
      if (levels.size > 1) return true;
      // One level alone tells no units: then it must be the same level in both, and the unit that of the file.
      return more === 0 && depth.level > 0 && [undefined, to].includes(unit());
    },
  };
}

/** What the lines of a text that were found in a file tell of its indentation there. */
export interface Reindent {
  /** The lines that were found, as the file indents them. */
  readonly found: string;
  /** Another text, indented in the same way; undefined where that is not clear. */
  apply(text: string): string | undefined;
}

/** Longer indentations are only moved in or out. */
const MAX_SCALED = 200;
const MAX_REMEMBERED = 1_000;

function rulesFor(given: string, found: string): Rule[] {
  const isScaled = given.length + found.length <= MAX_SCALED;
  const pairs = isScaled ? INDENT_UNITS.flatMap((from) => INDENT_UNITS.map((to) => [from, to] as const)) : [];
  const scales = pairs.map(([from, to]) => (from === to ? undefined : scaleRule(given, found, from, to)));
  return [offsetRule(given, found), ...scales].filter((rule) => rule !== undefined);
}

/**
 * Compares the indentation of given lines with that of a file: tabs for spaces, four spaces for two, all of it further
 * in or out. The lines are equal apart from that, which the caller made sure of. Undefined where no one way turns all
 * of them into what the file has.
 * @param found gives the line for a given one; asked for each, in order
 */
export type CompareIndents = (given: readonly string[], found: (index: number) => string) => Reindent | undefined;

/**
 * Makes a comparison for one file.
 * @param unit what the file is indented by, where it is in one way; asked once, where it matters
 */
export function compareIndents(unit: () => IndentUnit | undefined): CompareIndents {
  let asked: { readonly unit: IndentUnit | undefined } | undefined;
  const fileUnit = (): IndentUnit | undefined => (asked ??= { unit: unit() }).unit;
  // A text is compared with many places, most of which begin alike.
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
      rules = rules === undefined ? firstRules(indent, other) : rules.filter((rule) => rule.apply(indent) === other);
      if (rules.length === 0) return undefined;
      indents.set(indent, other);
    }
    const live = rules?.filter((rule) => rule.holdsFor(indents, fileUnit));
    if (live?.length === 0) return undefined;
    return { found: lines.join('\n'), apply: (text) => (live === undefined ? text : agreed(live, indents, text)) };
  };
}

/** The one text that all rules come to, as far as they have an answer; what was seen needs no rule. */
function agreed(rules: readonly Rule[], indents: ReadonlyMap<string, string>, text: string): string | undefined {
  const outcomes = new Set<string | undefined>();
  for (const rule of rules) {
    const lines: string[] = [];
    for (const line of text.split('\n')) {
      const indent = indentOf(line);
      const shifted = line.trim() === '' ? '' : (indents.get(indent) ?? rule.apply(indent));
      if (shifted === undefined) break;
      lines.push(line.trim() === '' ? line : shifted + line.slice(indent.length));
    }
    const outcome = lines.join('\n');
    if (lines.length === text.split('\n').length) outcomes.add(outcome);
  }
  const [only] = outcomes;
  return outcomes.size === 1 ? only : undefined;
}
