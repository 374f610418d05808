import { isSynapseError } from '@synapse/protocol';
import { KEYCHAINS } from './keychain-kinds.ts';
import { isProgram, keychain, type KeychainOptions } from './keychain.ts';

/** A keychain that is used if it works. */
export interface OptionalKeychain {
  /** Returns whether it keeps the value. */
  readonly store: (account: string, value: string) => Promise<boolean>;
  /**
   * Returns a value; undefined if there is none of this name.
   *
   * @throws SynapseError `unavailable` if it is locked or does not answer
   */
  readonly find: (account: string) => Promise<string | undefined>;
  readonly remove: (account: string) => Promise<void>;
}

/** Milliseconds after which a keychain counts as missing. It may be waiting for a prompt on a screen that does not exist. */
const OPTIONAL_MS = 5_000;

/** Whether something works that may fail as a keychain does. */
async function works(use: Promise<void>): Promise<boolean> {
  try {
    await use;
    return true;
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return false;
  }
}

/** Returns the keychain of this system, for what goes into a file where it fails; undefined if none is installed. */
export function systemKeychain(options: KeychainOptions = {}): OptionalKeychain | undefined {
  const { kind = KEYCHAINS[process.platform] } = options;
  if (kind?.programs.some(isProgram) !== true) return undefined;
  const { save, read, remove } = keychain({ answerMs: OPTIONAL_MS, ...options, kind });
  return {
    store: async (account, value) => await works(save(account, value)),
    find: async (account) => (await read(account)) || undefined,
    remove: async (account) => void (await works(remove(account))),
  };
}
