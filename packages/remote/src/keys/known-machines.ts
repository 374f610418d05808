import { Identity } from '@synapse/protocol/remote';
import { join } from 'node:path';
import * as z from 'zod';
import { readSecret, writeSecret } from '@synapse/hands/internal';

/** A machine that this device is paired with, and the address of its session. */
const KnownMachine = z.object({ url: z.string(), identity: Identity, name: z.string() });
export type KnownMachine = z.infer<typeof KnownMachine>;

/** The machines whose hands this device may use. */
export class KnownMachines {
  readonly #file: string;

  constructor(configFolder: string) {
    this.#file = join(configFolder, 'remote', 'machines.json');
  }

  list(): readonly KnownMachine[] {
    return readSecret(this.#file, z.array(KnownMachine)) ?? [];
  }

  find(url: string): KnownMachine | undefined {
    return this.list().find((one) => one.url === url);
  }

  add(machine: KnownMachine): void {
    writeSecret(this.#file, [...this.list().filter(({ url }) => url !== machine.url), machine]);
  }

  /** Removes machines and returns them. */
  remove(isMeant: (machine: KnownMachine) => boolean): readonly KnownMachine[] {
    const all = this.list();
    const removed = all.filter(isMeant);
    if (removed.length > 0)
      writeSecret(
        this.#file,
        all.filter((one) => !isMeant(one)),
      );
    return removed;
  }
}
