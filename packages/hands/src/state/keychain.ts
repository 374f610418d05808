import { isSynapseError, SynapseError } from '@synapse/protocol';
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { KEYCHAINS, type KeychainKind, type KeychainRun } from './keychain-kinds.ts';

/** Milliseconds for the keychain: all of Synapse waits meanwhile. One that asks its user to unlock it takes longer, and is asked again. */
const ANSWER_MS = 10_000;
/** What programs of keychains need to find the session of the user. Nothing else of the environment concerns them. */
const VARIABLES = ['HOME', 'USER', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing: the next place.
    return false;
  }
}

/** Where values are kept that are not in a file. */
export interface Keychain {
  /** Saves a value, in place of an earlier one. */
  readonly save: (account: string, value: string) => void;
  /** Returns a value; undefined if there is none of this name. */
  readonly read: (account: string) => string | undefined;
  /** Removes a value, if there is one. */
  readonly remove: (account: string) => void;
}

export interface KeychainOptions {
  readonly kind?: KeychainKind | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly answerMs?: number;
}

/**
 * The keychain of this user.
 *
 * @throws SynapseError `unavailable` from each function, if it is missing, locked, or does not answer
 */
export function keychain({ kind = KEYCHAINS[process.platform], environment = process.env, answerMs = ANSWER_MS }: KeychainOptions = {}): Keychain {
  const needed = (): KeychainKind => {
    if (kind !== undefined) return kind;
    throw new SynapseError('unavailable', 'Synapse knows no keychain for this system.', { hint: 'Store the secret in the file: --store file.' });
  };
  const run = ({ words, input = '' }: KeychainRun): Outcome => {
    const { name, install, programs } = needed();
    const program = programs.find(isProgram);
    if (program === undefined) throw new SynapseError('unavailable', `The program of ${name} is not installed.`, { hint: install });
    const env = Object.fromEntries(VARIABLES.flatMap((variable) => (environment[variable] === undefined ? [] : [[variable, environment[variable]]])));
    const done = spawnSync(program, words, { input, env, cwd: '/', encoding: 'utf8', timeout: answerMs, killSignal: 'SIGKILL' });
    const code = done.error !== undefined && 'code' in done.error ? done.error.code : undefined;
    // It may end without reading what it was given.
    if (done.error === undefined || code === 'EPIPE') return { status: done.status, stdout: done.stdout, stderr: done.stderr.trim() };
    const isLate = code === 'ETIMEDOUT';
    throw new SynapseError('unavailable', `${capital(name)} ${isLate ? `did not answer in ${answerMs / 1_000} seconds` : 'could not be asked'}.`, {
      hint: 'Unlock it, and try again.',
    });
  };
  const failed = ({ stderr }: Outcome): SynapseError => {
    const why = stderr.split('\n', 1)[0]?.slice(0, 200) ?? '';
    return new SynapseError('unavailable', `${capital(needed().name)} cannot be used${why === '' ? '' : `: ${why}`}.`, {
      hint: 'See that it runs in this session and is unlocked, or store the secret in the file: --store file.',
    });
  };
  const read = (account: string): string | undefined => {
    const outcome = run(needed().read(account));
    if (outcome.status === 0) return outcome.stdout.replace(/\n$/u, '');
    if (isMissing(outcome)) return undefined;
    throw failed(outcome);
  };
  return {
    read,
    save(account, value) {
      const outcome = run(needed().save(account, value));
      // The interactive mode of macOS ends well also after a failure. What it says may repeat what it read.
      if (outcome.status !== 0 || read(account) !== value) throw failed({ ...outcome, stderr: outcome.stderr.replaceAll(value, '****') });
    },
    remove(account) {
      const outcome = run(needed().remove(account));
      if (outcome.status !== 0 && !isMissing(outcome)) throw failed(outcome);
    },
  };
}

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
export function systemKeychain(options: KeychainOptions = {}): OptionalKeychain | undefined {
  const { kind = KEYCHAINS[process.platform] } = options;
  if (kind?.programs.some(isProgram) !== true) return undefined;
  const { save, read, remove } = keychain({ answerMs: OPTIONAL_MS, ...options });
  const tried = <Result>(use: () => Result): Result | undefined => {
    try {
      return use();
    } catch (error) {
      if (!isSynapseError(error)) throw error;
      return undefined;
    }
  };
  return {
    store: (account, value) =>
      tried(() => {
        save(account, value);
        return true;
      }) === true,
    find: (account) => tried(() => read(account)) || undefined,
    remove: (account) => tried(() => remove(account)),
  };
}

interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Whether there was no such entry: secret-tool says nothing then, and `security` ends with 44. */
const isMissing = ({ status, stderr }: Outcome): boolean => status === 44 || (status === 1 && stderr === '');
