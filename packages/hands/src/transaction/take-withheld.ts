import { unlinkSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { takeAway } from '../quarantine/take-away.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import type { Name } from '../workspace/byte-name.ts';
import type { WithheldEntry } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

/** A path whose characters stand for bytes. */
const latin1 = (location: readonly Name[]): string => location.map((name) => Buffer.from(name).toString('latin1')).join('/');

/**
 * Moves withheld entries from the changes to the quarantine. Deletes pipes, sockets and devices.
 *
 * @throws SynapseError `unavailable` if an entry cannot be moved: then nothing may be applied
 */
export function takeWithheld(area: TransactionArea, quarantine: string, withheld: readonly WithheldEntry[]): void {
  using upper = new HandleConfinement(area.upper);
  for (const { location, path, reason, detail, isThere } of withheld) {
    if (!isThere) continue;
    if (reason === 'special-file') {
      using folder = upper.openDirectory(location.slice(0, -1));
      unlinkSync(folder.at(location.at(-1) ?? ''));
      continue;
    }
    const leftover = { path: latin1(location), reason, detail, remove: true };
    const [taken] = takeAway(upper, quarantine, [leftover]);
    if (taken?.action === 'moved' || taken?.action === 'deleted') continue;
    throw new SynapseError('unavailable', `${path} may not reach the workspace, and could not be put into the quarantine.`, {
      hint: 'Free some space on the disk of the state folder of Synapse: synapse doctor shows which it is.',
    });
  }
}
