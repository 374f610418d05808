import { isSynapseError } from '@synapse/protocol';
import { spawnSync } from 'node:child_process';
import type { KeychainRun } from './keychain-kinds.ts';
import { isProgram, KeychainProgram, type KeychainOptions } from './keychain.ts';
import { KEYCHAINS } from './keychain-kinds.ts';

/** A keychain that is used if it works. */
export interface OptionalKeychain {
  /** Returns whether it keeps the value. */
  readonly store: (account: string, value: string) => boolean;
  readonly find: (account: string) => string | undefined;
  readonly remove: (account: string) => void;
}

/** Milliseconds after which a keychain counts as missing. It may be waiting for a prompt on a screen that does not exist. */
const OPTIONAL_MS = 5_000;

/** Returns the keychain of this system, for what goes into a file where it fails; undefined if none is installed. */
export function systemKeychain(options: Omit<KeychainOptions, 'signal'> = {}): OptionalKeychain | undefined {
  const { kind = KEYCHAINS[process.platform] } = options;
  if (kind?.programs.some(isProgram) !== true) return undefined;
  const keychain = new KeychainProgram({ answerMs: OPTIONAL_MS, ...options, kind });
  const ask = (run: KeychainRun): { status: number | null; stdout: string; stderr: string } => {
    const { program, words, input, options: how } = keychain.start(run);
    const { error, status, stdout, stderr } = spawnSync(program, words, { ...how, input, encoding: 'utf8', killSignal: 'SIGKILL' });
    const code = error !== undefined && 'code' in error ? error.code : undefined;
    // It may end without reading what it was given.
    if (error === undefined || code === 'EPIPE') return { status, stdout, stderr: stderr.trim() };
    throw keychain.unanswered(code === 'ETIMEDOUT');
  };
  const tried = <Result>(use: () => Result): Result | undefined => {
    try {
      return use();
    } catch (error) {
      if (!isSynapseError(error)) throw error;
      return undefined;
    }
  };
  const read = (account: string): string | undefined => keychain.valueIn(ask(kind.read(account)));
  return {
    store: (account, value) =>
      tried(() => {
        const outcome = ask(kind.save(account, value));
        keychain.assertSaved(outcome, value, outcome.status === 0 ? read(account) : undefined);
        return true;
      }) === true,
    find: (account) => tried(() => read(account)) || undefined,
    remove: (account) => tried(() => keychain.assertRemoved(ask(kind.remove(account)))),
  };
}
