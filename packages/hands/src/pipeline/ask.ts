import { toSynapseError } from '@synapse/protocol';
import { approverOf } from '../approval/approver-of.ts';
import { askApprover, type AskOptions } from '../approval/ask-approver.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../approval/approver.ts';
import { notify } from '../events/notify.ts';
import { fingerprint } from '../call/copy-input.ts';
import type { TooLargeToUndo } from '../workspace/changes/capture.ts';
import { type Decision, type JudgedAccess, type PolicyCall, reasonFor } from '../policy/decision.ts';
import { proposeGrants } from '../policy/grant.ts';
import type { PolicyStore } from '../policy/policy-store.ts';
import { describeAccess } from '../policy/access.ts';
import type { AnyTool, HeldTool } from '../tool/tool.ts';
import type { CheckedCall } from '../call/call.ts';
import type { Authorizer } from './check-permissions.ts';
import { pendingReview, refusal, unanswered } from './refusal.ts';
import { undoNote } from './irreversible.ts';
import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';

/** The arguments that equal their defaults. A question to a person leaves them out. */
export function defaultFields({ input }: Pick<AnyTool, 'input'>, given: Readonly<Record<string, unknown>>): string[] {
  const fields: Readonly<Record<string, z.core.$ZodType>> = input.shape;
  return Object.keys(given).filter((name) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const left = field === undefined ? undefined : z.safeParse(field, undefined);
    return left?.success === true && left.data !== undefined && isDeepStrictEqual(left.data, given[name]);
  });
}

/** A question to the approver. */
interface Question {
  readonly call: CheckedCall;
  readonly decision: Decision;
  readonly authorizer: Authorizer;
  /** The call as the policy judged it. */
  readonly judged: PolicyCall;
  /** What the call would change irreversibly. */
  readonly irreversible?: readonly TooLargeToUndo[];
  /** Why the tool needs approval, whatever the rules say. */
  readonly held?: HeldTool | undefined;
  readonly tryOut?: NonNullable<ApprovalRequest['tryOut']>;
}

/** The reason for a question. If only the mode asks, the question already says what the call does. */
function askedBecause(decisive: JudgedAccess): string {
  const reason = reasonFor(decisive);
  return decisive.rule.layer === 'mode' ? reason.slice(describeAccess(decisive.access).length + 2) : reason;
}

/** The effects of a call, without those that its command already shows: a single program, and words that may be files. */
function effectsThatMatter({ accesses }: Decision): string[] {
  const single = accesses.filter(({ access }) => access.kind === 'exec').length === 1;
  return accesses
    .filter(
      ({ access, verdict }) =>
        access.kind !== 'call' && !(access.kind === 'possiblePath' && verdict === 'allow') && !(access.kind === 'exec' && single),
    )
    .flatMap(({ access }) => (access.kind === 'net' && access.contact !== undefined ? access.contact.sentences : [describeAccess(access)]));
}

/** What a person should know of a command that needs the network, if it has none. */
function networkEffect({ tool }: CheckedCall, { accesses }: Decision, { machine }: PolicyCall): string[] {
  const needs = tool.runs !== undefined && accesses.some(({ access }) => access.kind === 'net');
  return needs && machine?.sandbox === 'works' && !machine.network
    ? ['has no network, so it can download and send nothing (--network opens it)']
    : [];
}

/** The part of a question that identifies its call. */
export function askedCall(call: CheckedCall): Pick<ApprovalRequest, 'callId' | 'sessionId' | 'tool' | 'title' | 'arguments' | 'defaults'> {
  return {
    callId: call.callId,
    sessionId: call.options.sessionId,
    tool: call.tool.name,
    title: call.tool.title,
    arguments: call.arguments,
    defaults: defaultFields(call.tool, call.arguments),
  };
}

const CHANGES: ReadonlySet<JudgedAccess['access']['kind']> = new Set(['write', 'delete']);

/** Whether all that needs approval are changes of files, and no rule of Synapse itself asks about them. */
function asksOnlyAboutChanges({ call, decision: { accesses }, held }: Question): boolean {
  if (call.tool.effects !== 'write' || held !== undefined) return false;
  return accesses.every(({ verdict, access, rule }) => verdict === 'allow' || (CHANGES.has(access.kind) && rule.layer !== 'built-in'));
}

function request(question: Question): ApprovalRequest {
  const { call, decision, authorizer, judged, irreversible = [], held, tryOut } = question;
  const loss = undoNote(irreversible);
  return {
    ...askedCall(call),
    fingerprint: fingerprint(call.tool.name, call.arguments),
    reason: held?.reason ?? askedBecause(decision.decisive),
    effects: [
      ...(call.options.dryRun === true || call.options.inDryRun === true ? ['only tries it: a dry run changes nothing'] : []),
      ...effectsThatMatter(decision),
      ...networkEffect(call, decision, judged),
      ...(held?.details ?? []),
      ...(loss === undefined ? [] : [loss]),
    ],
    // Approval of a tool that needs review covers what is shown now, so no rule is saved for it. Otherwise judge the call
    // as before: rules that suffice in the sandbox must be offered.
    proposals: held === undefined ? proposeGrants(authorizer.policy.current, judged, decision) : [],
    ...(asksOnlyAboutChanges(question) ? { onlyChanges: true } : {}),
    ...(tryOut === undefined ? {} : { tryOut }),
  };
}

/** Starts a question of a call: how long it waits, and the progress message when a person sees it elsewhere. */
export function askOptions({ options, state }: Pick<CheckedCall, 'options' | 'state'>, { shown }: Pick<Authorizer, 'shown'>): AskOptions {
  const { approvalTimeoutMs, onProgress } = options;
  // An earlier question of the call was answered.
  state.askedIn = undefined;
  return {
    shown,
    ...(approvalTimeoutMs === undefined ? {} : { timeoutMs: approvalTimeoutMs }),
    onShown(place) {
      state.askedIn = place;
      if (onProgress !== undefined) notify(onProgress, { message: `This call waits for a person, who is asked in ${place}.` });
    },
  };
}

/** Asks the approver. Returns its yes; throws for any other answer. */
export async function ask(question: Question): Promise<ApprovalAnswer & { verdict: 'allow' }> {
  const { call, decision, authorizer, held } = question;
  const { policy, closing } = authorizer;
  const approver = approverOf(call.options.approver, authorizer.approver);
  const open = (): Error => (held === undefined ? unanswered(call, decision, policy.current, question.judged) : pendingReview(call, held));
  if (approver === undefined) throw open();
  const asked = request(question);
  const answer = await askApprover(
    approver,
    asked,
    call.options.signal === undefined ? [closing] : [closing, call.options.signal],
    askOptions(call, authorizer),
  );
  call.state.decision = { rule: decision.rule.text, approver: approver.name, answer: answer.verdict };
  // A time-out is not a denial, and neither is a question that could not be shown.
  if (answer.verdict === 'later' || (answer.verdict === 'deny' && answer.unanswered === true)) throw open();
  if (answer.verdict === 'deny') throw refusal(call, decision, answer.reason ?? 'no');
  // Parsed copies cannot change; if they ever did, what would run is not what was shown.
  if (fingerprint(call.tool.name, call.arguments) !== asked.fingerprint) throw refusal(call, decision);
  held?.accept();
  // An approval of one run's changes does not cover another run.
  if (answer.effect === undefined) remember(call, asked, answer, policy);
  return answer;
}

/** Saves an approval. If that fails, the call is approved anyway, and the answer says so. */
export function remember(
  call: CheckedCall,
  { proposals }: ApprovalRequest,
  answer: ApprovalAnswer & { verdict: 'allow' },
  policy: PolicyStore,
): void {
  if (answer.scope === 'once') return;
  const rules = answer.proposal?.rules.join('\n');
  // Only a proposal that was shown with the question is saved.
  const proposal = proposals.find((shown) => shown.rules.join('\n') === rules);
  if (proposal === undefined) return void call.state.notes.push('The approval counts for this call only: no rule that was shown goes with it.');
  try {
    policy.remember(proposal, call.tool.name, answer.scope);
  } catch (error) {
    call.state.notes.push(`The approval counts for this call only: ${toSynapseError(error).message}`);
  }
}
