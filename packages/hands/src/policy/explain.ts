import { displayText } from '../workspace/byte-name.ts';
import type { CommandWay } from './command-route.ts';
import { decide, isStricter } from './decide.ts';
import { reasonFor, type Decision, type PolicyCall } from './decision.ts';
import { MODE_MEANINGS, type Mode } from './modes.ts';
import { describeAccess, type Access, type PathAccess, type NetAccess } from './access.ts';
import type { Policy } from './policy.ts';
import type { RuleReference, Verdict } from './rule.ts';

/** A rule in JSON output. */
interface ShownRule {
  readonly rule: string;
  readonly verdict: Verdict;
  readonly layer: string;
  readonly origin: string;
  readonly reason?: string;
}

/** The output of `synapse policy explain --json`. */
export interface Explanation {
  readonly verdict: Verdict;
  readonly rule: ShownRule;
  readonly reason: string;
  readonly mode: Mode;
  /** What happens to the call, as a clause: `runs without a question`. */
  readonly outcome: string;
  /** The route of its command, and why; `asks` if the changes need approval. */
  readonly runs?: { readonly way: CommandWay; readonly reason: string; readonly asks: boolean };
  readonly accesses: ReadonlyArray<{ access: string; verdict: Verdict; rule: ShownRule }>;
  readonly effects: {
    readonly execs: ReadonlyArray<{ words: ReadonlyArray<string | null>; name: string | null; doubts: readonly string[] }>;
    readonly reads: readonly string[];
    readonly writes: readonly string[];
    readonly deletes: readonly string[];
    readonly possiblePaths: readonly string[];
    readonly net: ReadonlyArray<string | null>;
    readonly unknown: readonly string[];
  };
  readonly tried: ReadonlyArray<ShownRule & { access: string; matched: boolean }>;
  readonly exclude: readonly string[];
}

function shownRule({ text, verdict, layer, origin, reason }: RuleReference): ShownRule {
  return { rule: text, verdict, layer, origin, ...(reason === undefined ? {} : { reason }) };
}

/** The places of a connection; null for one that is not known. */
const placesOf = ({ host, contact }: NetAccess): ReadonlyArray<string | null> =>
  contact === undefined ? [host ?? null] : [...contact.places, ...(contact.more === true ? [null] : [])];

function shownEffects(judged: Decision['accesses']): Explanation['effects'] {
  const accesses = judged.map(({ access }) => access);
  const paths = (kind: PathAccess['kind']): string[] => [...new Set(accesses.flatMap((access) => (access.kind === kind ? [access.given] : [])))];
  const execs = accesses.flatMap((access) => (access.kind === 'exec' ? [access.exec] : []));
  return {
    execs: execs.map(({ words, name, doubts }) => ({ words: words.map((word) => word ?? null), name: name ?? null, doubts })),
    reads: paths('read'),
    writes: paths('write'),
    deletes: paths('delete'),
    possiblePaths: paths('possiblePath'),
    net: accesses.flatMap((access) => (access.kind === 'net' ? placesOf(access) : [])),
    unknown: accesses.flatMap((access) => (access.kind === 'unknown' ? access.reasons : [])),
  };
}

/**
 * Whether an uncertain match of a rule counts. It does not for files that may be below a folder: these are hidden, or
 * judged when they are reached.
 */
function counts(verdicts: ReadonlyMap<Access, Verdict>, rule: RuleReference, access: Access): boolean {
  const verdict = verdicts.get(access);
  return verdict === undefined || !isStricter(rule.verdict, verdict);
}

const WAYS: Record<CommandWay, string> = {
  reader: 'on the workspace mounted read-only',
  transaction: 'on a copy',
  live: 'in the workspace itself',
  unconfined: 'without a sandbox',
};

/** Returns what happens to a call, from the decision that it runs by. */
function outcomeOf({ verdict, route, asksLater }: Decision): string {
  if (verdict === 'deny') return 'is refused';
  const way = route === undefined ? '' : ` ${WAYS[route.way]}, because ${route.reason}`;
  if (verdict === 'ask') return `asks first${way === '' ? '' : `; then runs${way}`}`;
  return asksLater ? `runs${way}; asks about what it changes` : `runs without a question${way}`;
}

/** Returns a decision as plain JSON, with every rule that was tried. */
export function explanation(policy: Policy, decision: Decision): Explanation {
  const verdicts = new Map(decision.accesses.toReversed().map(({ access, verdict }) => [access, verdict]));
  return {
    verdict: decision.verdict,
    rule: shownRule(decision.rule),
    reason: reasonFor(decision.decisive),
    mode: policy.mode,
    outcome: outcomeOf(decision),
    ...(decision.route === undefined ? {} : { runs: { way: decision.route.way, reason: decision.route.reason, asks: decision.asksLater } }),
    accesses: decision.accesses.map(({ access, verdict, rule }) => ({ access: describeAccess(access), verdict, rule: shownRule(rule) })),
    effects: shownEffects(decision.accesses),
    tried: decision.tried.map(({ rule, access, matched }) => ({
      ...shownRule(rule),
      access: describeAccess(access),
      matched: matched && counts(verdicts, rule, access),
    })),
    exclude: decision.exclude,
  };
}

/** Judges a call and records every rule that was tried. */
export function explain(policy: Policy, call: PolicyCall): Explanation {
  return explanation(policy, decide(policy, call, { trace: true }));
}

const MARKS: Record<Verdict, string> = { allow: '+', ask: '?', deny: '-' };

/** Formats an explanation for people: the verdict and rule of each access, then every rule that was tried. */
export function explanationText(tool: string, shown: Explanation): string {
  const { execs: _, ...lists } = shown.effects;
  const effects = Object.entries(lists)
    .filter(([, list]) => list.length > 0)
    .map(([kind, list]) => `  ${kind}: ${list.map((item) => displayText(item ?? 'a machine that is not named')).join(', ')}`);
  const rules = new Map<string, string[]>();
  for (const { rule, verdict, origin, access, matched } of shown.tried) {
    const line = displayText(`${verdict.padEnd(5)} ${rule} [${origin}]`);
    const accesses = rules.get(line) ?? [];
    if (matched) accesses.push(access);
    rules.set(line, accesses);
  }
  const tried = [...rules].map(
    ([line, accesses]) => `  ${line}: ${accesses.length === 0 ? 'does not match' : `matches ${[...new Set(accesses)].join('; ')}`}`,
  );
  return [
    `${tool}: ${shown.verdict}`,
    `  ${shown.reason}`,
    `  ${shown.outcome}`,
    '',
    'What the call does (all must be allowed):',
    ...shown.accesses.map(
      ({ access, verdict, rule }) => `  ${MARKS[verdict]} ${verdict.padEnd(5)} ${access}: ${displayText(`${rule.rule} [${rule.origin}]`)}`,
    ),
    ...(effects.length === 0 ? [] : ['', 'Effects:', ...effects]),
    '',
    'Rules tried (the strictest that matches decides):',
    ...(tried.length === 0 ? ['  none'] : tried),
    `  then mode ${shown.mode}: ${MODE_MEANINGS[shown.mode]}`,
  ].join('\n');
}
