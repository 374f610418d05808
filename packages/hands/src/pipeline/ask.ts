import { toSynapseError } from '@synapse/protocol';
import { askApprover } from '../approval/ask-approver.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approval/approver.ts';
import { fingerprint } from '../approval/fingerprint.ts';
import type { TooLargeToUndo } from '../journal/capture.ts';
import type { CommandGround } from '../policy/command-route.ts';
import { reasonFor, type Decision, type PolicyCall } from '../policy/decision.ts';
import type { Effects } from '../policy/effects.ts';
import { proposeGrants } from '../policy/grant.ts';
import type { LivePolicy } from '../policy/live-policy.ts';
import { describePart } from '../policy/part.ts';
import type { HeldTool } from '../tool.ts';
import type { ScopedCall } from './call.ts';
import { heldBack, refusal } from './refusal.ts';
import { undoNote } from './undo-note.ts';

/** Who decides on calls. */
export interface Authority {
  readonly policy: LivePolicy;
  /** Undefined where there is nobody to ask. */
  readonly approver: Approver | undefined;
  readonly closing: AbortSignal;
  /** What there is for commands to run in. Asked only for calls that run some. */
  readonly ground: () => Promise<CommandGround>;
  /** Why the configuration wants a command to work on the workspace itself; undefined where it does not. */
  readonly runsLive: (effects: Effects) => string | undefined;
}

/** A call as the policy judges it, with what there is to run its commands in. */
export async function policyCall(
  { tool, permissions, arguments: given, options }: Pick<ScopedCall, 'tool' | 'permissions' | 'arguments' | 'options'>,
  { ground: lookAround, runsLive }: Authority,
): Promise<PolicyCall> {
  const call: PolicyCall = { tool: tool.name, permissions, arguments: given };
  if (!permissions.some(({ action }) => action === 'exec')) return call;
  const ground = await lookAround();
  const confined = ground.sandbox === 'works';
  if (tool.runs === undefined) return { ...call, ground, confined };
  const asked = tool.runs.live(given);
  return { ...call, ground, confined, wish: { live: (effects) => asked ?? runsLive(effects), asksFirst: options.asksFirst ?? 'none' } };
}

/** What a person is asked about. */
export interface Question {
  readonly call: ScopedCall;
  readonly decision: Decision;
  readonly authority: Authority;
  /** The call as it was judged. */
  readonly judged: PolicyCall;
  /** What the call would take away for good. */
  readonly losses?: readonly TooLargeToUndo[];
  /** Why the tool waits for a person's yes, whatever the rules say. */
  readonly held?: HeldTool | undefined;
  readonly tryOut?: NonNullable<ApprovalRequest['tryOut']>;
}

function request({ call, decision, authority, judged, losses = [], held, tryOut }: Question): ApprovalRequest {
  const loss = undoNote(losses);
  return {
    callId: call.callId,
    sessionId: call.options.sessionId,
    tool: call.tool.name,
    title: call.tool.title,
    arguments: call.arguments,
    fingerprint: fingerprint(call.tool.name, call.arguments),
    reason: held?.reason ?? reasonFor(decision.decisive),
    effects: [
      ...(call.options.dryRun === true ? ['only tries it: a dry run changes nothing'] : []),
      ...decision.parts.filter(({ part }) => part.kind !== 'call').map(({ part }) => describePart(part)),
      ...(held?.details ?? []),
      ...(loss === undefined ? [] : [loss]),
    ],
    // A yes to a held tool is to what is seen now, and no rule keeps that. The rest is judged as the call
    // was, else rules that would do in the sandbox were not offered.
    proposals: held === undefined ? proposeGrants(authority.policy.current, judged, decision) : [],
    ...(tryOut === undefined ? {} : { tryOut }),
  };
}

/** Asks whoever there is, and gives a yes; throws for everything else. */
export async function ask(question: Question): Promise<ApprovalAnswer & { verdict: 'allow' }> {
  const { call, decision, authority, held } = question;
  const { policy, closing } = authority;
  const approver = call.options.approver ?? authority.approver;
  const unanswered = (): Error => (held === undefined ? refusal('approval_required', call, decision) : heldBack(call, held));
  if (approver === undefined) throw unanswered();
  const asked = request(question);
  const answer = await askApprover(approver, asked, call.options.signal === undefined ? [closing] : [closing, call.options.signal]);
  call.facts.decision = { rule: decision.rule.text, approver: approver.name, answer: answer.verdict };
  if (answer.verdict === 'later') throw unanswered();
  if (answer.verdict === 'deny') throw refusal('denied', call, decision, answer.reason ?? 'no');
  // The arguments cannot have changed, being parsed copies; should they ever, what was shown is not what would run.
  if (fingerprint(call.tool.name, call.arguments) !== asked.fingerprint) throw refusal('denied', call, decision);
  held?.accept();
  // A yes to what one run changed says nothing about another.
  if (answer.effect === undefined) remember(call, asked, answer, policy);
  return answer;
}

/** Keeps an approval beyond the call. Where that fails the call itself is approved all the same, and the answer says so. */
export function remember(call: ScopedCall, { proposals }: ApprovalRequest, answer: ApprovalAnswer & { verdict: 'allow' }, policy: LivePolicy): void {
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
