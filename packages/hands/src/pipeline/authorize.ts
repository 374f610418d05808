import type { Trial } from '../approval/approver.ts';
import { decide } from '../policy/decide.ts';
import { ask } from './ask.ts';
import { type Authorizer, policyCall } from './check-permissions.ts';
import { type AuthorizedCall, type CheckedCall, contentText, type DryRunOutcome, whyNoJobs } from '../call/call.ts';
import { askAboutIrreversible } from './irreversible.ts';
import { jobImpossible } from '../jobs/no-jobs.ts';
import { refusal } from './refusal.ts';
import type { Decision, JudgedAccess, PolicyCall } from '../policy/decision.ts';
import { isOfPerson } from '../policy/rule.ts';
import { type ErrorCode, isSynapseError, SynapseError } from '@synapse/protocol';
import type { TooLargeToUndo } from '../workspace/changes/capture.ts';
import { effectFingerprint } from '../dry-run/effect.ts';
import { showEffect } from '../dry-run/show-effect.ts';
import type { CallRuntime } from './call-runtime.ts';
import { execute, withLimits } from './execute.ts';

/** What is known about a call before the decision. Dry runs can be read until this is disposed. */
export interface Preflight extends AsyncDisposable {
  /** Runs the call as a dry run. */
  readonly dryRun: (call: AuthorizedCall) => Promise<DryRunOutcome>;
  /**
   * What the call would change irreversibly.
   *
   * @throws SynapseError the call's own error, if nothing but a change needs approval and the change cannot be made
   */
  readonly findIrreversible: (call: AuthorizedCall) => Promise<readonly TooLargeToUndo[]>;
  /** Adds to the connections of a decision what they are to, for people. */
  readonly nameContacts: (call: CheckedCall, decision: Decision) => Promise<Decision>;
}

/** The preflight of one call. @param nameContacts see {@link Preflight} */
export function openPreflight(runtime: CallRuntime, nameContacts: Preflight['nameContacts']): Preflight {
  const stack = new AsyncDisposableStack();
  return {
    findIrreversible: (call) => findIrreversible(call, runtime),
    nameContacts,
    dryRun: (call) => {
      const running = dryRun(call, runtime);
      // Also for an abandoned dry run: a call ends only after everything it started has ended.
      stack.defer(async () => {
        const [ended] = await Promise.allSettled([running]);
        if (ended.status === 'fulfilled') await ended.value[Symbol.asyncDispose]();
      });
      return running;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Whether a call supports a dry run. If its tool does not declare it, its permissions decide. */
function supportsDryRun({ tool, permissions }: CheckedCall): boolean {
  return !(tool.outside ?? permissions.some(({ action }) => action === 'net' || action === 'mcp'));
}

const noDryRun = ({ tool }: CheckedCall): SynapseError =>
  new SynapseError(
    'unavailable',
    `A dry run of ${tool.name} is not possible: it acts outside the workspace, where nothing can be tried. It was not run.`,
    { hint: 'See what it needs with synapse policy explain, or make the call.' },
  );

/**
 * Runs the tool of a call without changing anything, and returns what it would have changed.
 *
 * @param call does not need approval: the caller has checked that its dry run is permitted
 * @throws SynapseError `unavailable` if the tool supports no dry run; otherwise what the tool throws
 */
async function dryRun(call: AuthorizedCall, runtime: CallRuntime): Promise<DryRunOutcome> {
  if (!supportsDryRun(call)) throw noDryRun(call);
  using limited = withLimits(call, runtime);
  await using stack = new AsyncDisposableStack();
  const { dryRunSession, guards } = runtime.openDryRun(limited);
  stack.use(dryRunSession);
  const ran = await execute({ ...limited, dryRunSession }, runtime.context({ ...limited, dryRunSession }));
  const effect = dryRunSession.effect();
  const command = dryRunSession.command();
  const tried = dryRunSession.tried();
  const seen = tried === undefined ? await showEffect(effect, dryRunSession.powers(), guards.read) : await tried.show(limited.signal);
  // Before an answer or a question is made of it.
  const mask = await runtime.secretMask();
  const [executed, shown] = mask === undefined ? [ran, seen] : [mask.call(ran), mask.effect(seen)];
  const owned = stack.move();
  const fingerprint = tried?.fingerprint ?? effectFingerprint(effect);
  return { executed, effect, fingerprint, command, shown, [Symbol.asyncDispose]: () => owned[Symbol.asyncDispose]() };
}

/** Errors of a dry run that say nothing about the call itself. */
const NOT_OF_THE_CALL: ReadonlySet<ErrorCode> = new Set(['unavailable', 'internal', 'timeout', 'cancelled', 'busy', 'denied', 'approval_required']);

/**
 * What a call would delete or overwrite irreversibly. A change that would fail anyway, such as an edit whose text is not in the
 * file, fails here, so that no person is asked about it. Its error may show the file, so this holds only if reading needs no approval.
 */
async function findIrreversible(call: AuthorizedCall, runtime: CallRuntime): Promise<readonly TooLargeToUndo[]> {
  if (call.tool.effects !== 'write' || !supportsDryRun(call)) return [];
  const mayTell = call.decision.verdict === 'ask' && asksInDryRun(call.decision, false, 'agent') === undefined;
  if (!mayTell && !runtime.mayTakeAwayMuch(call.permissions)) return [];
  using limited = withLimits(call, runtime);
  const { dryRunSession } = runtime.openDryRun(limited, { measure: true });
  await using _ = dryRunSession;
  try {
    await execute({ ...limited, dryRunSession }, runtime.context({ ...limited, dryRunSession }));
  } catch (error) {
    if (mayTell && isSynapseError(error) && !NOT_OF_THE_CALL.has(error.code)) throw error;
    // Otherwise the call reports its own error later.
  }
  return dryRunSession.effect().tooLarge;
}

/** Accesses that a dry run really makes. */
type Happening = 'nothing' | 'something' | 'a run in the sandbox';

const HAPPENS: Record<JudgedAccess['access']['kind'], Happening> = {
  read: 'something',
  possiblePath: 'something',
  write: 'nothing',
  delete: 'nothing',
  net: 'nothing',
  mcp: 'something',
  exec: 'a run in the sandbox',
  unknown: 'a run in the sandbox',
  call: 'something',
};

/**
 * What needs approval before a dry run; undefined if nothing does.
 *
 * Changes and network access do not happen. Reading does, and its result is shown, so it asks as usual. A command runs in
 * the sandbox, on a copy and without network: it reads only what the sandbox shows, and its output goes to the person who
 * asked for the dry run. So questions by a mode or by Synapse itself are dropped. Configured rules about the command still
 * ask, and so does every dry run that an agent requests.
 *
 * @param confined whether the call runs commands, in a sandbox
 * @param asker who reads the result of the dry run
 */
function asksInDryRun({ accesses }: Decision, confined: boolean, asker: 'person' | 'agent' = 'person'): JudgedAccess | undefined {
  return accesses.find(({ verdict, access, rule }) => {
    if (verdict !== 'ask' || HAPPENS[access.kind] === 'nothing') return false;
    if (asker === 'agent') return true;
    return isOfPerson(rule) || !(confined || HAPPENS[access.kind] === 'a run in the sandbox');
  });
}

/**
 * Whether every change was allowed explicitly, with a rule, an approval or `--yes`. A mode that allows
 * changes does not allow irreversible ones.
 */
function isAllowedByName({ accesses }: Decision): boolean {
  const changes = accesses.filter(({ access: { kind } }) => kind === 'write' || kind === 'delete');
  return changes.every(({ verdict, rule }) => verdict === 'allow' && isOfPerson(rule));
}

/** A call that the policy was asked about. */
interface JudgedCall {
  readonly call: CheckedCall;
  /** How the policy sees the call. */
  readonly judged: PolicyCall;
  /** What it decides, with the contacts of the command by name. */
  readonly decision: Decision;
}

/** Asks the policy. @throws SynapseError if it denies the call, or the call cannot do what it is for */
async function judge(call: CheckedCall, authorizer: Authorizer, preflight: Preflight): Promise<JudgedCall> {
  const { policy } = authorizer;
  policy.refresh();
  const judged = await policyCall(call, authorizer);
  const decision = decide(policy.current, judged);
  call.state.decision = { rule: decision.rule.text };
  // First: a call that is refused starts nothing.
  if (decision.verdict === 'deny') throw refusal(call, decision);
  const named = decision.verdict === 'allow' ? decision : await preflight.nameContacts(call, decision);
  // Before asking: the answer would change nothing.
  const noJob = call.tool.runs?.outlives?.(call.arguments) === true ? whyNoJobs(call.options) : undefined;
  if (noJob !== undefined) throw jobImpossible(noJob);
  return { call, judged, decision: named };
}

/** A dry run, of one call or as one of several. */
async function authorizeDryRun({ call, judged, decision }: JudgedCall, allowed: AuthorizedCall, authorizer: Authorizer): Promise<AuthorizedCall> {
  const { inDryRun: isPart = false, dryRunFor } = call.options;
  if (isPart && !supportsDryRun(call)) throw noDryRun(call);
  // A call without a dry run is refused in the next stage, so no question is needed.
  const asking = supportsDryRun(call) ? asksInDryRun(decision, judged.confined === true, dryRunFor) : undefined;
  if (asking !== undefined) await ask({ call, decision: { ...decision, decisive: asking, rule: asking.rule }, authorizer, judged });
  // What is lost in a branch that is dropped is not lost.
  return isPart ? { ...allowed, allowsIrreversible: () => true } : allowed;
}

/** Tries out a call while a person is asked about it. `last` is the outcome of the latest trial. */
function trials(allowed: AuthorizedCall, preflight: Preflight) {
  const made: { last: DryRunOutcome | undefined } = { last: undefined };
  const tryOut = async (signal: AbortSignal): Promise<Trial> => {
    made.last = undefined;
    const { onProgress: _, onOutput: _output, ...options } = allowed.options;
    const signals = options.signal === undefined ? signal : AbortSignal.any([options.signal, signal]);
    // Its progress output would overwrite the question.
    const outcome = await preflight.dryRun({ ...allowed, options: { ...options, signal: signals } });
    made.last = outcome;
    return trialOf(outcome);
  };
  return { made, tryOut };
}

/** Whether a question can show what the call would do: of a command on a copy, or of a change that was looked up. */
const canTryOut = ({ call, judged }: JudgedCall): boolean =>
  (judged.confined === true || call.foreseen !== undefined) && supportsDryRun(call) && call.tool.nests !== true;

const needsNoLook = ({ tool }: CheckedCall, decision: Decision): boolean => tool.effects !== 'write' || isAllowedByName(decision);

/** Passes on a call that the policy or a person allows. Throws otherwise. */
export async function authorize(call: CheckedCall, authorizer: Authorizer, preflight: Preflight): Promise<AuthorizedCall> {
  const judgedCall = await judge(call, authorizer, preflight);
  const { judged, decision } = judgedCall;
  const allowed: AuthorizedCall = { ...call, decision, allowsIrreversible: () => isAllowedByName(decision), tried: undefined };
  if (call.options.dryRun === true || call.options.inDryRun === true) return await authorizeDryRun(judgedCall, allowed, authorizer);
  const held = call.tool.held?.();
  if (decision.verdict === 'allow' && held === undefined && needsNoLook(call, decision)) return allowed;
  const irreversible = await preflight.findIrreversible(allowed);
  const asked = irreversible.length === 0 ? decision : askAboutIrreversible(decision, irreversible);
  if (asked.verdict === 'allow' && held === undefined) return allowed;
  const { made, tryOut } = trials(allowed, preflight);
  const { effect } = await ask({ call, decision: asked, authorizer, judged, irreversible, held, ...(canTryOut(judgedCall) ? { tryOut } : {}) });
  // Only the effect that was shown is applied: an approval of another one, or of an earlier dry run, does not count.
  if (effect !== undefined && made.last?.fingerprint !== effect) throw refusal(call, asked);
  const told = new Set(irreversible.map(({ path }) => path));
  return { ...allowed, allowsIrreversible: ({ path }) => told.has(path), tried: effect === undefined ? undefined : made.last };
}

function trialOf({ fingerprint, shown, executed }: DryRunOutcome): Trial {
  const { tool, data, content } = executed;
  return {
    fingerprint,
    effect: shown,
    output: typeof content === 'string' ? content : contentText(content),
    completion: tool.completion?.(data) ?? 'ok',
  };
}
