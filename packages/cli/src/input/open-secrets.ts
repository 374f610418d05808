import { defaultStateFolder, FileLocks, SecretStore } from '@synapse/hands/internal';
import { join } from 'node:path';

/** Opens the secrets of this user. A change waits for those of other processes. */
export function openSecrets(signal: AbortSignal): SecretStore {
  const folder = defaultStateFolder();
  const locks = new FileLocks(join(folder, 'locks'));
  return new SecretStore(folder, { alone: async (work) => await locks.hold([join(folder, 'secrets.json')], signal, work) });
}
