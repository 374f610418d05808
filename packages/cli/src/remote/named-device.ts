import { SynapseError } from '@synapse/protocol';
import { deviceId, fingerprint } from '@synapse/protocol/remote';
import { inLine } from '../output/visible-text.ts';

interface Named {
  readonly name: string;
  readonly identity: string;
}

/** Minimum characters of a fingerprint that identify a device. */
const MIN_PREFIX = 4;

/**
 * Returns the public keys of the device that a name or the beginning of a fingerprint means. Names are not unique: each device
 * names itself.
 *
 * @param what how the list of devices calls one
 * @param list the command that lists them
 * @throws SynapseError `not_found` if it means none; `invalid_arguments` if it means several
 */
export function namedDevice(devices: readonly Named[], given: string, what: string, list: string): string {
  const prefix = given.replaceAll(/\s/gu, '').toLowerCase();
  const found = devices.filter(({ name, identity }) => name === given || (prefix.length >= MIN_PREFIX && deviceId(identity).startsWith(prefix)));
  const [identity, ...others] = new Set(found.map((one) => one.identity));
  const shown = inLine(given.slice(0, 60));
  if (identity === undefined) throw new SynapseError('not_found', `No ${what} is called ${shown}.`, { hint: `List them: ${list}` });
  if (others.length === 0) return identity;
  const each = [identity, ...others].map((one) => fingerprint(one)).join('; ');
  throw new SynapseError('invalid_arguments', `${others.length + 1} are called ${shown}.`, {
    hint: `Give the beginning of a fingerprint: ${each}`,
  });
}
