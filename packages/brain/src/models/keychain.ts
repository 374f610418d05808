import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

/** A command-line program that reads a keychain, and its arguments. */
export interface Keychain {
  readonly program: string;
  readonly read: (account: string) => readonly string[];
  /** The command with which a user stores a key. */
  readonly store: (account: string) => string;
}

/** The service name that keys are stored under. */
const SERVICE = 'synapse';
/** Milliseconds to wait for the keychain. A locked keychain may prompt the user. */
const WAIT_MS = 30_000;

const SECRET_SERVICE = {
  read: (account: string) => ['lookup', 'service', SERVICE, 'account', account],
  store: (account: string) => `secret-tool store --label=Synapse service ${SERVICE} account ${account}`,
};
const MAC = {
  read: (account: string) => ['find-generic-password', '-s', SERVICE, '-a', account, '-w'],
  store: (account: string) => `security add-generic-password -s ${SERVICE} -a ${account} -w`,
};

/** Absolute paths, because under npm the PATH starts with folders that a project can write to. */
const KEYCHAINS: readonly Keychain[] = [
  { program: '/usr/bin/security', ...MAC },
  { program: '/usr/bin/secret-tool', ...SECRET_SERVICE },
  { program: '/usr/local/bin/secret-tool', ...SECRET_SERVICE },
  { program: '/run/current-system/sw/bin/secret-tool', ...SECRET_SERVICE },
];

/** Returns the keychain of this machine; undefined if none is installed. */
export function findKeychain(keychains: readonly Keychain[] = KEYCHAINS): Keychain | undefined {
  return keychains.find(({ program }) => existsSync(program));
}

/** Reads a key. Returns undefined if it is missing, the keychain is locked, or it does not answer in time. */
export async function readKeychain({ program, read }: Keychain, account: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, [...read(account)], { timeout: WAIT_MS });
    const key = stdout.trim();
    return key === '' ? undefined : key;
  } catch {
    // No entry, or no session to prompt in. The error that follows says how to set the key.
    return undefined;
  }
}
