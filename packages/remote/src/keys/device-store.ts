import { SynapseError } from '@synapse/protocol';
import { createDevice, deviceId, Identity, StoredDevice } from '@synapse/protocol/remote';
import { join } from 'node:path';
import * as z from 'zod';
import { readSecret, systemKeychain, writeSecret, type OptionalKeychain } from '@synapse/hands/internal';

const DeviceFile = z.union([StoredDevice, z.object({ identity: Identity, keychain: z.literal(true) })]);
const Keys = StoredDevice.omit({ identity: true });

const fileOf = (configFolder: string): string => join(configFolder, 'keys', 'device.json');

/** Base64url needs no quoting in any program. */
const packed = ({ sign, agree }: StoredDevice): string => Buffer.from(JSON.stringify({ sign, agree })).toString('base64url');

/**
 * Returns the keys of this device; undefined if it has none yet.
 *
 * @throws SynapseError `unavailable` if the keychain that stores them does not return them
 */
export async function findDevice(configFolder: string, keychain: OptionalKeychain | undefined = systemKeychain()): Promise<StoredDevice | undefined> {
  const stored = readSecret(fileOf(configFolder), DeviceFile);
  if (stored === undefined || 'sign' in stored) return stored;
  const { identity } = stored;
  const secret = await keychain?.find(deviceId(identity));
  if (secret === undefined) {
    throw new SynapseError('unavailable', 'The keychain does not give out the key of this device.', { hint: 'Unlock the keychain, then try again.' });
  }
  return { identity, ...Keys.parse(JSON.parse(Buffer.from(secret, 'base64url').toString())) };
}

/** Returns the keys of this device, and creates them if missing. They are stored in the keychain, or else in a file with mode 0600. */
export async function ensureDevice(configFolder: string, keychain: OptionalKeychain | undefined = systemKeychain()): Promise<StoredDevice> {
  const known = await findDevice(configFolder, keychain);
  if (known !== undefined) return known;
  const device = await createDevice();
  const { identity } = device;
  const isKept = (await keychain?.store(deviceId(identity), packed(device))) === true;
  writeSecret(fileOf(configFolder), isKept ? { identity, keychain: true } : device);
  return device;
}
