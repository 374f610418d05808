import { randomUUID } from 'node:crypto';
import { toSynapseError, type CallFailure, type FilledForm, type Progress } from '@synapse/protocol';
import { approverOf } from '../approval/approver-of.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver, Trial } from '../approval/approver.ts';
import type { SentQuestion } from '../approval/question-schema.ts';
import type { CallOptions } from '../call/call.ts';
import { dataOf, type CallSettings } from './call-settings.ts';
import type { Waiting } from './link.ts';

/** What a call tells while it runs. */
export interface Meanwhile {
  readonly progress?: Progress;
  readonly output?: string;
}

/** A call whose hands are in a branch, at its caller. */
export interface NearCall extends Disposable {
  readonly settings: CallSettings;
  readonly waiting: Waiting<Meanwhile>;
}

/** A question from a branch. */
export interface FarQuestion {
  readonly key: number;
  readonly request: SentQuestion;
  /** Runs its trial in the branch; undefined if it has none. */
  readonly tryOut: ((signal: AbortSignal) => Promise<Trial>) | undefined;
}

/** The calls in a branch that run: their approvers are here, and their hands elsewhere. */
export class NearCalls {
  readonly #ofHands: Approver | undefined;
  readonly #approvers = new Map<number, Approver>();
  readonly #options = new Map<number, CallSettings['options']>();
  #count = 0;

  /** @param ofHands the approver of the hands that opened the branch */
  constructor(ofHands: Approver | undefined) {
    this.#ofHands = ofHands;
  }

  /** A call with some options. Until it is disposed, questions about it are answered. */
  open(options: CallOptions): NearCall {
    const key = (this.#count += 1);
    const approver = approverOf(options.approver, this.#ofHands);
    const { onProgress, onOutput, signal } = options;
    const settings: CallSettings = {
      key,
      ...(approver === undefined ? {} : { approver: { name: approver.name, fills: approver.fill !== undefined } }),
      watches: onProgress !== undefined,
      hears: onOutput !== undefined,
      // Known here, for a call that never gets an answer.
      options: { ...dataOf(options), callId: options.callId ?? randomUUID() },
    };
    if (approver !== undefined) this.#approvers.set(key, approver);
    this.#options.set(key, settings.options);
    return {
      settings,
      waiting: {
        signal,
        onNotice({ progress, output }) {
          if (progress !== undefined) onProgress?.(progress);
          if (output !== undefined) onOutput?.(output);
        },
      },
      [Symbol.dispose]: () => {
        this.#approvers.delete(key);
        this.#options.delete(key);
      },
    };
  }

  /** The options of a call that runs. */
  optionsOf(key: number): CallSettings['options'] {
    return this.#options.get(key) ?? {};
  }

  /** Asks the approver of a call. */
  async ask(
    { key, request, tryOut }: FarQuestion,
    signal: AbortSignal,
    onShown: (place: string) => void,
  ): Promise<{ readonly answer: ApprovalAnswer; readonly by: string }> {
    const approver = this.#approvers.get(key);
    if (approver === undefined) return { answer: { verdict: 'later' }, by: 'none' };
    const asked: ApprovalRequest = { ...request, sessionId: request.sessionId, ...(tryOut === undefined ? {} : { tryOut }) };
    const answer = await approver.ask(asked, signal, onShown);
    return { answer, by: approver.name };
  }

  /** Shows the approver of a call a form. */
  async fill(key: number, form: Parameters<NonNullable<Approver['fill']>>[0], signal: AbortSignal): Promise<FilledForm> {
    return (await this.#approvers.get(key)?.fill?.(form, signal)) ?? { action: 'cancel' };
  }
}

/** The result of a call that never reached its tool, because there is no process for it. */
export function failedCall(name: string, { callId, sessionId, stepId }: CallSettings['options'], startedAt: number, thrown: unknown): CallFailure {
  const { code, message, hint, retryable } = toSynapseError(thrown);
  return {
    ok: false,
    error: { code, message, retryable, ...(hint === undefined ? {} : { hint }) },
    meta: {
      callId: callId ?? randomUUID(),
      tool: name,
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(stepId === undefined ? {} : { stepId }),
      durationMs: performance.now() - startedAt,
      summary: `${name.slice(0, 64)} → ${code}`,
      completion: 'failed',
    },
  };
}
