import type { EndedWork } from './running-calls.ts';
import { readSessionRecord, shownUrl, writeSessionRecord, type SessionRecord } from './session-records.ts';

/** Revoked devices to remember. */
const MAX_REVOKED = 16;

/** What the record of a session is about. */
export interface ServedSessionFacts {
  readonly workspace: string;
  readonly url: string;
  readonly name: string | undefined;
  /** Id of the device that serves it; undefined if it is not paired. */
  readonly device: string | undefined;
  readonly now: () => number;
}

/** The record of the session that this process serves, and whether its relay let this device in before. */
export class ServedStatus {
  readonly #folder: string;
  readonly #facts: ServedSessionFacts;
  #isAccepted: boolean;
  #revoked: NonNullable<SessionRecord['revoked']> = [];
  #last: readonly [SessionRecord['status'], string] = ['connecting', ''];

  constructor(folder: string, facts: ServedSessionFacts) {
    this.#folder = folder;
    this.#facts = facts;
    const before = readSessionRecord(folder);
    this.#isAccepted = facts.device !== undefined && before?.accepted === facts.device && before.relay === shownUrl(facts.url);
  }

  /** Whether the relay let this device in, in this process or an earlier one, and has not ended that. */
  get isAccepted(): boolean {
    return this.#isAccepted;
  }

  /** Writes what ended with the access of a device, for the process that revoked it. */
  addRevoked(device: string, { calls, jobs }: EndedWork, ports: number): void {
    this.#revoked = [...this.#revoked, { device, calls, jobs, ports, at: this.#facts.now() }].slice(-MAX_REVOKED);
    this.write(...this.#last);
  }

  /** Writes the status to the disk. Returns the problem if that fails: the ledger reports the error for calls. */
  write(status: SessionRecord['status'], text: string): string | undefined {
    const { workspace, url, name, device, now } = this.#facts;
    this.#last = [status, text];
    this.#isAccepted = status === 'online' || (status !== 'stopped' && this.#isAccepted);
    const told = { workspace, relay: shownUrl(url), status, text, pid: process.pid, at: now() };
    const revoked = this.#revoked.length === 0 ? {} : { revoked: this.#revoked };
    const accepted = this.#isAccepted && device !== undefined ? { accepted: device } : {};
    try {
      writeSessionRecord(this.#folder, { ...told, ...(name === undefined ? {} : { name }), ...accepted, ...revoked });
      return undefined;
    } catch (error) {
      return `The state of the session cannot be written: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
