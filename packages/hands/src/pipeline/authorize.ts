import { SynapseError, toSynapseError, type SynapseErrorOptions } from '@synapse/protocol';
import { askApprover } from '../approval/ask-approver.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import { fingerprint } from '../approval/fingerprint.ts';
import { decide } from '../policy/decide.ts';
import { reasonFor, type Decision } from '../policy/decision.ts';
import { proposeGrants } from '../policy/grant.ts';
import { describePart, type Part } from '../policy/part.ts';
import type { LivePolicy } from '../policy/live-policy.ts';
import { protectedPlace } from '../workspace/protected-paths.ts';
import type { AuthorizedCall, ScopedCall } from './call.ts';

/** What whoever opened the hands permits beyond reading. `protected` is for files that other programs execute. */
export const GRANTS = ['write', 'exec', 'protected'] as const;
export type Grant = (typeof GRANTS)[number];

/** Who decides on calls. */
export interface Authority {
  readonly policy: LivePolicy;
  /** Undefined where there is nobody to ask. */
  readonly approver: Approver | undefined;
  readonly closing: AbortSignal;
  /** Whether commands run in a sandbox that holds what the policy promises. Asked only for calls that run some. */
  readonly isConfined: () => Promise<boolean>;
}

/** Which grant, if any, would have let a part through: for the hint. */
function grantFor({ kind }: Part): Grant | undefined {
  if (kind === 'write' || kind === 'delete') return 'write';
  return kind === 'read' || kind === 'mention' || kind === 'call' ? undefined : 'exec';
}

function howToAllow({ decisive: { part, rule } }: Decision): string {
  if (part.kind === 'net' && part.exec === undefined && part.host !== undefined && rule.layer === 'mode') {
    return `A person can allow it with a rule that names the host, "allow": ["fetch_url(domain:${part.host})"], or every host: --yes (CLI), --allow exec (MCP server) or allow: ["exec"] (library).`;
  }
  const guarded = rule.layer === 'built-in';
  const grant = guarded && (part.kind === 'write' || part.kind === 'delete') ? 'protected' : guarded ? undefined : grantFor(part);
  if (grant === undefined) {
    return 'A person can allow it with a rule in the configuration that names it, such as "allow": ["read_file(.env)"]. Go on without it, or ask them.';
  }
  const flags = grant === 'protected' ? '--allow write,protected' : '--yes (CLI), --allow ' + grant + ' (MCP server)';
  const list = grant === 'protected' ? '"write", "protected"' : `"${grant}"`;
  return `A person can allow it: ${flags} or allow: [${list}] (library).`;
}

/** The protected place that a part would change, for the records. */
function guardedPlace(part: Part): string | undefined {
  if (part.kind !== 'write' && part.kind !== 'delete') return undefined;
  return protectedPlace(part.location.folded.split('/'))?.names.join('/');
}

function refusal(code: 'denied' | 'approval_required', call: ScopedCall, decision: Decision, said?: string): SynapseError {
  const reason = reasonFor(decision.decisive);
  const place = guardedPlace(decision.decisive.part);
  const details = { rule: decision.rule.text, verdict: decision.verdict, ...(place === undefined ? {} : { place }) };
  const options: SynapseErrorOptions =
    code === 'approval_required'
      ? { hint: howToAllow(decision), details }
      : { hint: said === undefined ? 'Do it another way, or ask the person who set the rule.' : `They said: ${said}`, details };
  const what = code === 'approval_required' ? 'needs approval, and nothing was done' : said === undefined ? 'is denied' : 'was denied by a person';
  return new SynapseError(code, `${call.tool.name} ${what}: ${reason}.`, options);
}

function question(call: ScopedCall, decision: Decision, policy: LivePolicy): ApprovalRequest {
  return {
    callId: call.callId,
    sessionId: call.options.sessionId,
    tool: call.tool.name,
    title: call.tool.title,
    arguments: call.arguments,
    fingerprint: fingerprint(call.tool.name, call.arguments),
    reason: reasonFor(decision.decisive),
    effects: decision.parts.filter(({ part }) => part.kind !== 'call').map(({ part }) => describePart(part)),
    proposals: proposeGrants(policy.current, policyCall(call), decision),
  };
}

function policyCall(call: ScopedCall): Parameters<typeof decide>[1] {
  return { tool: call.tool.name, permissions: call.permissions, arguments: call.arguments };
}

/** Lets a call through that the policy allows, or a person does. */
export async function authorize(call: ScopedCall, authority: Authority): Promise<AuthorizedCall> {
  const { policy, closing } = authority;
  const approver = call.options.approver ?? authority.approver;
  policy.refresh();
  const confined = call.permissions.some(({ action }) => action === 'exec') && (await authority.isConfined());
  const decision = decide(policy.current, { ...policyCall(call), confined });
  call.facts.decision = { rule: decision.rule.text };
  const allowed: AuthorizedCall = { ...call, decision };
  if (decision.verdict === 'allow') return allowed;
  if (decision.verdict === 'deny') throw refusal('denied', call, decision);
  if (approver === undefined) throw refusal('approval_required', call, decision);
  const request = question(call, decision, policy);
  const answer = await askApprover(approver, request, call.options.signal === undefined ? [closing] : [closing, call.options.signal]);
  call.facts.decision = { rule: decision.rule.text, approver: approver.name, answer: answer.verdict };
  if (answer.verdict === 'later') throw refusal('approval_required', call, decision);
  if (answer.verdict === 'deny') throw refusal('denied', call, decision, answer.reason ?? 'no');
  // The arguments cannot have changed, being parsed copies; should they ever, what was shown is not what would run.
  if (fingerprint(call.tool.name, call.arguments) !== request.fingerprint) throw refusal('denied', call, decision);
  remember(call, request, answer, policy);
  return allowed;
}

/** Keeps an approval beyond the call. Where that fails the call itself is approved all the same, and the answer says so. */
function remember(call: ScopedCall, { proposals }: ApprovalRequest, answer: ApprovalAnswer & { verdict: 'allow' }, policy: LivePolicy): void {
  if (answer.scope === 'once') return;
  const rules = answer.proposal?.rules.join('\n');
  // Only what was shown with the question is ever saved.
  const proposal = proposals.find((shown) => shown.rules.join('\n') === rules);
  if (proposal === undefined) return void call.facts.notes.push('The approval counts for this call only: no rule that was shown goes with it.');
  try {
    policy.remember(proposal, call.tool.name, answer.scope);
  } catch (error) {
    call.facts.notes.push(`The approval counts for this call only: ${toSynapseError(error).message}`);
  }
}
