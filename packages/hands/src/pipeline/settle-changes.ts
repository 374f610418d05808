import { SynapseError } from '@synapse/protocol';
import { askApprover } from '../approval/ask-approver.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../approval/approver.ts';
import { fingerprint } from '../approval/fingerprint.ts';
import { decide } from '../policy/decide.ts';
import { proposeGrants } from '../policy/grant.ts';
import { count } from '../text/amounts.ts';
import type { AppliedChanges, ChangeSet, Transaction } from '../transaction/transaction.ts';
import { policyCall, remember, type Authority } from './ask.ts';
import type { BoundCall } from './call.ts';
import { judgeChanges, type ChangeJudging } from './judge-changes.ts';

/** Of what was withheld or is in conflict, a result names at most so much. */
const MAX_TOLD = 10;

/** What changes are settled with. */
export interface Settling {
  readonly authority: Authority;
  readonly ignored: ChangeJudging['ignored'];
  /** The end of what the command printed, for whoever is asked. */
  readonly output: () => string;
}

const waits = (handle: string): string => `A person decides on that: synapse changes apply ${handle}, or synapse changes drop ${handle}.`;

/** What a command changed, in a few words. */
function inShort({ changes, files }: ChangeSet): string {
  return files > 0 ? count(files, 'file') : count(changes.length, 'entry', 'entries');
}

/**
 * Decides what becomes of what a command changed on its copy: applied, dropped, or kept until a person decides. The one
 * stage where that happens, whoever runs the command and by whatever interface.
 */
export async function settleChanges(transaction: Transaction, call: BoundCall, settling: Settling): Promise<void> {
  const { outcome, changes } = transaction;
  const { facts, decision } = call;
  facts.ran = 'copy';
  tellWithheld(changes, call);
  if (changes.unjudged !== undefined) return await hold(transaction, call, `what it changed could not be judged: ${changes.unjudged}`);
  if (outcome.aborted) {
    if (changes.changes.length > 0)
      facts.notes.push('It ran on a copy and was ended: what it changed until then was dropped, and the workspace is unchanged.');
    return;
  }
  if (changes.changes.length === 0) return;
  if (!decision.deferred) return await apply(transaction, call);
  const { policy } = settling.authority;
  policy.refresh();
  const judged = await judgeChanges(changes, { policy: policy.current, tool: call.tool.name, ignored: settling.ignored });
  if (judged.verdict === 'apply') return await apply(transaction, call);
  await askAbout(transaction, call, judged.reason, settling);
}

/** Puts the changes to whoever there is, and does what they say. */
async function askAbout(transaction: Transaction, call: BoundCall, reason: string, settling: Settling): Promise<void> {
  const { authority } = settling;
  const approver = call.options.approver ?? authority.approver;
  if (approver === undefined) return await hold(transaction, call, reason);
  const request = await changesRequest(transaction, call, reason, settling);
  // Its time is that of the command, and the command has ended.
  using _ = call.suspend();
  const answer = await askApprover(approver, request, [authority.closing, call.signal]);
  if (answer.verdict === 'later' || answer.timedOut === true) return await hold(transaction, call, reason);
  call.facts.decision = { rule: call.decision.rule.text, approver: approver.name, answer: answer.verdict };
  if (answer.verdict === 'deny') return drop(transaction, call, answer);
  // Only what was shown is done: a yes to another effect is none.
  if (answer.effect !== undefined && answer.effect !== transaction.changes.fingerprint) {
    throw new SynapseError('denied', 'The answer was to other changes than these, so nothing was applied.');
  }
  remember(call, request, answer, authority.policy);
  await apply(transaction, call);
}

async function changesRequest(transaction: Transaction, call: BoundCall, reason: string, { authority, output }: Settling): Promise<ApprovalRequest> {
  const { changes, outcome } = transaction;
  const judged = await policyCall({ ...call, options: { ...call.options, asksFirst: true } }, authority);
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
      effect: await transaction.show(),
      output: output(),
      completion: outcome.exitCode === 0 ? 'ok' : 'failed',
      headline: `changed ${inShort(changes)}`,
    },
  };
}

async function apply(transaction: Transaction, { facts }: BoundCall): Promise<void> {
  const applied = await transaction.apply();
  facts.appliedFrom = 'copy';
  facts.undo = applied.undo === true ? 'covered' : 'not covered';
  if (applied.undo !== true) facts.notes.push(`This cannot be undone: ${applied.undo}.`);
  facts.notes.push(...conflictLines(applied), ...transaction.changes.cautions.slice(0, MAX_TOLD).map((caution) => `${caution}.`));
}

function conflictLines({ conflicts }: AppliedChanges): string[] {
  const lines = conflicts
    .slice(0, MAX_TOLD)
    .map(
      ({ path, handle }) =>
        `Not applied: ${path}, which something else changed meanwhile; the command's version is kept as ${handle} (synapse changes).`,
    );
  return conflicts.length > MAX_TOLD ? [...lines, `Not applied for the same reason: ${conflicts.length - MAX_TOLD} more.`] : lines;
}

function drop({ changes }: Transaction, { facts }: BoundCall, { reason }: Extract<ApprovalAnswer, { verdict: 'deny' }>): void {
  facts.notes.push(
    `A person dropped what it changed (${inShort(changes)}); the workspace is unchanged.${reason === undefined || reason === 'no' ? '' : ` They said: ${reason}`}`,
  );
}

async function hold(transaction: Transaction, { facts }: BoundCall, why: string): Promise<void> {
  const handle = await transaction.hold(why);
  facts.pending = handle;
  facts.notes.push(`Nothing it changed is in the workspace yet (${inShort(transaction.changes)}): ${why}. ${waits(handle)}`);
}

function tellWithheld({ withheld }: ChangeSet, { facts }: BoundCall): void {
  for (const { path, detail } of withheld.slice(0, MAX_TOLD)) facts.notes.push(`Withheld from the workspace: ${path}: ${detail}.`);
  if (withheld.length > MAX_TOLD) facts.notes.push(`Withheld: ${withheld.length - MAX_TOLD} more.`);
}
