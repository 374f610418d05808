import type { Trial } from '../approval/approver.ts';
import { effectFingerprint } from '../dry-run/effect.ts';
import type { TooLargeToUndo } from '../journal/capture.ts';
import { decide } from '../policy/decide.ts';
import { ask, policyCall, type Authority } from './ask.ts';
import { asksInDryRun } from './asks-in-dry-run.ts';
import type { AuthorizedCall, Rehearsed, ScopedCall } from './call.ts';
import { isRehearsable } from './is-rehearsable.ts';
import { isAllowedByName, withLosses } from './judge-losses.ts';
import { refusal } from './refusal.ts';
import { contentText } from './shape.ts';

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
  const judgedCall = await policyCall(call, authority);
  const confined = judgedCall.confined === true;
  const decision = decide(policy.current, judgedCall);
  call.facts.decision = { rule: decision.rule.text };
  if (decision.verdict === 'deny') throw refusal('denied', call, decision);
  const allowed: AuthorizedCall = { ...call, decision, mayLose: () => isAllowedByName(decision), tried: undefined };
  if (call.options.dryRun === true) {
    // What cannot be tried is refused in the next stage: nobody needs to be asked about it.
    const asking = isRehearsable(call) ? asksInDryRun(decision, confined) : undefined;
    if (asking !== undefined) await ask({ call, decision: { ...decision, decisive: asking, rule: asking.rule }, authority, judged: judgedCall });
    return allowed;
  }
  const held = call.tool.held?.();
  if (decision.verdict === 'allow' && held === undefined && (call.tool.effects !== 'write' || isAllowedByName(decision))) return allowed;
  const losses = await foresight.losses(allowed);
  const judged = losses.length === 0 ? decision : withLosses(decision, losses);
  if (judged.verdict === 'allow' && held === undefined) return allowed;
  let tried: Rehearsed | undefined;
  const tryOut = async (signal: AbortSignal): Promise<Trial> => {
    tried = undefined;
    const { onProgress: _, ...options } = call.options;
    const signals = options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]);
    // What it says on the way would be painted over the question.
    tried = await foresight.rehearse({ ...allowed, options: { ...options, signal: signals } });
    return trialOf(tried);
  };
  const { effect } = await ask({
    call,
    decision: judged,
    authority,
    judged: judgedCall,
    losses,
    held,
    ...(confined && isRehearsable(call) ? { tryOut } : {}),
  });
  // Only what was shown is done: a yes to another effect, or to one of an earlier try, is none.
  if (effect !== undefined && (tried === undefined || effectFingerprint(tried.effect) !== effect)) throw refusal('denied', call, judged);
  const told = new Set(losses.map(({ path }) => path));
  return { ...allowed, mayLose: ({ path }) => told.has(path), tried: effect === undefined ? undefined : tried };
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
