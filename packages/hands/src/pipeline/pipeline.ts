import { randomUUID } from 'node:crypto';
import { type CallFailure, type CallResult, isSynapseError, SynapseError, toSynapseError } from '@synapse/protocol';
import {
  type AuthorizedCall,
  type CallOptions,
  type CheckedCall,
  type ExecutedCall,
  newCallState,
  optionsProblem,
  type RequestedCall,
  type ResolvedCall,
  type ShapedCall,
} from '../call/call.ts';
import { DEFAULT_LIMITS } from '../output/limits.ts';
import type { Decision } from '../policy/decision.ts';
import { decide, isStricter } from '../policy/decide.ts';
import { type Explanation, explanation } from '../policy/explain.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { DelegatedCall } from '../tool/tool.ts';
import { answerDryRun } from './answer-dry-run.ts';
import { authorize, openPreflight, type Preflight } from './authorize.ts';
import type { CallableTools, CallRuntime } from './call-runtime.ts';
import { checkPermissions, checkPlaces, outsideProblem, policyCall } from './check-permissions.ts';
import { didYouMean } from './did-you-mean.ts';
import { applyChanges, execute, withLimits } from './execute.ts';
import { recordFailure, recordStart, recordSuccess, startRecord } from './record.ts';
import { jsonCharacters, shape } from './shape.ts';
import { validate } from './validate.ts';

/**
 * What the policy decides about a call.
 *
 * @param outside why no permission can allow the call, if its path is outside the workspace
 */
async function explainVerdict(call: CheckedCall, runtime: CallRuntime, outside: SynapseError | undefined): Promise<Explanation> {
  const { authorizer } = runtime;
  const { policy } = authorizer;
  policy.refresh();
  const decision = decide(policy.current, await policyCall(call, authorizer), { trace: true });
  const shown = explanation(policy.current, outside === undefined ? await nameContacts(call, decision, runtime) : decision);
  if (outside === undefined) return shown;
  // No rule can allow paths outside, so the policy is not evaluated.
  const rule = { rule: 'built-in: outside the workspace', verdict: 'deny', layer: 'built-in', origin: 'Synapse' } as const;
  return { ...shown, verdict: 'deny', rule, reason: outside.message };
}

/**
 * The stages of every call, in order, for dry and real runs. Each takes the result of the one before, so none can be skipped
 * or moved without a type error. An explanation runs the read-only stages, and returns what the policy would say.
 */
async function runStages(call: RequestedCall, runtime: CallRuntime, tools: CallableTools): Promise<CallResult> {
  const checked = lookAt(call, runtime, tools);
  checked.tool.prepare?.();
  try {
    return await runChecked(checked, runtime);
  } catch (error) {
    const { error: told, meant } = await didYouMean(error, checked, (failed) => lookAround(failed, runtime), rootsOf(runtime));
    if (meant === undefined) throw told;
    return await runMeant({ ...checked, arguments: meant.arguments }, meant.note, told, runtime);
  }
}

/** The names of the workspace's folder. */
function rootsOf({ rootNames }: CallRuntime): ReadonlySet<string> {
  return new Set(rootNames.map((root) => root.slice(root.lastIndexOf('/') + 1)));
}

/** Runs a call that only reads with the path that is certainly meant: judged as if it had been given. */
async function runMeant(call: CheckedCall, note: string, told: unknown, runtime: CallRuntime): Promise<CallResult> {
  const { state } = call;
  const given = state.permissions;
  state.notes.push(note);
  try {
    return await runChecked(checkPermissions(call, runtime), runtime);
  } catch (error) {
    // The first error says more than that a guess must not be read, or is a folder.
    const isAbout = isSynapseError(error) && ['cancelled', 'timeout', 'unavailable'].includes(error.code);
    state.permissions = given;
    throw isAbout ? error : told;
  }
}

/** What ends a call early: its caller, and the end of the hands. */
const endsOf = ({ options: { signal } }: Pick<CheckedCall, 'options'>, { closing }: Pick<CallRuntime, 'closing'>): AbortSignal[] =>
  signal === undefined ? [closing] : [closing, signal];

/** Milliseconds that the search for suggestions may take after a failed call. */
const LOOK_AROUND_MS = 2_000;

/** Milliseconds to read what git connects to, before a person is asked. A push of four references starts git some thirty times, of about 20 ms each. */
const CONTACTS_MS = 5_000;

/** The context of such a search, under the same rules. Its reads are not recorded as part of the call. */
function lookAround(call: CheckedCall, runtime: CallRuntime, milliseconds = LOOK_AROUND_MS): ToolContext {
  const signal = AbortSignal.any([AbortSignal.timeout(milliseconds), ...endsOf(call, runtime)]);
  const still: Disposable = { [Symbol.dispose]() {} };
  const decision = decide(runtime.authorizer.policy.current, { tool: call.tool.name, permissions: call.permissions });
  return runtime.context({
    ...call,
    state: newCallState(),
    decision,
    allowsIrreversible: () => false,
    tried: undefined,
    signal,
    limits: DEFAULT_LIMITS,
    renew() {},
    suspend: () => still,
  });
}

/** Adds to the connections of a decision what they are to. */
async function nameContacts(call: CheckedCall, decision: Decision, runtime: CallRuntime): Promise<Decision> {
  const isUnnamed = decision.accesses.some(({ access }) => access.kind === 'net' && access.folders !== undefined);
  if (!isUnnamed) return decision;
  // Few commands have such a connection.
  const naming = await import('./name-contacts.ts');
  const named = await naming.nameContacts(decision, lookAround(call, runtime, CONTACTS_MS));
  if (endsOf(call, runtime).some(({ aborted }) => aborted)) throw new SynapseError('cancelled', `${call.tool.name} was cancelled.`);
  return named;
}

/** Adds what a call was found to change to its permissions. Few calls of few tools have such effects. */
async function foresee(call: CheckedCall, runtime: CallRuntime): Promise<CheckedCall> {
  const { tool, arguments: given } = call;
  runtime.authorizer.policy.refresh();
  // A call that is refused anyway starts nothing.
  if (decide(runtime.authorizer.policy.current, await policyCall(call, runtime.authorizer)).verdict === 'deny') return call;
  const milliseconds = typeof tool.timeoutMs === 'number' ? tool.timeoutMs : tool.timeoutMs(given);
  const found = await tool.foresee?.(given, lookAround(call, runtime, milliseconds));
  if (found === undefined) return call;
  const permissions = [...call.permissions, ...found.permissions];
  call.state.permissions = permissions;
  return checkPlaces({ ...call, permissions, foreseen: found }, runtime);
}

/** Runs a call, and the one that its input asks for afterwards. */
async function runChecked(checked: CheckedCall, runtime: CallRuntime): Promise<CallResult> {
  const result = await runAlone(checked, runtime);
  // Only commands make commits, and few people want notes.
  if (runtime.noteCommit !== undefined && result.ok && checked.tool.runs !== undefined && checked.options.dryRun !== true)
    await runtime.noteCommit(checked);
  const next = checked.tool.follow?.(checked.arguments);
  if (next === undefined || !result.ok) return result;
  const { followUp } = await import('./follow-up.ts');
  return await followUp(checked, result, (options) => runNested(runtime, next.tool, next.input, options));
}

async function runAlone(checked: CheckedCall, runtime: CallRuntime): Promise<CallResult> {
  const placed = checkPlaces(checked, runtime);
  // A read whose path was corrected is on record already; its end names what was read.
  const recorded = placed.state.effects === undefined ? startRecord(placed, runtime.audit) : placed;
  const foreseen = recorded.tool.foresee === undefined ? recorded : await foresee(recorded, runtime);
  await using preflight = openPreflight(runtime, (asked, decision) => nameContacts(asked, decision, runtime));
  const authorized = await authorize(foreseen, runtime.authorizer, preflight);
  const executed = await run(authorized, runtime, preflight);
  const shaped = shape(executed, runtime.spills);
  return await recordSuccess(await fitted(authorized, executed, shaped, runtime, preflight), runtime);
}

/** Shortens an answer that its reader would cut. */
async function fitted(
  call: AuthorizedCall,
  executed: ExecutedCall,
  shaped: ShapedCall,
  runtime: CallRuntime,
  preflight: Preflight,
): Promise<ShapedCall> {
  const { readerLimits, dryRun } = call.options;
  const characters = readerLimits?.jsonCharacters;
  if (characters === undefined || jsonCharacters(shaped.content) <= characters) return shaped;
  const { fitReader } = await import('./fit-reader.ts');
  const onlyReads = call.tool.effects === 'read' && dryRun !== true;
  const again = (outputBytes: number): Promise<ExecutedCall> =>
    run({ ...call, options: { ...call.options, readerLimits: { ...readerLimits, outputBytes } } }, runtime, preflight);
  return await fitReader(executed, shaped, { characters, again: onlyReads ? again : undefined, shape: (one) => shape(one, runtime.spills) });
}

/** Finds the tool of a call. After a wait, the name may be the one on the wire. */
function resolve(call: RequestedCall, registry: CallableTools): ResolvedCall {
  const tool = registry.get(call.name);
  return { ...call, name: tool.name, tool };
}

/** The read-only stages. */
function lookAt(call: RequestedCall, runtime: CallRuntime, tools: CallableTools): CheckedCall {
  const resolved = resolve(call, tools);
  const valid = validate(resolved);
  return checkPermissions(valid, runtime);
}

/** Runs an approved call: for real, by applying its approved dry run, or as a dry run. */
async function run(call: AuthorizedCall, runtime: CallRuntime, preflight: Preflight): Promise<ExecutedCall> {
  if (call.options.dryRun === true) {
    const outcome = await preflight.dryRun(call);
    await runtime.foreseeDiagnostics(outcome);
    return answerDryRun(outcome);
  }
  using running = withLimits(call, runtime);
  const opening = call.tool.effects === 'read' ? runtime.readingView(running) : undefined;
  // Hardly any project has build output apart, and a wait costs each call.
  using view = opening === undefined ? undefined : await opening;
  const context = runtime.context(running, view);
  const executed = call.tried === undefined ? await execute(running, context) : await applyChanges(running, call.tried, context);
  // Not after commands, which may change much: the tool diagnostics is for that.
  if (call.tool.runs === undefined) await runtime.tellDiagnostics(running, context);
  const mask = runtime.secretMask();
  return mask === undefined ? executed : (await mask).call(executed);
}

async function endFailed(call: RequestedCall, failure: SynapseError, runtime: CallRuntime): Promise<CallFailure> {
  const mask = runtime.secretMask();
  return recordFailure(call, mask === undefined ? failure : (await mask).error(failure), runtime);
}

/** The target call of a delegating tool. Never throws. */
function resolveDelegate(registry: CallableTools, name: string, input: unknown): DelegatedCall {
  try {
    const tool = registry.find(name);
    return tool?.delegate?.(input) ?? { tool: tool?.name ?? name, input };
  } catch {
    // `validate` refuses invalid inputs with the reason.
    return { tool: name, input };
  }
}

/** Waits for a tool of a server that is still connecting; undefined if there is nothing to wait for. */
function waitForTool({ name, options: { signal } }: RequestedCall, tools: CallableTools, closing: AbortSignal): Promise<void> | undefined {
  return tools.waitForTool(name, signal === undefined ? [closing] : [closing, signal]);
}

/** The global property in which every copy of OpenTelemetry's API 1.x stores what an application registered. */
const OPEN_TELEMETRY = Symbol.for('opentelemetry.js.api.1');

/** Whether the application has registered an OpenTelemetry SDK. Without one, nothing of it is imported. */
function isTraced(): boolean {
  const registered: unknown = Reflect.get(globalThis, OPEN_TELEMETRY);
  return typeof registered === 'object' && registered !== null && 'trace' in registered;
}

/** Emits the start of a call. The secrets of the user are known from then on: also the first record is without them. */
async function tellStart(call: RequestedCall, { secretMask, emit }: CallRuntime): Promise<void> {
  const mask = secretMask();
  // Few people have secrets, and a wait costs each call.
  recordStart(call, emit, mask === undefined ? call.input : (await mask).value(call.input));
}

/** Runs a call. Never throws: every failure becomes a result. */
export async function runCall(
  runtime: CallRuntime,
  name: string,
  input: unknown,
  options: CallOptions,
  tools: CallableTools = runtime.registry,
): Promise<CallResult> {
  const meant = resolveDelegate(tools, name, input);
  const problem = optionsProblem(options);
  const call = request(meant.tool, meant.input, options, problem);
  await tellStart(call, runtime);
  const run = async (): Promise<CallResult> => {
    try {
      if (problem !== undefined) throw problem;
      const coming = waitForTool(call, tools, runtime.closing);
      // Recorded first: nothing else may happen before a call of a known tool is on record.
      if (coming !== undefined) await coming;
      return await runStages(call, runtime, tools);
    } catch (error) {
      return await endFailed(call, toSynapseError(error), runtime);
    }
  };
  if (!isTraced()) return await run();
  const { traced } = await import('../tracing/traced-call.ts');
  return await traced(call, runtime.tracing, run);
}

/** How deep calls that make calls may be nested: a program in a program is enough, and a tool that calls itself must end. */
const MAX_NESTED = 4;

/** Whether a caller offers a tool to calls that make calls. */
export const mayBeCalled = (tool: string, { mayCall }: Pick<CallOptions, 'mayCall'>): boolean =>
  mayCall?.some((one) => (one.endsWith('*') ? tool.startsWith(one.slice(0, -1)) : one === tool)) !== false;

/** Why a call may not be made by another one; undefined if it may. */
export function nestedProblem(runtime: Pick<CallRuntime, 'registry'>, name: string, input: unknown, options: CallOptions): SynapseError | undefined {
  if ((options.parents ?? []).length > MAX_NESTED) return new SynapseError('unavailable', `Calls that make calls may be nested ${MAX_NESTED} deep.`);
  const { tool } = resolveDelegate(runtime.registry, name, input);
  return mayBeCalled(tool, options) ? undefined : new SynapseError('unknown_tool', `${tool} is not offered here, so it was not called.`);
}

/** Runs a call that another one makes. Never throws. */
export async function runNested(runtime: CallRuntime, name: string, input: unknown, options: CallOptions): Promise<CallResult> {
  const refused = nestedProblem(runtime, name, input, options);
  return refused === undefined ? await runCall(runtime, name, input, options) : await refuseCall(runtime, name, input, options, refused);
}

/**
 * What the policy would decide about a call, without running it.
 *
 * @throws SynapseError `unknown_tool`, `invalid_arguments` for an invalid call; `unavailable` if
 *   the hands are closed or the workspace was deleted
 */
export async function explainCall(runtime: CallRuntime, name: string, input: unknown): Promise<Explanation> {
  const meant = resolveDelegate(runtime.registry, name, input);
  const call = request(meant.tool, meant.input, { callId: 'explain' });
  await waitForTool(call, runtime.registry, runtime.closing);
  const checked = lookAt(call, runtime, runtime.registry);
  let strictest = await explainVerdict(checked, runtime, outsideProblem(checked, runtime));
  const { tool, arguments: given } = checked;
  const next = tool.follow?.(given);
  for (const part of [...(tool.parts?.(given) ?? []), ...(next === undefined ? [] : [next])]) {
    const explained = await explainCall(runtime, part.tool, part.input);
    if (isStricter(explained.verdict, strictest.verdict)) strictest = explained;
  }
  return strictest;
}

/** Records a call that ended before it reached a tool, such as one that a dialect cannot read. */
export async function refuseCall(
  runtime: CallRuntime,
  name: string,
  input: unknown,
  options: CallOptions,
  error: SynapseError,
): Promise<CallFailure> {
  const call = request(name, input, options, optionsProblem(options));
  await tellStart(call, runtime);
  return await endFailed(call, error, runtime);
}

/** Tool names have at most 64 characters; longer ones are truncated in results, events and records. */
const MAX_NAME_CHARACTERS = 128;

/**
 * A call as requested, from a possibly untyped caller.
 *
 * @param problem what is wrong with the options: then they are not used
 */
function request(name: unknown, input: unknown, given: CallOptions, problem?: SynapseError): RequestedCall {
  const options = problem === undefined ? given : {};
  return {
    name: typeof name === 'string' ? name.slice(0, MAX_NAME_CHARACTERS).toWellFormed() : `(${typeof name})`,
    input,
    options,
    callId: options.callId ?? randomUUID(),
    startedAt: performance.now(),
    state: newCallState(),
  };
}
