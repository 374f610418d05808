import type { ApprovalRequest, Approver, CallOptions } from '@synapse/hands';
import type { DataFrames } from '@synapse/protocol/remote';

type Question = DataFrames['approval_request'];

/** The reason of a question about a workspace of several. */
export const inWorkspace = (workspace: string, reason: string): string => `In ${workspace}: ${reason}`;

/** Converts a remote approval request for a local approver. */
export function questionOf(request: Question, input?: unknown, { sessionId }: Pick<CallOptions, 'sessionId'> = {}): ApprovalRequest {
  const { tool_call_id: callId, args_hash: fingerprint, tool, effects, workspace } = request;
  const reason = workspace === undefined ? request.reason : inWorkspace(workspace, request.reason);
  const given = typeof input === 'object' && input !== null ? { ...input } : {};
  return { callId, sessionId, tool, title: tool, arguments: given, fingerprint, reason, effects, proposals: [] };
}

/** Answers the questions of a call with an approver at the brain's end, until the call ends. */
export class AskedHere implements Disposable {
  readonly #ended = new AbortController();
  readonly #asked = new Set<string>();
  readonly #approver: Approver;
  readonly #input: unknown;
  readonly #answer: (request: Question, option: 'allow_once' | 'reject') => void;

  constructor(approver: Approver, input: unknown, answer: (request: Question, option: 'allow_once' | 'reject') => void) {
    this.#approver = approver;
    this.#input = input;
    this.#answer = answer;
  }

  /** Asks, if the answer would count. Otherwise the machine or another device decides. A question is repeated after each interruption. */
  take(request: Question): void {
    if (request.may_decide !== true || this.#asked.has(request.approval_id)) return;
    this.#asked.add(request.approval_id);
    this.#ask(request).catch(() => {
      // An approver that cannot ask says no. One that was told to stop says nothing.
      if (!this.#ended.signal.aborted) this.#answer(request, 'reject');
    });
  }

  async #ask(request: Question): Promise<void> {
    const { verdict } = await this.#approver.ask(questionOf(request, this.#input), this.#ended.signal);
    // Answered elsewhere meanwhile, or left to others.
    if (this.#ended.signal.aborted || verdict === 'later') return;
    this.#answer(request, verdict === 'allow' ? 'allow_once' : 'reject');
  }

  [Symbol.dispose](): void {
    this.#ended.abort(new DOMException('The question was answered elsewhere.', 'AbortError'));
  }
}
