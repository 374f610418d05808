import { setImmediate } from 'node:timers/promises';
import { type Defaults, followAudit, queryAudit } from '@synapse/hands/internal';
import type { ConsoleCall } from '@synapse/protocol/console';
import { callRow } from './call-row.ts';

/** Maximum number of listed calls; `synapse log` shows older ones. */
const MAX_CALLS = 100_000;
/** Milliseconds of reading before yielding to other work. */
const SLICE_MS = 15;
/** Milliseconds between batches of calls from other processes. */
const BATCH_MS = 40;

/** The calls of a project from all processes: those in the audit log, and new ones as they happen. */
export class CallIndex {
  readonly #stateFolder: string;
  readonly #root: string;
  readonly #rows = new Map<number, ConsoleCall>();
  readonly #onCalls: (calls: readonly ConsoleCall[]) => void;
  readonly #defaultsOf: (tool: string) => Defaults | undefined;
  #fresh: ConsoleCall[] = [];
  #loaded: Promise<void> = Promise.resolve();
  #complete = false;

  constructor(
    stateFolder: string,
    root: string,
    onCalls: (calls: readonly ConsoleCall[]) => void,
    defaultsOf: (tool: string) => Defaults | undefined = () => undefined,
  ) {
    this.#defaultsOf = defaultsOf;
    this.#stateFolder = stateFolder;
    this.#root = root;
    this.#onCalls = onCalls;
  }

  /** Starts to follow the log, then reads existing calls, newest first. Settles when both continue in the background. */
  async open(signal: AbortSignal): Promise<void> {
    const calls = followAudit(this.#stateFolder, this.#root, { starts: true }, signal);
    // The first `next` sets the position in the log before anything is read, so no call is missed in between.
    const first = calls.next();
    await setImmediate();
    void this.#follow(calls, first).catch(() => {
      // The log's folder was deleted, so there is nothing to follow.
    });
    const reading = queryAudit(this.#stateFolder, this.#root, { limit: MAX_CALLS });
    this.#readSlice(reading);
    this.#loaded = this.#readRest(reading, signal);
    this.#loaded.catch(() => {});
  }

  /** Whether all listed calls have been read. */
  get complete(): boolean {
    return this.#complete;
  }

  /** Settles when everything is read; rejects if the log cannot be read. */
  get loaded(): Promise<void> {
    return this.#loaded;
  }

  /** Returns the calls read so far, oldest first. */
  rows(): ConsoleCall[] {
    return [...this.#rows.values()].sort((a, b) => a.n - b.n);
  }

  #row(call: Parameters<typeof callRow>[0]): ConsoleCall {
    return callRow(call, this.#defaultsOf(call.start.tool));
  }

  #readSlice(reading: Generator<Parameters<typeof callRow>[0]>): boolean {
    const until = performance.now() + SLICE_MS;
    while (performance.now() < until) {
      const { done, value } = reading.next();
      if (done === true) {
        this.#complete = true;
        return false;
      }
      // A call that arrived meanwhile is newer than the one read.
      if (!this.#rows.has(value.start.seq)) this.#rows.set(value.start.seq, this.#row(value));
    }
    return true;
  }

  async #readRest(reading: Generator<Parameters<typeof callRow>[0]>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#complete && this.#readSlice(reading)) await setImmediate();
  }

  async #follow(calls: ReturnType<typeof followAudit>, first: ReturnType<typeof calls.next>): Promise<void> {
    for (let next = await first; next.done !== true; next = await calls.next()) {
      const row = this.#row(next.value);
      this.#rows.set(row.n, row);
      this.#fresh.push(row);
      if (this.#fresh.length === 1) setTimeout(() => this.#tell(), BATCH_MS).unref();
      if (this.#rows.size > MAX_CALLS * 1.2) this.#forget();
    }
  }

  #tell(): void {
    const last = new Map(this.#fresh.splice(0).map((row) => [row.n, row]));
    this.#onCalls([...last.values()]);
  }

  #forget(): void {
    for (const { n } of this.rows().slice(0, -MAX_CALLS)) this.#rows.delete(n);
  }
}
