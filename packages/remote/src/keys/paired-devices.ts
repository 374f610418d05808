import { deviceId, RemoteGrant, type Grants } from '@synapse/protocol/remote';
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readSecret, writeSecret } from '@synapse/hands/internal';

/** The permissions of a device in one project of this machine. */
export const ProjectGrant = RemoteGrant.extend({ session: z.string(), workspace: z.string() });
export type ProjectGrant = z.infer<typeof ProjectGrant>;

/** The devices that this machine is paired with. A device may have one grant per project. */
export class PairedDevices {
  readonly #file: string;

  constructor(configFolder: string) {
    this.#file = join(configFolder, 'remote', 'grants.json');
  }

  list(): readonly ProjectGrant[] {
    return readSecret(this.#file, z.array(ProjectGrant)) ?? [];
  }

  /** Returns the grants for a project in a session. */
  grantsFor(session: string, workspace: string): Grants {
    const here = realpathSync(workspace);
    const mine = this.list().filter((grant) => grant.session === session && grant.workspace === here);
    return new Map(mine.map((grant) => [deviceId(grant.identity), RemoteGrant.parse(grant)]));
  }

  /** Adds a grant; replaces one of the same device for the same project. */
  add(grant: ProjectGrant): void {
    const made = { ...grant, workspace: realpathSync(grant.workspace) };
    const isSame = (one: ProjectGrant): boolean => one.identity === made.identity && one.session === made.session && one.workspace === made.workspace;
    writeSecret(this.#file, [...this.list().filter((one) => !isSame(one)), made]);
  }

  /** Removes grants and returns them. */
  revoke(isMeant: (grant: ProjectGrant) => boolean): readonly ProjectGrant[] {
    const all = this.list();
    const revoked = all.filter(isMeant);
    if (revoked.length > 0)
      writeSecret(
        this.#file,
        all.filter((one) => !isMeant(one)),
      );
    return revoked;
  }

  /** Returns a text that changes whenever the file changes. */
  version(): string {
    const { mtimeNs = 0n, ino = 0n } = statSync(this.#file, { bigint: true, throwIfNoEntry: false }) ?? {};
    return `${ino}:${mtimeNs}`;
  }
}
