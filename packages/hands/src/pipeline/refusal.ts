import { SynapseError } from '@synapse/protocol';
import { type Decision, type PolicyCall, reasonFor } from '../policy/decision.ts';
import type { Access } from '../policy/access.ts';
import type { HeldTool } from '../tool/tool.ts';
import { protectedPlace } from '../danger/protected-places.ts';
import type { CheckedCall } from '../call/call.ts';
import { type Capability, capabilitySource } from '../policy/capabilities.ts';
import { isIrreversibleRule } from './irreversible.ts';
import type { Policy } from '../policy/policy.ts';
import { displayText } from '../workspace/byte-name.ts';
import { decide } from '../policy/decide.ts';
import { proposeGrants, withRules } from '../policy/grant.ts';

/** What would allow a call that needs approval. */
interface Advice {
  /** The allow rule for this call and similar ones; undefined if no single rule covers it. */
  readonly rule: string | undefined;
  /** The capabilities that would allow it; undefined if none do. */
  readonly grants: readonly Capability[] | undefined;
}

/** Sets of capabilities, narrowest first. */
const CAPABILITY_SETS: ReadonlyArray<readonly Capability[]> = [
  ['write'],
  ['exec'],
  ['fetch'],
  ['mcp'],
  ['write', 'exec'],
  ['write', 'protected'],
  ['write', 'exec', 'protected'],
];
/** Maximum length of a suggested rule in characters. Longer rules are too long to copy. */
const MAX_RULE = 120;

/** What would allow a call. Each suggestion was checked with the policy engine. */
export function adviceFor(policy: Policy, call: PolicyCall, decision: Decision): Advice {
  const rules = proposeGrants(policy, call, decision)
    .toReversed()
    .flatMap((proposal) => (proposal.rules.length === 1 ? proposal.rules : []));
  const helps = (grants: readonly Capability[]): boolean => {
    const granted = withRules(policy, capabilitySource(grants).settings.allow ?? [], { layer: 'flags', origin: '--allow' });
    return granted !== undefined && decide(granted, call).verdict === 'allow';
  };
  return { rule: rules.find((rule) => rule.length <= MAX_RULE), grants: CAPABILITY_SETS.find(helps) };
}

/** How to grant the capabilities with `--yes`, `--allow` and `allow`. An agent on another machine can give none of these. */
function flags(grants: readonly Capability[], remote: boolean): string {
  if (remote) return `synapse connect --allow ${grants.join(',')}`;
  const words = grants.includes('protected') ? `--allow ${grants.join(',')}` : `--yes (CLI), --allow ${grants.join(',')} (MCP server)`;
  return `${words} or allow: [${grants.map((name) => `'${name}'`).join(', ')}] (library)`;
}

/** Where a person is asked about calls from another machine. */
const ASKED_REMOTELY = 'where synapse connect runs in a terminal, or on a device that was paired with --approver';

function howToAllow({ rule, grants }: Advice, remote: boolean): string {
  const ways = [...(rule === undefined ? [] : [`the allow rule ${displayText(rule)}`]), ...(grants === undefined ? [] : [flags(grants, remote)])];
  if (ways.length === 0) return `Only a person can allow it, when asked${remote ? `: ${ASKED_REMOTELY}` : ''}. Continue without it.`;
  return remote
    ? `A person can allow it on that machine: ${ways.join(', or ')}. A person is asked ${ASKED_REMOTELY}.`
    : `A person can allow it: ${ways.join(', or ')}.`;
}

/** The protected path that an access would change, for records. */
function guardedPlace(access: Access): string | undefined {
  if (access.kind !== 'write' && access.kind !== 'delete') return undefined;
  return protectedPlace(access.location.folded.split('/'))?.names.join('/');
}

/** The error for a call that the policy or a person denied. @param said the answer of the person */
export function refusal(call: CheckedCall, decision: Decision, said?: string): SynapseError {
  const hint = said === undefined ? 'Do it another way, or ask the person who set the rule.' : `They said: ${said}`;
  const what = said === undefined ? 'is denied' : 'was denied by a person';
  return new SynapseError('denied', `${call.tool.name} ${what}: ${reasonFor(decision.decisive)}.`, {
    hint,
    details: { ...details(decision), ...(said === undefined ? {} : { answer: 'deny' }) },
  });
}

/** Where a person was asked without an answer. */
const askedIn = ({ state: { askedIn: place } }: CheckedCall): string =>
  place === undefined ? '' : `A person was asked in ${place} and did not answer in time; the same call asks again. `;

/** The error for a call that needs approval and did not get it. */
export function unanswered(call: CheckedCall, decision: Decision, policy: Policy, judged: PolicyCall): SynapseError {
  // Modes do not allow irreversible changes; an explicit rule does.
  const advice: Advice = isIrreversibleRule(decision.rule) ? { rule: undefined, grants: ['write'] } : adviceFor(policy, judged, decision);
  return new SynapseError('approval_required', `${call.tool.name} needs approval, and nothing was done: ${reasonFor(decision.decisive)}.`, {
    hint: `${askedIn(call)}${howToAllow(advice, call.options.remote === true)}`,
    details: details(decision),
  });
}

function details(decision: Decision): Readonly<Record<string, unknown>> {
  const place = guardedPlace(decision.decisive.access);
  return { rule: decision.rule.text, verdict: decision.verdict, ...(place === undefined ? {} : { place }) };
}

/** The error for a tool that needs a person's approval, without an approver. */
export function pendingReview(call: CheckedCall, { reason, hint, details }: HeldTool): SynapseError {
  return new SynapseError('approval_required', `${call.tool.name} needs approval, and nothing was done: ${reason}.`, {
    hint,
    details: { held: details.slice(0, 20) },
  });
}
