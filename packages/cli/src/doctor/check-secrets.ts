import { defaultStateFolder, SecretStore } from '@synapse/hands/internal';
import { isSynapseError } from '@synapse/protocol';
import type { Finding } from './check.ts';

/** Checks where the secrets of commands are stored, and whether they can be read; nothing if there are none. */
export async function checkSecrets(store = new SecretStore(defaultStateFolder())): Promise<Finding[]> {
  try {
    const known = store.known();
    if (known.length === 0) return [];
    const inKeychain = known.filter(({ store: place }) => place === 'keychain').length;
    const inFile = known.length - inKeychain;
    const places = [
      ...(inFile > 0 ? [`${inFile} in ${store.file}, which only you can read`] : []),
      ...(inKeychain > 0 ? [`${inKeychain} in the keychain`] : []),
    ];
    // Asks the keychain.
    await store.list();
    return [{ ok: true, detail: places.join('; ') }];
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return [{ ok: false, detail: error.message, ...(error.hint === undefined ? {} : { fix: error.hint }) }];
  }
}
