import { refusedResult, unknownWorkspace, type DataFrames, type FinishedCall, type HandsEvent, type LedgerCall } from '@synapse/protocol/remote';
import type { LocalId } from './person-calls.ts';
import { ProgressBatches } from './progress-batches.ts';
import { ProgressBudget } from './progress-budget.ts';
import { remoteApprover } from './remote-approver.ts';
import { failedCall, runCall } from './run-call.ts';
import type { ServedWorkspaces } from './served-workspaces.ts';
import type { Spools } from './spool.ts';
import type { Asked } from './who-approves.ts';

type Option = 'allow_once' | 'reject';

interface Running {
  readonly abort: AbortController;
  answer: ((option: Option) => void) | undefined;
  readonly settled: Promise<void>;
  readonly owner: string | undefined;
  readonly workspace: string | undefined;
}

/** What ended because its device lost its access. */
export interface EndedWork {
  readonly calls: number;
  readonly jobs: number;
}

/** What running calls need from their connection. */
export interface RunningCallsOptions {
  /** Name of the session. */
  readonly name?: string | undefined;
  /** Dialect of calls that name none. */
  readonly dialect?: string | undefined;
  readonly brainApproves?: ((tool: string) => boolean) | undefined;
  /** Whether a paired device may approve a call by the owner. Takes the tool that runs, whatever a dialect calls it. */
  readonly mayApprove: (asked: Asked, tool: string) => boolean;
  /** The tools of a device's grant, of which some may end with `*`; undefined if it may use all. */
  readonly toolsOf: (asked: Asked) => readonly string[] | undefined;
  /** The names of the workspaces that a device may use. */
  readonly namesFor: (owner: string | undefined) => readonly string[];
  readonly localId: LocalId;
  readonly now: () => number;
  readonly onEvent: (event: HandsEvent) => void;
  readonly onFailure: (error: unknown) => void;
}

/** The remote calls that run at this machine. */
export class RunningCalls {
  readonly #workspaces: ServedWorkspaces;
  readonly #spools: Spools;
  readonly #options: RunningCallsOptions;
  readonly #running = new Map<string, Running>();

  constructor(workspaces: ServedWorkspaces, spools: Spools, options: RunningCallsOptions) {
    this.#workspaces = workspaces;
    this.#spools = spools;
    this.#options = options;
  }

  /** The session of a device: one for each, so that none reads, controls or feeds the jobs of another. */
  sessionOf(owner: string | undefined): string {
    const { name = 'plain' } = this.#options;
    return owner === undefined ? `remote:${name}` : `remote:${name}:${owner}`;
  }

  /**
   * Ends the jobs of a device that lost its access. Its calls end first: one could still start a job.
   *
   * @param workspaces those that it may not use any more. Default: all
   */
  endJobs(owner: string, workspaces?: readonly string[], onEnded?: (ended: EndedWork) => void): void {
    const isOver = (workspace = ''): boolean => workspaces === undefined || workspaces.includes(workspace);
    const calls = [...this.#running.values()].filter((one) => one.owner === owner && isOver(one.workspace));
    const work = async (): Promise<void> => {
      await Promise.all(calls.map(({ settled }) => settled));
      const ended = this.#workspaces.opened(workspaces).map(({ hands }) => hands.endSession(this.sessionOf(owner)));
      const jobs = (await Promise.all(ended)).reduce((sum, count) => sum + count, 0);
      onEnded?.({ calls: calls.length, jobs });
    };
    work().catch(this.#options.onFailure);
  }

  run(id: string, call: LedgerCall, owner: string | undefined): void {
    const abort = new AbortController();
    const { dialect, brainApproves, mayApprove, namesFor, toolsOf, localId, now, onEvent, onFailure } = this.#options;
    const { workspace } = call;
    const place = { owner, workspace };
    const budget = new ProgressBudget(now());
    const batches = new ProgressBatches((data, message) => {
      let off = 0;
      try {
        if (data !== '') off = this.#spools.append(id, data);
      } catch (error) {
        // What is not stored cannot be read again.
        return onFailure(error);
      }
      // Without a receiver, or too fast for one: it can be read here.
      if (call.quiet === true || (!budget.take(data.length, now()) && message === undefined)) return;
      onEvent({ type: 'progress', id, off, data, ...(message === undefined ? {} : { message }) });
    });
    const desk = {
      mayAnswer: (tool: string) => brainApproves?.(tool) === true || mayApprove(place, tool),
      ask: (request: DataFrames['approval_request'], answer: (option: Option) => void) => {
        running.answer = answer;
        onEvent({ type: 'ask', request, mayBrainAnswer: brainApproves?.(request.tool) ?? false, now: now() });
      },
      close: () => {
        running.answer = undefined;
        onEvent({ type: 'asked', id });
      },
    };
    const made = dialect === undefined || call.dialect !== undefined ? call : { ...call, dialect };
    const tools = toolsOf(place);
    const answer = async (): Promise<FinishedCall> => {
      const found = this.#workspaces.open(workspace);
      const opened = found instanceof Promise ? await found : found;
      if (opened === undefined) return refusedResult(unknownWorkspace(namesFor(owner), workspace));
      return await runCall(opened.hands, made, {
        signal: abort.signal,
        onOutput: (output) => batches.add({ output }),
        // It has the output at a limited rate, for people.
        onProgress: ({ message }) => batches.add({ message }),
        sessionId: this.sessionOf(owner),
        ...(tools === undefined ? {} : { mayCall: tools }),
        localId,
        approver: remoteApprover(id, desk, opened.approver),
      });
    };
    const work = async (): Promise<void> => {
      const result = await answer().catch((thrown: unknown) => failedCall(call.tool, thrown));
      batches.end();
      this.#running.delete(id);
      this.#spools.end(id);
      onEvent({ type: 'finished', id, result, now: now() });
    };
    const running: Running = { abort, answer: undefined, settled: Promise.resolve(), owner, workspace };
    const settled = work().catch(onFailure);
    this.#running.set(id, Object.assign(running, { settled }));
  }

  abort(id: string): void {
    this.#running.get(id)?.abort.abort();
  }

  /** Answers the pending question of a call. */
  answer(id: string, option: Option): void {
    this.#running.get(id)?.answer?.(option);
  }

  abortAll(): void {
    for (const { abort } of this.#running.values()) abort.abort();
  }

  /** Settles when all calls have ended. Never rejects. */
  async settled(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ settled }) => settled));
  }
}
