import { ensureDevice, isLoopback, PairedDevices, workspaceName, type HandsPairing } from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import { openDevice } from '@synapse/protocol/remote';
import type { ChosenProjects } from './chosen-projects.ts';
import { remoteFolder } from './remote-folder.ts';

const notPaired = (what: string, url: string, session: string): SynapseError =>
  new SynapseError('denied', `No device is paired with ${what}.`, {
    hint: `Pair one first, in ${what}: synapse pair ${new URL(url).origin} --name ${session}`,
  });

/**
 * Who may use a workspace in a session. Undefined at a local relay without paired devices: there, every program of this
 * machine may.
 *
 * @throws SynapseError `denied` if no device is paired and the relay is on another machine
 */
export async function handsPairing(url: string, session: string, workspace: string): Promise<HandsPairing | undefined> {
  const folder = remoteFolder(workspace);
  const paired = new PairedDevices(folder);
  const grants = () => paired.grantsFor(session, workspace);
  if (grants().size === 0) {
    if (isLoopback(url)) return undefined;
    throw notPaired('this folder', url, session);
  }
  return { device: await openDevice(await ensureDevice(folder)), grants, version: () => paired.version() };
}

/** Several projects in a session. */
export interface ServedProjects {
  readonly pairing: HandsPairing | undefined;
  /** The paths of those that someone may use, by name. */
  readonly places: () => ReadonlyMap<string, string>;
  /** Where no device is paired: the one for calls that name none. */
  readonly home?: string | undefined;
}

/** The names of projects where no device is paired. */
function plainPlaces(roots: readonly string[]): Map<string, string> {
  const places = new Map<string, string>();
  for (const root of roots) places.set(workspaceName(root, places.keys()), root);
  return places;
}

/**
 * Who may use which of several projects in a session.
 *
 * @throws SynapseError as {@link handsPairing}
 */
export async function projectsPairing(url: string, session: string, { roots }: ChosenProjects): Promise<ServedProjects> {
  const folder = remoteFolder();
  const paired = new PairedDevices(folder);
  let places: ReadonlyMap<string, string> = new Map();
  const grants: HandsPairing['grants'] = () => {
    const chosen = new Set(roots());
    const isServed = (root: string): boolean => chosen.has(root);
    places = paired.places(session, isServed);
    return paired.grantsAcross(session, isServed);
  };
  if (grants().size > 0) {
    return {
      // A project that is not tracked any more is not served any more.
      pairing: { device: await openDevice(await ensureDevice(folder)), grants, version: () => JSON.stringify([paired.version(), ...roots()]) },
      places: () => places,
    };
  }
  if (!isLoopback(url)) throw notPaired('one of these folders', url, session);
  places = plainPlaces(roots());
  return { pairing: undefined, places: () => places, home: places.keys().next().value };
}
