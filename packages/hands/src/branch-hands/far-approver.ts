import { SynapseError } from '@synapse/protocol';
import type { ApprovalRequest, Approver, Trial } from '../approval/approver.ts';
import type { CallSettings } from './call-settings.ts';
import type { Link } from './link.ts';
import type { AT_OWNER, IN_BRANCH } from './methods.ts';

/** The link of the process of a branch to the one that opened it. */
export type LinkToOwner = Link<typeof IN_BRANCH, typeof AT_OWNER>;

/** Asks the approvers of the process that opened a branch. */
export class FarApprovers {
  readonly #link: () => LinkToOwner;
  readonly #waiting = new Map<number, NonNullable<ApprovalRequest['tryOut']>>();
  #count = 0;

  constructor(link: () => LinkToOwner) {
    this.#link = link;
  }

  /** The approver of a call; undefined if it has none. */
  of({ key, approver }: CallSettings): Approver | undefined {
    if (approver === undefined) return undefined;
    let { name } = approver;
    return {
      // Of several, the one that answered.
      get name() {
        return name;
      },
      ask: async ({ tryOut, sessionId, ...request }, signal, onShown) => {
        const question = (this.#count += 1);
        if (tryOut !== undefined) this.#waiting.set(question, tryOut);
        try {
          const asked = { ...request, ...(sessionId === undefined ? {} : { sessionId }) };
          const told = await this.#link().request(
            'ask',
            { key, question, request: asked, canTry: tryOut !== undefined },
            { signal, onNotice: onShown },
          );
          name = told.by;
          return told.answer;
        } finally {
          this.#waiting.delete(question);
        }
      },
      ...(approver.fills ? { fill: async (form, signal) => await this.#link().request('fill', { key, form }, { signal }) } : {}),
    };
  }

  /** Runs the trial of a question that waits. */
  async tryOut(question: number, signal: AbortSignal): Promise<Trial> {
    const tryOut = this.#waiting.get(question);
    if (tryOut === undefined) throw new SynapseError('not_found', 'The question does not wait any more.');
    return await tryOut(signal);
  }
}
