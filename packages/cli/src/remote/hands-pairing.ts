import { ensureDevice, isLoopback, PairedDevices, type HandsPairing } from '@synapse/remote';
import { SynapseError } from '@synapse/protocol';
import { openDevice } from '@synapse/protocol/remote';
import { remoteFolder } from './remote-folder.ts';

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
    throw new SynapseError('denied', 'No device is paired with this folder.', {
      hint: `Pair one first, in this folder: synapse pair ${new URL(url).origin} --name ${session}`,
    });
  }
  return { device: await openDevice(await ensureDevice(folder)), grants, version: () => paired.version() };
}
