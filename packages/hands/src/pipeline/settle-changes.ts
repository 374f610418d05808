import { askApprover } from '../approval/ask-approver.ts';
import type { ApprovalRequest } from '../approval/approver.ts';
import { fingerprint } from '../approval/fingerprint.ts';
import { decide } from '../policy/decide.ts';
import type { ShownEffect } from '../dry-run/show-effect.ts';
import { proposeGrants } from '../policy/grant.ts';
import { count } from '../text/amounts.ts';
import type { ChangeSet, Transaction } from '../transaction/transaction.ts';
import { applyAll, type Settled } from '../transaction/transactional-commands.ts';
import { policyCall, remember, type Authority } from './ask.ts';
import type { BoundCall } from './call.ts';
import { judgeChanges, type ChangeJudging } from './judge-changes.ts';

/** What changes are settled with. */
export interface Settling {
  readonly authority: Authority;
  readonly ignored: ChangeJudging['ignored'];
  /** The end of what the command printed, for whoever is asked. */
  readonly output: () => string;
}

/** What a command changed, in a few words. */
function inShort({ changes, files }: ChangeSet): string {
  return files > 0 ? count(files, 'file') : count(changes.length, 'entry', 'entries');
}

/**
 * Decides what becomes of what a command changed on its copy: applied, dropped, or kept until a person decides. The one
 * stage where that happens, whoever runs the command and by whatever interface.
 */
export async function settleChanges(transaction: Transaction, call: BoundCall, settling: Settling): Promise<Settled> {
  if (!call.decision.deferred) return await applyAll(transaction);
  const { policy } = settling.authority;
  policy.refresh();
  const judged = await judgeChanges(transaction.changes, { policy: policy.current, tool: call.tool.name, ignored: settling.ignored });
  if (judged.verdict === 'apply') return await applyAll(transaction);
  const shown = await transaction.show();
  // Other times are all that is left: nothing that a person could look at.
  if (shown.changes.length === 0 && shown.more === 0) return await applyAll(transaction);
  return await askAbout(transaction, call, { reason: judged.reason, shown }, settling);
}

/** What a person is to be asked about, and why. */
interface AskedEffect {
  readonly reason: string;
  readonly shown: ShownEffect;
}

/** Puts the changes to whoever there is, and does what they say. */
async function askAbout(transaction: Transaction, call: BoundCall, asked: AskedEffect, settling: Settling): Promise<Settled> {
  const { authority } = settling;
  const { reason } = asked;
  const { facts, options, decision, signal } = call;
  const approver = options.approver ?? authority.approver;
  if (approver === undefined) return await hold(transaction, call, reason);
  const request = await changesRequest(transaction, call, asked, settling);
  // Its time is that of the command, and the command has ended.
  using _ = call.suspend();
  const answer = await askApprover(approver, request, [authority.closing, signal]);
  facts.decision = { rule: decision.rule.text, approver: approver.name, answer: answer.verdict };
  // Silence is no no: what was asked about can wait.
  if (answer.verdict === 'later' || (answer.verdict === 'deny' && answer.timedOut === true)) return await hold(transaction, call, reason);
  if (answer.verdict === 'deny')
    return { kind: 'dropped', why: answer.reason === undefined || answer.reason === 'no' ? 'a person said no' : `a person said: ${answer.reason}` };
  // Only what was shown is done: a yes to another effect is none.
  if (answer.effect !== undefined && answer.effect !== transaction.changes.fingerprint)
    return { kind: 'dropped', why: 'the answer was to other changes than these' };
  remember(call, request, answer, authority.policy);
  return await applyAll(transaction);
}

async function hold(transaction: Transaction, { facts }: BoundCall, reason: string): Promise<Settled> {
  const handle = await transaction.hold(reason);
  facts.pending = handle;
  return { kind: 'held', handle, why: `it changed ${inShort(transaction.changes)}, and ${reason}` };
}

async function changesRequest(
  transaction: Transaction,
  call: BoundCall,
  { reason, shown }: AskedEffect,
  { authority, output }: Settling,
): Promise<ApprovalRequest> {
  const { changes, outcome } = transaction;
  const judged = await policyCall({ ...call, options: { ...call.options, asksFirst: 'all' } }, authority);
  const policy = authority.policy.current;
  return {
    callId: call.callId,
    sessionId: call.options.sessionId,
    tool: call.tool.name,
    title: call.tool.title,
    arguments: call.arguments,
    // An answer is for this command and exactly these changes.
    fingerprint: fingerprint(call.tool.name, { arguments: call.arguments, changes: changes.fingerprint }),
    reason,
    effects: [],
    proposals: proposeGrants(policy, judged, decide(policy, judged)),
    changed: {
      fingerprint: changes.fingerprint,
      effect: shown,
      output: output(),
      completion: outcome.exitCode === 0 ? 'ok' : 'failed',
      headline: `changed ${inShort(changes)}`,
    },
  };
}
