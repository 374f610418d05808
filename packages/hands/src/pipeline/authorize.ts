import { SynapseError, toSynapseError, type SynapseErrorOptions } from '@synapse/protocol';
import { askApprover } from '../approval/ask-approver.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver, Trial } from '../approval/approver.ts';
import { fingerprint } from '../approval/fingerprint.ts';
import { effectFingerprint } from '../dry-run/effect.ts';
import type { TooLargeToUndo } from '../journal/capture.ts';
import { decide } from '../policy/decide.ts';
import { reasonFor, type Decision } from '../policy/decision.ts';
import { proposeGrants } from '../policy/grant.ts';
import { describePart, type Part } from '../policy/part.ts';
import type { LivePolicy } from '../policy/live-policy.ts';
import { protectedPlace } from '../workspace/protected-paths.ts';
import type { AuthorizedCall, Rehearsed, ScopedCall } from './call.ts';
import { asksInDryRun } from './asks-in-dry-run.ts';
import { isRehearsable } from './is-rehearsable.ts';
import { isAllowedByName, isLoss, withLosses } from './judge-losses.ts';
import { contentText } from './shape.ts';
import { undoNote } from './undo-note.ts';

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
  const guarded = rule.layer === 'built-in' && !isLoss(rule);
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

/** What can be learned about a call before it is decided on. */
export interface Foresight {
  /** Tries the call so that nothing changes. */
  readonly rehearse: (call: AuthorizedCall) => Promise<Rehearsed>;
  /** What the call would take away for good. */
  readonly losses: (call: AuthorizedCall) => Promise<readonly TooLargeToUndo[]>;
}

/** Lets a call through that the policy allows, or a person does. */
export async function authorize(call: ScopedCall, authority: Authority, foresight: Foresight): Promise<AuthorizedCall> {
  const { policy } = authority;
  policy.refresh();
  const confined = call.permissions.some(({ action }) => action === 'exec') && (await authority.isConfined());
  const decision = decide(policy.current, { ...policyCall(call), confined });
  call.facts.decision = { rule: decision.rule.text };
  if (decision.verdict === 'deny') throw refusal('denied', call, decision);
  const allowed: AuthorizedCall = { ...call, decision, mayLose: () => isAllowedByName(decision), tried: undefined };
  if (call.options.dryRun === true) {
    const asking = asksInDryRun(decision, confined);
    if (asking === undefined) return allowed;
    await ask({ call, decision: { ...decision, decisive: asking, rule: asking.rule }, authority, losses: [] });
    return allowed;
  }
  if (decision.verdict === 'allow' && (call.tool.effects !== 'write' || isAllowedByName(decision))) return allowed;
  const losses = await foresight.losses(allowed);
  const judged = losses.length === 0 ? decision : withLosses(decision, losses);
  if (judged.verdict === 'allow') return allowed;
  let tried: Rehearsed | undefined;
  const tryOut = async (signal: AbortSignal): Promise<Trial> => {
    tried = undefined;
    const { onProgress: _, ...options } = call.options;
    const signals = options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]);
    // What it says on the way would be painted over the question.
    tried = await foresight.rehearse({ ...allowed, options: { ...options, signal: signals } });
    return trialOf(tried);
  };
  const { effect } = await ask({ call, decision: judged, authority, losses, ...(confined && isRehearsable(call) ? { tryOut } : {}) });
  // Only what was shown is done: a yes to another effect, or to one of an earlier try, is none.
  if (effect !== undefined && (tried === undefined || effectFingerprint(tried.effect) !== effect)) throw refusal('denied', call, judged);
  const told = new Set(losses.map(({ path }) => path));
  return { ...allowed, mayLose: ({ path }) => told.has(path), tried: effect === undefined ? undefined : tried };
}

interface Question {
  readonly call: ScopedCall;
  readonly decision: Decision;
  readonly authority: Authority;
  readonly losses: readonly TooLargeToUndo[];
  readonly tryOut?: NonNullable<ApprovalRequest['tryOut']>;
}

/** Asks whoever there is, and gives a yes; throws for everything else. */
async function ask({ call, decision, authority, losses, tryOut }: Question): Promise<ApprovalAnswer & { verdict: 'allow' }> {
  const { policy, closing } = authority;
  const approver = call.options.approver ?? authority.approver;
  if (approver === undefined) throw refusal('approval_required', call, decision);
  const asked = question(call, decision, policy);
  const loss = undoNote(losses);
  const request: ApprovalRequest = {
    ...asked,
    effects: [
      ...(call.options.dryRun === true ? ['only tries it: a dry run changes nothing'] : []),
      ...asked.effects,
      ...(loss === undefined ? [] : [loss]),
    ],
    ...(tryOut === undefined ? {} : { tryOut }),
  };
  const answer = await askApprover(approver, request, call.options.signal === undefined ? [closing] : [closing, call.options.signal]);
  call.facts.decision = { rule: decision.rule.text, approver: approver.name, answer: answer.verdict };
  if (answer.verdict === 'later') throw refusal('approval_required', call, decision);
  if (answer.verdict === 'deny') throw refusal('denied', call, decision, answer.reason ?? 'no');
  // The arguments cannot have changed, being parsed copies; should they ever, what was shown is not what would run.
  if (fingerprint(call.tool.name, call.arguments) !== request.fingerprint) throw refusal('denied', call, decision);
  // A yes to what one run changed says nothing about another.
  if (answer.effect === undefined) remember(call, request, answer, policy);
  return answer;
}

function trialOf({ effect, shown, executed }: Rehearsed): Trial {
  const { tool, data, content } = executed;
  return {
    fingerprint: effectFingerprint(effect),
    effect: shown,
    output: typeof content === 'string' ? content : contentText(content),
    completion: tool.completion?.(data) ?? 'ok',
  };
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
