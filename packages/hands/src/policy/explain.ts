import { displayText } from '../workspace/byte-name.ts';
import type { CommandWay } from './command-route.ts';
import { decide } from './decide.ts';
import { reasonFor, type Decision, type PolicyCall } from './decision.ts';
import type { Effects } from './effects.ts';
import { MODE_MEANINGS, type Mode } from './modes.ts';
import { describePart } from './part.ts';
import type { Policy } from './policy.ts';
import type { RuleReference } from './rule.ts';
import type { Verdict } from './verdict.ts';

/** A rule for programs. */
interface ShownRule {
  readonly rule: string;
  readonly verdict: Verdict;
  readonly layer: string;
  readonly origin: string;
  readonly reason?: string;
}

/** What `synapse policy explain --json` prints. */
export interface Explanation {
  readonly verdict: Verdict;
  readonly rule: ShownRule;
  readonly reason: string;
  readonly mode: Mode;
  /** Which way its command would run, and why; `asks` where a person is asked about what it changed. */
  readonly runs?: { readonly way: CommandWay; readonly reason: string; readonly asks: boolean };
  readonly parts: ReadonlyArray<{ part: string; verdict: Verdict; rule: ShownRule }>;
  readonly effects: {
    readonly execs: ReadonlyArray<{ words: ReadonlyArray<string | null>; name: string | null; doubts: readonly string[] }>;
    readonly reads: readonly string[];
    readonly writes: readonly string[];
    readonly deletes: readonly string[];
    readonly mentions: readonly string[];
    readonly net: ReadonlyArray<string | null>;
    readonly unknown: readonly string[];
  };
  readonly tried: ReadonlyArray<ShownRule & { part: string; matched: boolean }>;
  readonly exclude: readonly string[];
}

function shownRule({ text, verdict, layer, origin, reason }: RuleReference): ShownRule {
  return { rule: text, verdict, layer, origin, ...(reason === undefined ? {} : { reason }) };
}

function shownEffects(effects: Effects): Explanation['effects'] {
  const paths = (list: Effects['reads']): string[] => [...new Set(list.map(({ path }) => path))];
  return {
    execs: effects.execs.map(({ words, name, doubts }) => ({ words: words.map((word) => word ?? null), name: name ?? null, doubts })),
    reads: paths(effects.reads),
    writes: paths(effects.writes),
    deletes: paths(effects.deletes),
    mentions: paths(effects.mentions),
    net: effects.net.map(({ host }) => host ?? null),
    unknown: effects.unknown,
  };
}

/** A decision for programs: plain JSON with every rule that was tried. */
export function explanation(policy: Policy, decision: Decision): Explanation {
  return {
    verdict: decision.verdict,
    rule: shownRule(decision.rule),
    reason: reasonFor(decision.decisive),
    mode: policy.mode,
    ...(decision.route === undefined
      ? {}
      : { runs: { way: decision.route.way, reason: decision.route.reason, asks: decision.deferred && decision.route.way === 'transaction' } }),
    parts: decision.parts.map(({ part, verdict, rule }) => ({ part: describePart(part), verdict, rule: shownRule(rule) })),
    effects: shownEffects(decision.effects),
    tried: decision.tried.map(({ rule, part, matched }) => ({ ...shownRule(rule), part: describePart(part), matched })),
    exclude: decision.exclude,
  };
}

/** Judges a call and keeps every rule that was tried. */
export function explain(policy: Policy, call: PolicyCall): Explanation {
  return explanation(policy, decide(policy, call, { trace: true }));
}

const WAYS: Record<CommandWay, string> = {
  reader: 'on the workspace mounted read-only',
  transaction: 'on a copy',
  live: 'in the workspace itself',
  unconfined: 'not sandboxed',
};

const MARKS: Record<Verdict, string> = { allow: '+', ask: '?', deny: '-' };

/** A text for a person: what was decided, for each part and by which rule, then every rule that was tried. */
export function explanationText(tool: string, shown: Explanation): string {
  const { execs: _, ...lists } = shown.effects;
  const effects = Object.entries(lists)
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => `  ${kind}: ${list.map((item) => displayText(item ?? 'a machine that is not named')).join(', ')}`);
  const rules = new Map<string, string[]>();
  for (const { rule, verdict, origin, part, matched } of shown.tried) {
    const line = displayText(`${verdict.padEnd(5)} ${rule} [${origin}]`);
    const parts = rules.get(line) ?? [];
    if (matched) parts.push(part);
    rules.set(line, parts);
  }
  const tried = [...rules].map(
    ([line, parts]) => `  ${line}: ${parts.length === 0 ? 'does not match' : `matches ${[...new Set(parts)].join('; ')}`}`,
  );
  return [
    `${tool}: ${shown.verdict}`,
    `  ${shown.reason}`,
    ...(shown.runs === undefined || shown.verdict === 'deny'
      ? []
      : [`  runs ${WAYS[shown.runs.way]}, because ${shown.runs.reason}${shown.runs.asks ? '; asks about what it changes' : ''}`]),
    '',
    'Parts (all must be allowed):',
    ...shown.parts.map(
      ({ part, verdict, rule }) => `  ${MARKS[verdict]} ${verdict.padEnd(5)} ${part}: ${displayText(`${rule.rule} [${rule.origin}]`)}`,
    ),
    ...(effects.length === 0 ? [] : ['', 'Effects:', ...effects]),
    '',
    'Rules tried (the strictest that matches decides):',
    ...(tried.length === 0 ? ['  none'] : tried),
    `  then mode ${shown.mode}: ${MODE_MEANINGS[shown.mode]}`,
  ].join('\n');
}
