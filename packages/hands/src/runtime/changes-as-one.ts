import { isSynapseError, SynapseError, toSynapseError, type CallResult, type ErrorCode } from '@synapse/protocol';
import { askApprover } from '../approval/ask-approver.ts';
import type { ApprovalRequest, Approver } from '../approval/approver.ts';
import { effectLines } from '../approval/effect-lines.ts';
import type { AppliedBranch } from '../branch/apply-branch.ts';
import { BranchStore } from '../branch/branch-store.ts';
import { shownBelow } from '../branch/branch-state.ts';
import type { CallOptions, RunningCall } from '../call/call.ts';
import { fingerprint } from '../call/copy-input.ts';
import { countEffect, type ShownEffect } from '../dry-run/show-effect.ts';
import { askedCall, askOptions } from '../pipeline/ask.ts';
import { refuseCall, runCall } from '../pipeline/pipeline.ts';
import type { CallsAsOne, FinishedCalls } from '../tool/tool-context.ts';
import type { AnyTool } from '../tool/tool.ts';
import { systemRefusal } from '../workspace/file-error.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { applyStored } from './apply-branch-tool.ts';
import { ProgramBranch } from './program-branch.ts';
import { programCall, programProblem, programTools, type ProgramCall, type ProgramParts, type QueuedApprover } from './program-call.ts';
import { recordFarCall } from './record-far-call.ts';

/** What calls that change the workspace together require. */
export interface ChangesParts extends ProgramParts {
  readonly call: RunningCall;
  readonly workspace: Workspace;
  /** Undefined if there is no person to ask. */
  readonly approver: QueuedApprover | undefined;
}

/** Where calls that may change something run. */
type Place = { readonly kind: 'branch'; readonly own: ProgramBranch } | { readonly kind: 'live'; readonly why: string };

/** Effects of tools that a branch has no part in: these reach servers. */
const BEYOND: ReadonlySet<AnyTool['effects']> = new Set(['net', 'mcp']);

/** Codes of calls that were not made. A call that failed in another way may have had its effect, also where its server ended meanwhile. */
const NOT_MADE: ReadonlySet<ErrorCode> = new Set(['approval_required', 'denied', 'invalid_arguments', 'unknown_tool']);

/** Whether what a call did may be more than its answer, and is in no branch. */
function actsBeyond(tool: AnyTool | undefined, result: CallResult): boolean {
  const isBeyond = tool !== undefined && tool.destructive !== false && (tool.outside === true || BEYOND.has(tool.effects));
  return isBeyond && (result.ok || !NOT_MADE.has(result.error.code));
}

/** Whether a call only reads, also of a tool that can do more. */
function onlyReads(tool: AnyTool, input: unknown): boolean {
  if (tool.effects === 'read') return true;
  const parsed = tool.input.safeParse(input);
  const permissions = parsed.success ? tool.permission(parsed.data) : [];
  return permissions.length > 0 && permissions.every(({ action }) => action === 'read');
}

/** Maximum number of reasons that a question tells. */
const MAX_REASONS = 3;

/**
 * Calls whose changes are one. Until one may change something, they run in the workspace: most programs only read. From then on they run
 * on a branch, which is applied at the end, or dropped.
 */
export class ChangesAsOne implements CallsAsOne {
  readonly #parts: ChangesParts;
  /** Why calls on the branch needed approval. The question waits until the end. */
  readonly #reasons = new Set<string>();
  readonly #approver: Approver;
  readonly #beyond = new Map<string, number>();
  #place: Promise<Place> | undefined;

  constructor(parts: ChangesParts) {
    this.#parts = parts;
    const { approver } = parts;
    this.#approver = {
      name: approver?.name ?? 'none',
      ask: async (request, signal, onShown) => {
        if (request.changed === undefined && request.onlyChanges !== true)
          return (await approver?.ask(request, signal, onShown)) ?? { verdict: 'later' };
        this.#reasons.add(request.reason);
        return { verdict: 'allow', scope: 'once' };
      },
    };
  }

  get beyond(): ReadonlyMap<string, number> {
    return this.#beyond;
  }

  async call(name: string, input: unknown, signal?: AbortSignal): Promise<CallResult> {
    const { runtime, call } = this.#parts;
    const made = programCall(call, name, input, signal);
    try {
      const problem = programProblem(runtime, made);
      if (problem !== undefined) throw problem;
      const result = await this.#run(made);
      const { tool } = result.meta;
      if (actsBeyond(runtime.registry.find(tool), result)) this.#beyond.set(tool, (this.#beyond.get(tool) ?? 0) + 1);
      return result;
    } catch (error) {
      return await refuseCall(runtime, name, input, made.options, toSynapseError(error));
    }
  }

  /** Whether the program only tries what it does. */
  get #isDryRun(): boolean {
    return this.#parts.call.dryRunSession !== undefined;
  }

  async #run(made: ProgramCall): Promise<CallResult> {
    const tool = this.#parts.runtime.registry.find(made.name);
    const isElsewhere = tool === undefined || BEYOND.has(tool.effects) || (this.#place === undefined && onlyReads(tool, made.input));
    if (isElsewhere) return await this.#inWorkspace(made);
    const place = await (this.#place ??= this.#open());
    if (place.kind === 'branch') return await this.#onBranch(place.own, tool, made);
    return await this.#inWorkspace(made, { changesOf: this.#parts.call.callId });
  }

  async finish(): Promise<FinishedCalls> {
    const place = await this.#place;
    if (place === undefined) return { kind: 'unchanged' };
    if (place.kind === 'live') {
      const finished: FinishedCalls = this.#hasChanged() ? { kind: 'live', effect: await this.#made(), why: place.why } : { kind: 'unchanged' };
      // Not before: an end of the call until here takes it back.
      this.#place = undefined;
      return finished;
    }
    this.#place = undefined;
    await using own = place.own;
    const finished = await this.#apply(own);
    if (finished.kind === 'held') own.keep();
    return finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const place = await this.#place?.catch(() => undefined);
    this.#place = undefined;
    if (place?.kind === 'live') await this.#takeBack();
    if (place?.kind === 'branch') await place.own[Symbol.asyncDispose]();
  }

  /** Makes the branch. Where none can be made, calls change the workspace one by one, and are undone together. */
  async #open(): Promise<Place> {
    if (shownBelow(this.#parts.stateFolder) !== undefined) return this.#live('this session works on a branch already');
    try {
      return { kind: 'branch', own: await ProgramBranch.open(this.#parts) };
    } catch (error) {
      if (!isSynapseError(error) || error.code !== 'unavailable') throw error;
      return this.#live(error.message);
    }
  }

  #live(why: string): Place {
    if (!this.#isDryRun) return { kind: 'live', why };
    throw new SynapseError('unavailable', `A dry run of a program that changes something needs a branch: ${why}. Nothing was changed.`, {
      hint: 'Try its calls one by one, each as a dry run.',
    });
  }

  async #inWorkspace({ name, input, options }: ProgramCall, more: CallOptions = {}): Promise<CallResult> {
    const { runtime, approver } = this.#parts;
    const given: CallOptions = { ...options, ...(approver === undefined ? {} : { approver }), ...more };
    return await runCall(runtime, name, input, given, programTools(runtime.registry, options));
  }

  async #onBranch({ branch, log }: ProgramBranch, tool: AnyTool, { input, options }: ProgramCall): Promise<CallResult> {
    const { runtime, call } = this.#parts;
    const onNote = (note: string): void => void call.state.notes.push(note);
    // The branch is dropped, so there the call is made, as far as a dry run goes.
    const there: CallOptions = this.#isDryRun ? { ...options, dryRun: false, inDryRun: true } : options;
    return await recordFarCall(runtime, tool, { name: tool.name, input, options, log, onNote }, async () => {
      return await branch.call(tool.name, input, { ...there, approver: this.#approver });
    });
  }

  /** Applies the branch as a change of the call, after a question if one of the calls needed approval. */
  async #apply({ branch, name }: ProgramBranch): Promise<FinishedCalls> {
    const { runtime, hands, call, workspace, stateFolder } = this.#parts;
    // Ends what still runs there, so that the branch does not change any more.
    await branch[Symbol.asyncDispose]();
    const { merged: _, conflicts, fingerprint: shown, ...effect } = await hands.showBranch(name, { signal: call.signal });
    if (call.dryRunSession !== undefined) {
      call.dryRunSession.take({ fingerprint: shown, show: () => Promise.resolve(effect) });
      return { kind: 'tried', effect };
    }
    if (countEffect(effect) + conflicts.length === 0) return { kind: 'unchanged' };
    const [conflict] = conflicts;
    if (conflict !== undefined) return { kind: 'held', branch: name, why: `something else changed ${conflict.path} meanwhile` };
    const no = this.#reasons.size === 0 ? undefined : await this.#ask(name, effect, shown);
    if (no !== undefined) return no;
    const store = new BranchStore(stateFolder, runtime.confinement.root);
    let applied: AppliedBranch;
    try {
      applied = await applyStored(runtime, store, { name, isOwn: true, fingerprint: shown, workspace, signal: call.signal });
    } catch (error) {
      if (isSynapseError(error) && error.code === 'conflict')
        return { kind: 'held', branch: name, why: 'something else changed its branch meanwhile' };
      const refusal = isSynapseError(error) ? systemRefusal(error.cause) : undefined;
      if (refusal === undefined) throw error;
      return { kind: 'held', branch: name, why: `${refusal.charAt(0).toLowerCase()}${refusal.slice(1).replace(/\.$/u, '')}` };
    }
    const { undo, left } = applied;
    call.state.undo = undo === true ? 'covered' : 'not covered';
    call.state.appliedFrom = 'copy';
    if (left > 0) return { kind: 'held', branch: name, why: 'something else changed the workspace meanwhile' };
    return { kind: 'applied', effect, undo };
  }

  /** Asks about the whole effect. Undefined for a yes. */
  async #ask(branch: string, effect: ShownEffect, shown: string): Promise<FinishedCalls | undefined> {
    const { call, approver, runtime } = this.#parts;
    const reasons = [...this.#reasons];
    const reason = `${reasons.slice(0, MAX_REASONS).join('; ')}${reasons.length > MAX_REASONS ? '; …' : ''}`;
    if (approver === undefined) return { kind: 'held', branch, why: reason };
    const files = countEffect(effect);
    const request: ApprovalRequest = {
      ...askedCall(call),
      fingerprint: fingerprint(call.tool.name, { arguments: call.arguments, changes: shown }),
      reason,
      effects: effectLines(effect),
      proposals: [],
      changed: { fingerprint: shown, effect, output: '', completion: 'ok', headline: `changed ${files} ${files === 1 ? 'file' : 'files'}` },
    };
    const answer = await askApprover(approver, request, [runtime.closing, call.signal], askOptions(call, runtime.authorizer));
    call.state.decision = { rule: 'what its calls change', approver: approver.name, answer: answer.verdict };
    if (answer.verdict === 'later' || (answer.verdict === 'deny' && answer.unanswered === true)) return { kind: 'held', branch, why: reason };
    if (answer.verdict === 'deny')
      return { kind: 'dropped', why: answer.reason === undefined || answer.reason === 'no' ? 'a person said no' : `a person said: ${answer.reason}` };
    return answer.effect !== undefined && answer.effect !== shown
      ? { kind: 'dropped', why: 'the answer was to other changes than these' }
      : undefined;
  }

  #hasChanged(): boolean {
    const { runtime, call } = this.#parts;
    return runtime.powers.journal.database.done({ call: call.callId }).length > 0;
  }

  /** What was changed in the workspace itself. */
  async #made(): Promise<ShownEffect> {
    const { hands, call } = this.#parts;
    const changes = await hands.changes({ call: call.callId }, { signal: call.signal });
    return { changes, more: 0, omitted: [], cautions: [] };
  }

  /** Undoes what was changed in the workspace itself. */
  async #takeBack(): Promise<void> {
    if (!this.#hasChanged()) return;
    const { hands, call } = this.#parts;
    const own: Approver = { name: 'the program itself', ask: async () => ({ verdict: 'allow', scope: 'once' }) };
    const undone = await hands.undo({ call: call.callId }, { approver: own, parents: [call.callId] });
    if (undone.ok) return;
    throw new SynapseError(undone.error.code, `What it had changed could not be taken back: ${undone.error.message}`, {
      hint: `See what it changed: synapse changes ${call.callId}`,
    });
  }
}
