import { isSynapseError } from '@synapse/protocol';
import { until } from '../events/timing.ts';
import type { CheckedText } from './checked-text.ts';
import type { Answered } from './code-servers.ts';
import type { Finding } from './finding.ts';

/** A text whose findings somebody waits for. */
export interface AskedText {
  readonly file: CheckedText;
  readonly signal: AbortSignal;
}

type Findings = readonly Finding[] | undefined;
type Outcome = PromiseSettledResult<Findings>;

/** Maximum number of files that are open at once for their findings. */
const MAX_TOGETHER = 16;

/**
 * Files that a server checks together. A server that pushes diagnostics does not say when it is done, and must be silent for a second
 * before an empty report is believed: one file after the other would take that second for each.
 */
export class CheckBatch {
  readonly #asked: AskedText[] = [];
  readonly #abort = new AbortController();
  #answered: Promise<Answered<readonly Outcome[]>> | undefined;
  #left = 0;

  /** Aborted once no caller waits for any of the files. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether a file can join. Two texts of one file cannot be open at once. */
  takes(path: string): boolean {
    return !this.signal.aborted && this.#asked.length < MAX_TOGETHER && this.#asked.every(({ file }) => file.path !== path);
  }

  /** Adds a file, and waits for its findings. @param start asks the server about all files; called for the first one */
  async add(asked: AskedText, start: () => Promise<Answered<readonly Outcome[]>>): Promise<Answered<Findings>> {
    const index = this.#asked.push(asked) - 1;
    const onAbort = (): void => {
      this.#left += 1;
      if (this.#left === this.#asked.length) this.#abort.abort(asked.signal.reason);
    };
    asked.signal.addEventListener('abort', onAbort, { once: true });
    try {
      const { answer, origin } = await until((this.#answered ??= start()), asked.signal);
      const outcome = answer[index];
      if (outcome?.status === 'rejected') throw outcome.reason;
      return { answer: outcome?.value, origin };
    } finally {
      asked.signal.removeEventListener('abort', onAbort);
    }
  }

  /** Asks about each file. @throws what kept the server from answering, so that it is asked once more */
  async run(check: (asked: readonly AskedText[]) => Promise<readonly Outcome[]>): Promise<readonly Outcome[]> {
    const outcomes = await check(this.#asked);
    const failed = outcomes.find(
      (each, index) => each.status === 'rejected' && !isSynapseError(each.reason) && this.#asked[index]?.signal.aborted === false,
    );
    if (failed?.status === 'rejected') throw failed.reason;
    return outcomes;
  }
}
