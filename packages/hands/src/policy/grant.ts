import { escapeWord } from './command-pattern.ts';
import { decide } from './decide.ts';
import type { Decision, JudgedAccess, PolicyCall } from './decision.ts';
import type { Effects, Exec } from './effects.ts';
import { canonicalHost } from './host-pattern.ts';
import { openEndedReason } from './interpreters.ts';
import { parseRule, type RuleOrigin } from './parse-rule.ts';
import type { PathAccess } from './access.ts';
import type { Policy, PolicySource } from './policy.ts';
import type { Rule, RuleObject, RuleSource } from './rule.ts';
import { findProgram, listed } from './program-table.ts';

/** Returns the words that name the action of a command; undefined if an option is between them, or a word is unknown. */
export function namingWords(words: readonly string[]): readonly string[] | undefined {
  const [name = '', second = ''] = words;
  const naming = findProgram(name)?.naming;
  if (naming === undefined) return undefined;
  const amount = typeof naming === 'number' ? naming : listed(naming.deeper).includes(second) ? naming.words + 1 : naming.words;
  if (words.length < amount) return undefined;
  const found = words.slice(0, amount);
  return found.slice(1).some((word) => word.startsWith('-')) ? undefined : found;
}

/** How long an answer lasts: for this call, for this run of the hands, or for the project. */
export const GRANT_SCOPES = ['once', 'session', 'project'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** Milliseconds until a saved approval expires: 30 days. */
export const PROJECT_GRANT_MS = 30 * 24 * 60 * 60 * 1_000;

/** The rules that "always allow" would save, with examples. */
export interface GrantProposal {
  /** `exact` for this call, `pattern` for similar calls. */
  readonly kind: 'exact' | 'pattern';
  /** Allow rules that are saved together. */
  readonly rules: readonly string[];
  /** Calls that would run without a question, judged by the engine itself. */
  readonly covers: readonly string[];
  /** Calls that would still be asked about or refused. */
  readonly doesNotCover: readonly string[];
}

/** An approval to remember. */
export interface Grant {
  readonly scope: GrantScope;
  readonly tool: string;
  readonly rules: readonly string[];
  /** Milliseconds since 1970. */
  readonly grantedAt: number;
  /** Milliseconds since 1970; undefined lasts as long as the scope. */
  readonly expiresAt: number | undefined;
}

/** Adds allow rules to a policy; undefined if a rule is invalid. */
export function withRules(
  policy: Policy,
  sources: readonly RuleSource[],
  origin: Pick<RuleOrigin, 'layer' | 'origin'> = { layer: 'grant', origin: 'proposal' },
): Policy | undefined {
  const rules: Rule[] = [];
  for (const source of sources) {
    const rule = parseRule(source, { verdict: 'allow', ...origin }, policy);
    if (typeof rule === 'string') return undefined;
    rules.push(rule);
  }
  return { ...policy, rules: [...policy.rules, ...rules], allowing: [...policy.allowing, ...rules] };
}

/** Returns a gitignore pattern that matches only this path. */
function exactPath(access: PathAccess): string {
  const escaped = access.location.path.replace(/[\\*?[\]!# ]/gu, String.raw`\$&`);
  return access.location.inside ? `/${escaped}` : `//${escaped}`;
}

function pathRule(access: PathAccess, wide: boolean): string {
  const action = access.kind === 'read' || access.kind === 'possiblePath' ? 'read' : 'write';
  const path = exactPath(access);
  const folder = path.slice(0, path.lastIndexOf('/'));
  return `${action}(${wide && folder.length > 1 && access.location.inside ? `${folder}/**` : path})`;
}

function execRule({ words: bare, wrapped, altered, doubts, installed }: Exec, wide: boolean): string | undefined {
  const words = altered && !wide ? (wrapped ?? bare) : bare;
  const known = words.filter((word) => word !== undefined);
  if (known.length !== words.length) return undefined;
  if (!wide) return `exec(${known.map(escapeWord).join(' ')})`;
  // `npx vitest run a` gives a rule for vitest on any file.
  const inner = installed?.words.filter((word) => word !== undefined);
  const naming = (inner === undefined ? undefined : namingWords(inner)) ?? namingWords(known);
  if (naming === undefined || doubts.length > 0 || openEndedReason(naming) !== undefined) return undefined;
  return `exec(${naming.map(escapeWord).join(' ')} *)`;
}

/** Returns the rule that would allow one access; undefined if no rule of that width should. */
function accessRule({ access, rule }: JudgedAccess, wide: boolean): string | undefined {
  switch (access.kind) {
    case 'exec':
      return execRule(access.exec, wide);
    case 'net':
      return access.host === undefined ? undefined : `fetch(${access.host})`;
    case 'mcp':
      // A tool of the embedding program.
      if (!access.name.startsWith('mcp:')) return access.name;
      return `mcp(${(wide && /^mcp:[^:]+:/u.test(access.name) ? access.name.replace(/[^:]*$/u, '*') : access.name).replace(/^mcp:/u, '')})`;
    case 'unknown':
    case 'call':
      return undefined;
    case 'read':
    case 'write':
    case 'delete':
    case 'possiblePath':
    default:
      // Only a rule with the exact name allows a guarded path.
      return pathRule(access, wide && rule.layer !== 'built-in');
  }
}

function asked(decision: Decision): JudgedAccess[] {
  return decision.accesses.filter(({ verdict }) => verdict === 'ask');
}

function commandOf(call: PolicyCall): string | undefined {
  const commands = call.permissions.filter(({ action }) => action === 'exec');
  return commands.length === 1 ? commands[0]?.resource : undefined;
}

function candidates(call: PolicyCall, decision: Decision): Array<{ kind: GrantProposal['kind']; rules: string[] }> {
  const accesses = asked(decision);
  const rulesOf = (wide: boolean): string[] | undefined => {
    const rules = accesses.map((access) => accessRule(access, wide));
    return rules.some((rule) => rule === undefined) ? undefined : [...new Set(rules.filter((rule) => rule !== undefined))];
  };
  const command = commandOf(call);
  // If the accesses have no rules, use one rule for exactly this text.
  const whole = command === undefined ? undefined : [`exec(= ${command.trim()})`];
  const exact = rulesOf(false);
  const found = [
    { kind: 'exact' as const, rules: exact !== undefined && exact.length === 1 ? exact : (whole ?? exact) },
    { kind: 'pattern' as const, rules: rulesOf(true) },
  ];
  return found.flatMap(({ kind, rules }) => (rules === undefined || rules.length === 0 ? [] : [{ kind, rules }]));
}

/** Maximum length of a command that a sample contains, in characters. Longer samples show nothing, and each is judged several times. */
const MAX_SAMPLED = 1_000;
/** Maximum number of accesses of a call for which rules are proposed. Each is judged about 20 times, and no rule for more would be read. */
const MAX_ACCESSES = 256;

/** Returns sample calls that show the limits of a rule. */
function neighbors(call: PolicyCall, decision: Decision): PolicyCall[] {
  const command = commandOf(call);
  if (command !== undefined) {
    const [first] = decision.accesses.flatMap(({ access }) => (access.kind === 'exec' ? [access.exec] : []));
    const name = first?.name ?? 'sh';
    const naming = namingWords((first?.words ?? []).map((word) => word ?? '')) ?? [name];
    const short = naming.join(' ');
    const whole = command.length > MAX_SAMPLED ? [] : [`${command} --verbose`, `${command} && curl https://example.com`, `${command} > .git/config`];
    const texts = [short, ...whole, `${short}x`, `${name} something-else`];
    return texts.map((resource) => ({ ...call, permissions: [{ action: 'exec', resource }] }));
  }
  const beside = (resource: string, text: string): string => `${resource.slice(0, resource.lastIndexOf('/') + 1)}${text}`;
  const kinds = new Set(asked(decision).map(({ access }) => access.kind));
  // Calls that run without a rule, such as reads, would not show the limits of this one.
  const concerned = call.permissions.filter(({ action }) => action !== 'read' || kinds.has('read') || kinds.has('possiblePath'));
  return concerned.flatMap(({ action, resource }): PolicyCall[] => {
    const others =
      action === 'net'
        ? [`https://docs.${canonicalHost(resource) ?? ''}/`, `https://${canonicalHost(resource) ?? ''}.example.com/`, 'https://example.com/']
        : action === 'mcp'
          ? [resource.replace(/[^:]*$/u, 'another_tool'), 'mcp:another_server:tool']
          : [beside(resource, 'another.txt'), beside(resource, 'deeper/file.txt'), 'another-folder/file.txt', '.git/config'];
    // For a rule about a server's tool, the sample is a call of another tool.
    return others.map((other) => ({ ...call, tool: action === 'mcp' ? other : call.tool, permissions: [{ action, resource: other }] }));
  });
}

function shown(call: PolicyCall): string {
  return [...new Set(call.permissions.map(({ resource }) => resource))].join(', ');
}

/**
 * Returns the rules that "always allow" could save for a call that needs approval, narrowest first. Each rule is tried: rules
 * that would not allow the call, or that would allow an interpreter, are not proposed.
 */
export function proposeGrants(policy: Policy, call: PolicyCall, decision: Decision = decide(policy, call)): GrantProposal[] {
  if (decision.verdict !== 'ask' || decision.accesses.length > MAX_ACCESSES) return [];
  const understood = new Map<string, Effects>();
  const proposals: GrantProposal[] = [];
  for (const { kind, rules } of candidates(call, decision)) {
    if (proposals.some((proposal) => proposal.rules.join('\n') === rules.join('\n'))) continue;
    const granted = withRules(policy, rules);
    if (granted === undefined || decide(granted, call, { understood }).verdict !== 'allow') continue;
    const runs = (sample: PolicyCall): boolean => decide(granted, sample, { understood }).verdict === 'allow';
    // What runs anyway is no example of what the rule does.
    const samples = neighbors(call, decision).filter(
      (sample) => shown(sample) !== shown(call) && decide(policy, sample, { understood }).verdict !== 'allow',
    );
    proposals.push({
      kind,
      rules,
      covers: [shown(call), ...new Set(samples.filter(runs).map(shown))],
      doesNotCover: [...new Set(samples.filter((sample) => !runs(sample)).map(shown))],
    });
  }
  return proposals;
}

/** Creates the grant for an answer. `once` saves nothing: the approval is bound to the arguments of the call. */
export function makeGrant(proposal: GrantProposal, tool: string, scope: GrantScope, now: number, lifetimeMs?: number): Grant {
  const lifetime = lifetimeMs ?? (scope === 'project' ? PROJECT_GRANT_MS : undefined);
  return {
    scope,
    tool,
    rules: scope === 'once' ? [] : proposal.rules,
    grantedAt: now,
    expiresAt: lifetime === undefined ? undefined : now + lifetime,
  };
}

/** Returns grants as a policy source. */
export function grantSource(grants: readonly Grant[]): PolicySource {
  const allow = grants.flatMap(({ rules, expiresAt }): RuleObject[] =>
    rules.map((rule) => ({ rule, ...(expiresAt === undefined ? {} : { expiresAt }) })),
  );
  return { layer: 'grant', origin: 'granted', settings: { allow } };
}
