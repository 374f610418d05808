import { statSync } from 'node:fs';
import { Identity } from '@synapse/protocol/remote';
import { join } from 'node:path';
import * as z from 'zod';
import { readSecret, writeSecret } from '@synapse/hands/internal';
import { Invitation, Machine, type Enrollments } from './enrollment.ts';

const KEPT = 'The machines that it had may still connect, until the file can be read again.';
/** Removed machines to remember. */
const MAX_REMOVED = 1_000;

/** A relay's access records, in its folder. Other processes change them: `synapse relay invite`, `synapse relay remove`. */
export class RelayRecords implements Enrollments {
  readonly #folder: string;
  #machines: readonly Machine[] = [];
  #read = '';
  readonly #onProblem: (line: string) => void;

  /** @param onProblem gets a line for users when a file cannot be used that could be before */
  constructor(folder: string, onProblem: (line: string) => void = () => {}) {
    this.#folder = folder;
    this.#onProblem = onProblem;
  }

  #file(name: 'invitation' | 'machines' | 'removed'): string {
    return join(this.#folder, `${name}.json`);
  }

  invitation(): Invitation | undefined {
    return readSecret(this.#file('invitation'), Invitation.nullable()) ?? undefined;
  }

  setInvitation(invitation: Invitation | undefined): void {
    writeSecret(this.#file('invitation'), invitation ?? null);
  }

  change(next: (before: Invitation | undefined) => Invitation | undefined): Invitation | undefined {
    const before = this.invitation();
    const after = next(before);
    if (after !== before) this.setInvitation(after);
    return before;
  }

  /** Returns the machines of this relay. Reads the file again after changes. */
  machines(): readonly Machine[] {
    const { mtimeNs = 0n, ino = 0n } = statSync(this.#file('machines'), { bigint: true, throwIfNoEntry: false }) ?? {};
    const version = `${ino}:${mtimeNs}`;
    if (version !== this.#read) this.#machines = this.#readMachines();
    this.#read = version;
    return this.#machines;
  }

  /** Reads the list. One that is gone or damaged while the relay runs is being replaced, or was: what it had still counts. */
  #readMachines(): readonly Machine[] {
    try {
      const machines = readSecret(this.#file('machines'), z.array(Machine));
      if (machines !== undefined || this.#machines.length === 0) return machines ?? [];
      this.#onProblem(`${this.#file('machines')} is gone. ${KEPT}`);
    } catch (error) {
      // A relay does not start with it.
      if (this.#read === '') throw error;
      this.#onProblem(`${error instanceof Error ? error.message : String(error)} ${KEPT}`);
    }
    return this.#machines;
  }

  /** Whether the owner removed a machine. One that is only missing may come back: the list may be that of a backup. */
  isRemoved(identity: string): boolean {
    try {
      return this.#removed().includes(identity);
    } catch {
      // Not known: as if it were.
      return true;
    }
  }

  #removed(): readonly string[] {
    return readSecret(this.#file('removed'), z.array(Identity)) ?? [];
  }

  #setRemoved(change: (removed: readonly string[]) => readonly string[]): void {
    writeSecret(this.#file('removed'), change(this.#removed()).slice(-MAX_REMOVED));
  }

  isEnrolled(identity: string): boolean {
    return this.machines().some((machine) => machine.identity === identity);
  }

  enroll(machine: Machine): void {
    if (this.isRemoved(machine.identity)) this.#setRemoved((removed) => removed.filter((one) => one !== machine.identity));
    writeSecret(this.#file('machines'), [...this.machines().filter(({ identity }) => identity !== machine.identity), machine]);
  }

  /** Removes machines and returns them. */
  remove(isMeant: (machine: Machine) => boolean): readonly Machine[] {
    const all = this.machines();
    const removed = all.filter(isMeant);
    if (removed.length > 0) {
      // First: who finds a machine missing must find out why.
      this.#setRemoved((before) => [...before, ...removed.map(({ identity }) => identity)]);
      writeSecret(
        this.#file('machines'),
        all.filter((one) => !isMeant(one)),
      );
    }
    return removed;
  }
}
