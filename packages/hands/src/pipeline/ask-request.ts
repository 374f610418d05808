import { approverOf } from '../approval/approver-of.ts';
import { askApprover, type AskedAnswer } from '../approval/ask-approver.ts';
import { fingerprint } from '../call/copy-input.ts';
import type { RunningCall } from '../call/call.ts';
import type { AskAboutRequest, HeldRequest } from '../net/held-request.ts';
import { seconds } from '../tools/command-note.ts';
import { askedCall, askOptions, remember } from './ask.ts';
import type { Authorizer } from './check-permissions.ts';
import { requestProposal } from './request-proposal.ts';

/** What became of a question. That it has no answer may mean that it could not be shown. */
function outcomeOf(answer: AskedAnswer, text: string): string {
  if (answer.verdict === 'allow') return `A person allowed ${text}.`;
  if (answer.verdict === 'deny' && answer.unanswered !== true) return `A person refused ${text}.`;
  return `The question about ${text} was not answered.`;
}

const reasonOf = ({ askedBy }: HeldRequest): string =>
  askedBy === undefined ? 'the network of this command is not open to it' : `the rule ${askedBy} asks about it`;

/**
 * Asks about requests of a command while it runs; undefined if there is no approver, or if questions end the call. The time-out of the
 * call does not count while a person is asked, and a note of the result says so.
 */
export function requestAsker(call: RunningCall, authorizer: Authorizer): AskAboutRequest | undefined {
  const { options, state, tool } = call;
  const approver = approverOf(options.approver, authorizer.approver);
  if (approver === undefined || options.asksFirst === 'changes') return undefined;
  return async (held, signal) => {
    const { text, rule } = held;
    const request = {
      ...askedCall(call),
      // An answer applies to this request of this command.
      fingerprint: fingerprint(tool.name, { arguments: call.arguments, request: text }),
      reason: reasonOf(held),
      effects: [`runs, and waits with a request: ${text}`],
      proposals: rule === undefined ? [] : [requestProposal(rule, text)],
    };
    const began = performance.now();
    using _ = call.suspend();
    const answer = await askApprover(
      approver,
      request,
      [authorizer.closing, signal, ...(options.signal === undefined ? [] : [options.signal])],
      askOptions(call, authorizer),
    );
    const isAllowed = answer.verdict === 'allow';
    const waited = `The command waited ${seconds(performance.now() - began)} for that, which its time-out does not count.`;
    state.notes.push(`${outcomeOf(answer, text)} ${waited}`);
    if (isAllowed) remember(call, request, answer, authorizer.policy);
    return isAllowed;
  };
}
