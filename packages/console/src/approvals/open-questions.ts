import { createApprovalQueue, type ApprovalAnswer, type ApprovalQueue, type Approver, type PendingApproval } from '@synapse/hands';
import { SynapseError, type FilledForm, type PersonForm } from '@synapse/protocol';
import type { ConsoleParams, ConsoleQuestion, ConsoleResult, ConsoleTrial } from '@synapse/protocol/console';
import { approvalView, trialView } from './approval-view.ts';
import { FormQueue } from './form-queue.ts';

interface Found {
  readonly queue: ApprovalQueue;
  readonly pending: PendingApproval;
}

/** The source of a question. */
interface Origin {
  readonly project: string;
  /** `console`, or another process. */
  readonly from: string;
}

function gone(): SynapseError {
  return new SynapseError('conflict', 'This question was answered or withdrawn.', { hint: 'The list shows those that wait.' });
}

/** The open questions of all projects in this console. */
export class OpenQuestions {
  readonly #queues = new Map<string, Origin & { readonly queue: ApprovalQueue }>();
  readonly #listeners = new Set<() => void>();
  readonly #forms = new FormQueue(() => this.#changed());

  /** Returns the approver for calls of a project from one source. Default: this console. */
  approver(project: string, from = 'console'): Approver {
    const { queue } = this.#origin({ project, from });
    return {
      name: 'console',
      ask: (request, signal) => queue.ask(request, signal),
      fill: (form, signal) => this.fillForm(form, { project, from }, signal),
    };
  }

  /** Shows a form of an MCP server, and waits for the user's answer. */
  async fillForm(form: PersonForm, origin: Origin, signal: AbortSignal): Promise<FilledForm> {
    return await this.#forms.show(form, origin, signal);
  }

  answerForm(params: ConsoleParams<'forms.answer'>): ConsoleResult<'forms.answer'> {
    return this.#forms.answer(params);
  }

  /** Lists the open questions, oldest first. */
  list(): ConsoleQuestion[] {
    const approvals = [...this.#queues.values()].flatMap(({ project, from, queue }) =>
      queue.pending().map(({ id, askedAt, request }) => approvalView(request, { id, askedAt, project, from })),
    );
    return [...approvals, ...this.#forms.list()].toSorted((a, b) => a.askedAt - b.askedAt);
  }

  /**
   * Answers a question.
   *
   * @throws SynapseError `conflict` if the question is gone, or differs from the one that was shown
   */
  answer({ id, fingerprint, verdict, scope = 'once', proposal, effect, reason }: ConsoleParams<'approvals.answer'>): string {
    const { queue, pending } = this.#find(id);
    const { proposals } = pending.request;
    const remembered = proposal === undefined ? undefined : proposals[proposal];
    if (verdict === 'allow' && scope !== 'once' && remembered === undefined) {
      throw new SynapseError('invalid_arguments', 'Nothing can be remembered for this call.', { hint: 'Allow it once.' });
    }
    const answer: ApprovalAnswer =
      verdict === 'deny'
        ? { verdict, ...(reason === undefined || reason.trim() === '' ? {} : { reason: reason.trim() }) }
        : { verdict, scope, ...(remembered === undefined ? {} : { proposal: remembered }), ...(effect === undefined ? {} : { effect }) };
    if (!queue.answer(id, fingerprint, answer)) throw gone();
    return verdict === 'deny' ? 'Denied.' : scope === 'once' ? 'Allowed once.' : `Allowed for this ${scope}.`;
  }

  /** Runs the command of a question on a copy of the workspace. */
  async tryOut(id: string, signal: AbortSignal): Promise<ConsoleTrial> {
    const { tryOut } = this.#find(id).pending.request;
    if (tryOut === undefined) throw new SynapseError('unavailable', 'This call cannot be tried.');
    return trialView(await tryOut(signal));
  }

  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #origin(origin: Origin): { readonly queue: ApprovalQueue } {
    const key = JSON.stringify([origin.project, origin.from]);
    const known = this.#queues.get(key);
    if (known !== undefined) return known;
    const queue = createApprovalQueue();
    queue.subscribe(() => this.#changed());
    this.#queues.set(key, { ...origin, queue });
    return { queue };
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #find(id: string): Found {
    for (const { queue } of this.#queues.values()) {
      const pending = queue.pending().find((one) => one.id === id);
      if (pending !== undefined) return { queue, pending };
    }
    throw gone();
  }
}
