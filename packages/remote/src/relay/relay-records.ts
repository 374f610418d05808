import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readSecret, writeSecret } from '@synapse/hands/internal';
import { Invitation, Machine, type Enrollments } from './enrollment.ts';

/** A relay's access records, in its folder. Other processes change them: `synapse relay invite`, `synapse relay remove`. */
export class RelayRecords implements Enrollments {
  readonly #folder: string;
  #machines: readonly Machine[] = [];
  #read = '';

  constructor(folder: string) {
    this.#folder = folder;
  }

  #file(name: 'invitation' | 'machines'): string {
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
    if (version !== this.#read) this.#machines = readSecret(this.#file('machines'), z.array(Machine)) ?? [];
    this.#read = version;
    return this.#machines;
  }

  isEnrolled(identity: string): boolean {
    return this.machines().some((machine) => machine.identity === identity);
  }

  enroll(machine: Machine): void {
    writeSecret(this.#file('machines'), [...this.machines().filter(({ identity }) => identity !== machine.identity), machine]);
  }

  /** Removes machines and returns them. */
  remove(isMeant: (machine: Machine) => boolean): readonly Machine[] {
    const all = this.machines();
    const removed = all.filter(isMeant);
    if (removed.length > 0)
      writeSecret(
        this.#file('machines'),
        all.filter((one) => !isMeant(one)),
      );
    return removed;
  }
}
