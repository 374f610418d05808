import { deviceId, joinGrants, RemoteGrant, type Grants, type MachineGrant } from '@synapse/protocol/remote';
import { realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readSecret, writeSecret } from '@synapse/hands/internal';
import { NamedWorkspace, withNames, type Named } from './grant-names.ts';

/** The permissions of a device in one project of this machine. */
export const ProjectGrant = RemoteGrant.extend({
  session: z.string(),
  workspace: z.string(),
  /** The name of the workspace for devices. Grants of earlier versions have none, and get one. */
  project: z.string().optional(),
  /** Whether calls that name no workspace work here: in the one that the device was paired with. */
  home: z.boolean().optional(),
});
export type ProjectGrant = z.infer<typeof ProjectGrant>;
type NamedGrant = Named<ProjectGrant>;

/** The devices that this machine is paired with. A device may have one grant per project. */
export class PairedDevices {
  readonly #file: string;
  readonly #names: string;

  constructor(configFolder: string) {
    this.#file = join(configFolder, 'remote', 'grants.json');
    this.#names = join(configFolder, 'remote', 'workspace-names.json');
  }

  #read(): readonly NamedGrant[] {
    return withNames<ProjectGrant>(readSecret(this.#file, z.array(ProjectGrant)) ?? [], this.#knownNames());
  }

  /** All names that workspaces ever had: none is given to another one. */
  #knownNames(): readonly NamedWorkspace[] {
    return readSecret(this.#names, z.array(NamedWorkspace)) ?? [];
  }

  #write(grants: readonly ProjectGrant[]): void {
    const named = withNames(grants, this.#knownNames());
    const all = [...this.#knownNames(), ...named].map((one) => NamedWorkspace.parse(one));
    // First: a grant must not be there without its name.
    writeSecret(this.#names, [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]);
    writeSecret(this.#file, named);
  }

  list(): readonly NamedGrant[] {
    return this.#read();
  }

  /** Returns the workspaces of a session that some device may use: their paths, by name. */
  places(session: string, isServed: (root: string) => boolean): ReadonlyMap<string, string> {
    return new Map(this.#read().flatMap((one) => (one.session === session && isServed(one.workspace) ? [[one.project, one.workspace]] : [])));
  }

  /** Returns the grants for a project in a session. Calls that name none work there, too. */
  grantsFor(session: string, workspace: string): Grants {
    const here = realpathSync(workspace);
    return this.#grants(
      session,
      (root) => root === here,
      () => true,
    );
  }

  /** Returns the grants for several projects in a session. */
  grantsAcross(session: string, isServed: (root: string) => boolean): Grants {
    return this.#grants(session, isServed, ({ home }) => home);
  }

  #grants(session: string, isServed: (root: string) => boolean, isHome: (grant: NamedGrant) => boolean): Grants {
    const mine = this.#read().filter((grant) => grant.session === session && isServed(grant.workspace));
    const devices = Map.groupBy(mine, ({ identity }) => identity);
    return new Map(
      [...devices].flatMap(([identity, own]): Array<[string, MachineGrant]> => {
        const joined = joinGrants(new Map(own.map((grant) => [grant.project, RemoteGrant.parse(grant)])), own.find(isHome)?.project);
        return joined === undefined ? [] : [[deviceId(identity), joined]];
      }),
    );
  }

  /** Adds a grant; replaces one of the same device for the same project. The first one of a device is its home, unless the grant says otherwise. */
  add(grant: ProjectGrant): void {
    const made = { ...grant, workspace: realpathSync(grant.workspace) };
    const isSame = (one: ProjectGrant): boolean => one.identity === made.identity && one.session === made.session && one.workspace === made.workspace;
    const all = this.#read();
    const known = all.find(isSame);
    const hasHome = all.some((one) => one.identity === made.identity && one.session === made.session && one.home);
    const kept = { ...made, project: known?.project, home: known?.home ?? made.home ?? !hasHome };
    this.#write(known === undefined ? [...all, kept] : all.map((one) => (one === known ? kept : one)));
  }

  /** Removes grants and returns them. */
  revoke(isMeant: (grant: NamedGrant) => boolean): readonly NamedGrant[] {
    const all = this.#read();
    const revoked = all.filter(isMeant);
    // The others keep their names, and none becomes the home of a device.
    if (revoked.length > 0) this.#write(all.filter((one) => !isMeant(one)));
    return revoked;
  }

  /** Returns a text that changes whenever the file changes. */
  version(): string {
    const { mtimeNs = 0n, ino = 0n } = statSync(this.#file, { bigint: true, throwIfNoEntry: false }) ?? {};
    return `${ino}:${mtimeNs}`;
  }
}
