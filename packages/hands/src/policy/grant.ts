import { escapeWord } from './command-pattern.ts';
import { namingWords } from './command-arity.ts';
import { decide } from './decide.ts';
import type { Decision, JudgedPart, PolicyCall } from './decision.ts';
import type { Exec } from './effects.ts';
import { canonicalHost } from './host-pattern.ts';
import { openEndedReason } from './interpreters.ts';
import { parseRule } from './parse-rule.ts';
import type { PathPart } from './part.ts';
import type { Policy, PolicySource } from './policy.ts';
import type { Rule, RuleObject } from './rule.ts';

/** How long an answer holds: for this call, for this run of the hands, or for the project. */
export const GRANT_SCOPES = ['once', 'session', 'project'] as const;
export type GrantScope = (typeof GRANT_SCOPES)[number];

/** An approval that nobody has thought of for a month is asked for again. */
export const PROJECT_GRANT_MS = 30 * 24 * 60 * 60 * 1_000;

/** What "always allow" would save, with what that means. */
export interface GrantProposal {
  /** `exact` for this very call, `pattern` for calls like it. */
  readonly kind: 'exact' | 'pattern';
  /** Allow rules, all of them together. */
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
  /** Milliseconds since 1970; undefined holds as long as the scope. */
  readonly expiresAt: number | undefined;
}

/** The policy with more allow rules; none where a rule is no valid one. */
function withRules(policy: Policy, texts: readonly string[]): Policy | undefined {
  const rules: Rule[] = [];
  for (const text of texts) {
    const rule = parseRule(text, { verdict: 'allow', layer: 'grant', origin: 'proposal' }, policy);
    if (typeof rule === 'string') return undefined;
    rules.push(rule);
  }
  return { ...policy, rules: [...policy.rules, ...rules], allowing: [...policy.allowing, ...rules] };
}

/** A path as a gitignore pattern for just that path. */
function exactPath(part: PathPart): string {
  const escaped = part.location.path.replace(/[\\*?[\]!# ]/gu, String.raw`\$&`);
  return part.location.inside ? `/${escaped}` : `//${escaped}`;
}

function pathRule(part: PathPart, wide: boolean): string {
  const tool = part.kind === 'read' || part.kind === 'mention' ? 'read_file' : 'write_file';
  const path = exactPath(part);
  const folder = path.slice(0, path.lastIndexOf('/'));
  return `${tool}(${wide && folder.length > 1 && part.location.inside ? `${folder}/**` : path})`;
}

function execRule({ words: inner, wrapped, altered, doubts }: Exec, wide: boolean): string | undefined {
  const words = altered && !wide ? (wrapped ?? inner) : inner;
  const known = words.filter((word) => word !== undefined);
  if (known.length !== words.length) return undefined;
  if (!wide) return `run_command(${known.map(escapeWord).join(' ')})`;
  const naming = namingWords(known);
  if (naming === undefined || doubts.length > 0 || openEndedReason(naming) !== undefined) return undefined;
  return `run_command(${naming.map(escapeWord).join(' ')} *)`;
}

/** The rule that would allow one part; undefined where no rule of that width should. */
function partRule({ part, rule }: JudgedPart, wide: boolean): string | undefined {
  switch (part.kind) {
    case 'exec':
      return execRule(part.exec, wide);
    case 'net':
      return part.host === undefined ? undefined : `fetch_url(domain:${part.host})`;
    case 'mcp':
      return wide && /^mcp:[^:]+:/u.test(part.name) ? part.name.replace(/[^:]*$/u, '*') : part.name;
    case 'unknown':
    case 'call':
      return undefined;
    case 'read':
    case 'write':
    case 'delete':
    case 'mention':
    default:
      // What is guarded is only ever opened by its own name.
      return pathRule(part, wide && rule.layer !== 'built-in');
  }
}

function asked(decision: Decision): JudgedPart[] {
  return decision.parts.filter(({ verdict }) => verdict === 'ask');
}

function commandOf(call: PolicyCall): string | undefined {
  const commands = call.permissions.filter(({ action }) => action === 'exec');
  return commands.length === 1 ? commands[0]?.resource : undefined;
}

function candidates(call: PolicyCall, decision: Decision): Array<{ kind: GrantProposal['kind']; rules: string[] }> {
  const parts = asked(decision);
  const rulesOf = (wide: boolean): string[] | undefined => {
    const rules = parts.map((part) => partRule(part, wide));
    return rules.some((rule) => rule === undefined) ? undefined : [...new Set(rules.filter((rule) => rule !== undefined))];
  };
  const command = commandOf(call);
  // One line that says it all where the parts cannot: it covers this text and nothing else.
  const whole = command === undefined ? undefined : [`run_command(= ${command.trim()})`];
  const exact = rulesOf(false);
  const found = [
    { kind: 'exact' as const, rules: exact !== undefined && exact.length === 1 ? exact : (whole ?? exact) },
    { kind: 'pattern' as const, rules: rulesOf(true) },
  ];
  return found.flatMap(({ kind, rules }) => (rules === undefined || rules.length === 0 ? [] : [{ kind, rules }]));
}

/** Calls beside the one at hand that show where a rule ends. */
function neighbours(call: PolicyCall, decision: Decision): PolicyCall[] {
  const command = commandOf(call);
  if (command !== undefined) {
    const name = decision.effects.execs[0]?.name ?? 'sh';
    const naming = namingWords((decision.effects.execs[0]?.words ?? []).map((word) => word ?? '')) ?? [name];
    const short = naming.join(' ');
    const texts = [
      short,
      `${short} --help`,
      `${command} --verbose`,
      `${command} && curl https://example.com`,
      `${command} > .git/config`,
      `${short}x`,
      `${name} something-else`,
    ];
    return texts.map((resource) => ({ ...call, permissions: [{ action: 'exec', resource }] }));
  }
  const beside = (resource: string, text: string): string => `${resource.slice(0, resource.lastIndexOf('/') + 1)}${text}`;
  const kinds = new Set(asked(decision).map(({ part }) => part.kind));
  // An example of what runs without any rule, as reading does, would say nothing about where the rule ends.
  const concerned = call.permissions.filter(({ action }) => action !== 'read' || kinds.has('read') || kinds.has('mention'));
  return concerned.flatMap(({ action, resource }): PolicyCall[] => {
    const others =
      action === 'net'
        ? [`https://docs.${canonicalHost(resource) ?? ''}/`, `https://${canonicalHost(resource) ?? ''}.example.com/`, 'https://example.com/']
        : action === 'mcp'
          ? [resource.replace(/[^:]*$/u, 'another_tool'), 'mcp:another_server:tool']
          : [beside(resource, 'another.txt'), beside(resource, 'deeper/file.txt'), 'another-folder/file.txt', '.git/config'];
    // A rule for a tool of a server is one for calls of that tool: a sample is a call of another.
    return others.map((other) => ({ ...call, tool: action === 'mcp' ? other : call.tool, permissions: [{ action, resource: other }] }));
  });
}

function shown(call: PolicyCall): string {
  return [...new Set(call.permissions.map(({ resource }) => resource))].join(', ');
}

/**
 * The rules that "always allow" could save for a call that was asked about, from the narrowest. Each is tried
 * out: one that the policy would not let through, or that an interpreter hides behind, is not proposed.
 */
export function proposeGrants(policy: Policy, call: PolicyCall, decision: Decision = decide(policy, call)): GrantProposal[] {
  if (decision.verdict !== 'ask') return [];
  const proposals: GrantProposal[] = [];
  for (const { kind, rules } of candidates(call, decision)) {
    if (proposals.some((proposal) => proposal.rules.join('\n') === rules.join('\n'))) continue;
    const granted = withRules(policy, rules);
    if (granted === undefined || decide(granted, call).verdict !== 'allow') continue;
    const samples = neighbours(call, decision).filter((sample) => shown(sample) !== shown(call));
    const runs = (sample: PolicyCall): boolean => decide(granted, sample).verdict === 'allow';
    proposals.push({
      kind,
      rules,
      covers: [shown(call), ...new Set(samples.filter(runs).map(shown))],
      doesNotCover: [...new Set(samples.filter((sample) => !runs(sample)).map(shown))],
    });
  }
  return proposals;
}

/** The grant that an answer makes. `once` saves nothing: the approval of the call is bound to its arguments. */
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

/** Grants as a source of a policy. */
export function grantSource(grants: readonly Grant[]): PolicySource {
  const allow = grants.flatMap(({ rules, expiresAt }): RuleObject[] =>
    rules.map((rule) => ({ rule, ...(expiresAt === undefined ? {} : { expiresAt }) })),
  );
  return { layer: 'grant', origin: 'granted', settings: { allow } };
}
