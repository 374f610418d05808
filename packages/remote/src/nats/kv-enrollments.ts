import type { KV } from '@nats-io/kv';
import * as z from 'zod';
import { Invitation, Machine, type Enrollments } from '../relay/enrollment.ts';
import { changeValue, readValue } from './kv-value.ts';

/** Milliseconds for which a read is considered fresh, where stale data is acceptable. */
const FRESH_MS = 1_000;
const Machines = z.array(Machine);

/** The enrolled machines and the invitation of a relay, shared by all its nodes. */
export class KvEnrollments implements Enrollments {
  readonly #account: KV;
  #known: ReadonlySet<string> = new Set();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(account: KV) {
    this.#account = account;
  }

  async invitation(): Promise<Invitation | undefined> {
    return (await readValue(this.#account, 'invitation', Invitation.nullable())).value ?? undefined;
  }

  change(next: (before: Invitation | undefined) => Invitation | undefined): Promise<Invitation | undefined> {
    return changeValue(this.#account, 'invitation', Invitation, next);
  }

  async machines(): Promise<readonly Machine[]> {
    const readAt = performance.now();
    const { value = [] } = await readValue(this.#account, 'machines', Machines);
    this.#known = new Set(value.map(({ identity }) => identity));
    this.#readAt = readAt;
    return value;
  }

  /** Reads the machines, unless they were just read. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt > FRESH_MS) await this.machines();
  }

  /** Whether a machine is enrolled, as of the last read. */
  isEnrolled(identity: string): boolean {
    return this.#known.has(identity);
  }

  /** Whether a machine is enrolled. Reads again for unknown machines, which another node may have just enrolled. */
  async askEnrolled(identity: string): Promise<boolean> {
    await (this.isEnrolled(identity) ? this.refresh() : this.machines());
    return this.isEnrolled(identity);
  }

  async enroll(machine: Machine): Promise<void> {
    await changeValue(this.#account, 'machines', Machines, (before = []) => [
      ...before.filter(({ identity }) => identity !== machine.identity),
      machine,
    ]);
    await this.machines();
  }

  /** Removes machines and returns them. */
  async remove(isMeant: (machine: Machine) => boolean): Promise<readonly Machine[]> {
    const before = await changeValue(this.#account, 'machines', Machines, (all) =>
      all?.some(isMeant) === true ? all.filter((one) => !isMeant(one)) : all,
    );
    return (before ?? []).filter(isMeant);
  }
}
