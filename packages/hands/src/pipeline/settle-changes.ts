import { approverOf } from '../approval/approver-of.ts';
import { askApprover } from '../approval/ask-approver.ts';
import type { ApprovalRequest } from '../approval/approver.ts';
import { fingerprint } from '../call/copy-input.ts';
import { decide } from '../policy/decide.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { isToolCache } from '../policy/tool-folders.ts';
import { proposeGrants } from '../policy/grant.ts';
import { isOfPerson } from '../policy/rule.ts';
import { effectLines } from '../approval/effect-lines.ts';
import { count, lostSentences } from '../text/amounts.ts';
import type { ChangeSet, EntryChange, Transaction } from '../transaction/transaction.ts';
import type { KeptOutputs } from '../transaction/output-layer.ts';
import { applyAll, type Settled } from '../transaction/transactional-commands.ts';
import { askedCall, askOptions, remember } from './ask.ts';
import { type Authorizer, policyCall } from './check-permissions.ts';
import type { RunningCall } from '../call/call.ts';
import type { Decision } from '../policy/decision.ts';
import { judgeChanges, type ChangeJudging, type ChangeVerdict } from './judge-changes.ts';
import { irreversibleReason, undoNote } from './irreversible.ts';

/** Dependencies of {@link settleChanges}. */
export interface Settling {
  readonly authorizer: Authorizer;
  readonly ignored: ChangeJudging['ignored'];
  /** The end of the command's output, for the approver. */
  readonly output: () => string;
}

/** What a command changed, in short: `created 1 file, changed 2 files and deleted 1 file`. */
function inShort({ changes }: ChangeSet): string {
  const filesOf = (isMeant: (change: EntryChange) => boolean): number => changes.filter(isMeant).reduce((sum, change) => sum + change.files, 0);
  const amounts: ReadonlyArray<readonly [verb: string, files: number]> = [
    ['created', filesOf(({ kind }) => kind === 'added')],
    ['changed', filesOf(({ kind, isTimeOnly }) => (kind === 'changed' || kind === 'metadata') && !isTimeOnly)],
    ['deleted', filesOf(({ kind }) => kind === 'deleted')],
  ];
  const parts = amounts.filter(([, files]) => files > 0).map(([verb, files]) => `${verb} ${count(files, 'file')}`);
  const last = parts.pop();
  if (last === undefined) return `changed ${count(changes.length, 'entry', 'entries')}`;
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`;
}

/**
 * Decides whether a command's changes on its copy are applied, dropped, or kept for later approval. The only
 * stage where that happens, for every caller and interface.
 */
export async function settleChanges(transaction: Transaction, call: RunningCall, settling: Settling): Promise<Settled> {
  const { checkedOut } = transaction.changes;
  // Not the deadline, which was for the command.
  const ended = AbortSignal.any([settling.authorizer.closing, ...(call.options.signal === undefined ? [] : [call.options.signal])]);
  const judged = checkedOut.length > 0 ? undefined : await judge(transaction, call, settling);
  const outputs = [...new Set([...transaction.changes.seenOutputs, ...(judged?.outputs ?? [])])];
  if (outputs.length > 0) call.state.notes.push(...outputNotes(await transaction.keepOutputs(outputs)));
  const { irreversible } = transaction;
  call.state.tooLargeToUndo.push(...irreversible);
  if (judged === undefined)
    return await askAbout(transaction, call, { reason: checkedOutReason(checkedOut), shown: await transaction.show(ended) }, settling);
  // Irreversible changes are asked about, unless a rule or an approval allows this command.
  const lost = isCommandAllowedByName(call.decision) ? undefined : irreversibleReason(irreversible);
  if (judged.verdict === 'apply' && lost !== undefined)
    return await askAbout(transaction, call, { reason: lost, shown: await transaction.show(ended) }, settling);
  if (judged.verdict === 'apply') return await applyAll(transaction);
  const shown = await transaction.show(ended);
  // Only timestamps differ, so there is nothing to review.
  if (shown.changes.length + (shown.folded ?? []).length + shown.more === 0) return await applyAll(transaction);
  return await askAbout(transaction, call, { reason: judged.reason, shown }, settling);
}

/** The note for the model about build output. */
function outputNotes({ handle, added, lost }: KeptOutputs): string[] {
  const notes = lost.length === 0 ? [] : lostSentences(lost, () => 'Build output was not kept');
  // Caches are nothing that a model looks for.
  const named = added.filter((path) => !isToolCache(path));
  if (named.length === 0 || handle === undefined) return notes;
  return [
    ...notes,
    `Build output is kept apart from the folder: ${named.slice(0, MAX_NAMED).join(', ')}${named.length > MAX_NAMED ? ', …' : ''}. Later commands and file tools see it. A person puts it into the folder: synapse changes apply ${handle}.`,
  ];
}

/** Whether a rule or an approval allowed a command, rather than a mode. */
function isCommandAllowedByName({ accesses }: Decision): boolean {
  const commands = accesses.filter(({ access }) => access.kind === 'exec');
  return commands.length > 0 && commands.every(({ verdict, rule }) => verdict === 'allow' && isOfPerson(rule));
}

/** Maximum number of files that a reason names. */
const MAX_NAMED = 3;

/** Why what git checked out is asked about, also if the command was allowed: its words do not name these files. */
function checkedOutReason(checkedOut: ChangeSet['checkedOut']): string {
  const named = checkedOut.slice(0, MAX_NAMED).map(({ path, detail }) => `${path} (${detail})`);
  const more = checkedOut.length > MAX_NAMED ? ` and ${checkedOut.length - MAX_NAMED} more` : '';
  return `git brings ${named.join(', ')}${more}, which needs approval, as other programs execute or obey such files`;
}

async function judge(transaction: Transaction, call: RunningCall, { authorizer, ignored }: Settling): Promise<ChangeVerdict> {
  const { deferred, verdict } = call.decision;
  // A person has answered.
  if (verdict !== 'allow') return { verdict: 'apply', reason: 'it was decided before it ran' };
  const { policy } = authorizer;
  policy.refresh();
  // Rules about paths apply to what a command does, and its words need not show that.
  return await judgeChanges(transaction.changes, { policy: policy.current, tool: call.tool.name, ignored, onlyRules: !deferred });
}

/** What needs approval, and why. */
interface AskedEffect {
  readonly reason: string;
  readonly shown: ShownEffect;
}

/** Asks the approver about the changes, and acts on the answer. */
async function askAbout(transaction: Transaction, call: RunningCall, asked: AskedEffect, settling: Settling): Promise<Settled> {
  const { authorizer } = settling;
  const { reason } = asked;
  const { state, options, decision, signal } = call;
  const approver = approverOf(options.approver, authorizer.approver);
  if (approver === undefined) return await hold(transaction, call, reason);
  const request = await changesRequest(transaction, call, asked, settling);
  // The deadline was for the command, which has ended.
  using _ = call.suspend();
  const answer = await askApprover(approver, request, [authorizer.closing, signal], askOptions(call, authorizer));
  state.decision = { rule: decision.rule.text, approver: approver.name, answer: answer.verdict };
  // A time-out is not a denial: the changes can wait.
  if (answer.verdict === 'later' || (answer.verdict === 'deny' && answer.unanswered === true)) return await hold(transaction, call, reason);
  if (answer.verdict === 'deny')
    return { kind: 'dropped', why: answer.reason === undefined || answer.reason === 'no' ? 'a person said no' : `a person said: ${answer.reason}` };
  // Only the effect that was shown is applied: an approval of another one does not count.
  if (answer.effect !== undefined && answer.effect !== transaction.changes.fingerprint)
    return { kind: 'dropped', why: 'the answer was to other changes than these' };
  remember(call, request, answer, authorizer.policy);
  return { kind: 'applied', applied: await transaction.apply({ approved: true }) };
}

async function hold(transaction: Transaction, { state }: RunningCall, reason: string): Promise<Settled> {
  const handle = await transaction.hold(reason);
  state.pending = handle;
  return {
    kind: 'held',
    handle,
    why: `it ${inShort(transaction.changes)}, and ${reason}${state.askedIn === undefined ? '' : `. A person was asked in ${state.askedIn} and has not answered yet`}`,
  };
}

async function changesRequest(
  transaction: Transaction,
  call: RunningCall,
  { reason, shown }: AskedEffect,
  { authorizer, output }: Settling,
): Promise<ApprovalRequest> {
  const { changes, outcome } = transaction;
  const loss = undoNote(transaction.irreversible);
  const judged = await policyCall({ ...call, options: { ...call.options, asksFirst: 'all' } }, authorizer);
  const policy = authorizer.policy.current;
  return {
    ...askedCall(call),
    // An answer applies to this command and exactly these changes.
    fingerprint: fingerprint(call.tool.name, { arguments: call.arguments, changes: changes.fingerprint }),
    reason,
    effects: effectLines(shown),
    // A rule about the command would not cover what git brings.
    proposals: changes.checkedOut.length > 0 ? [] : proposeGrants(policy, judged, decide(policy, judged)),
    changed: {
      fingerprint: changes.fingerprint,
      effect: loss === undefined ? shown : { ...shown, cautions: [...shown.cautions, loss] },
      output: output(),
      completion: outcome.exitCode === 0 ? 'ok' : 'failed',
      headline: inShort(changes),
      ...(judged.machine === undefined ? {} : { network: judged.machine.network || judged.machine.sandbox !== 'works' }),
    },
  };
}
