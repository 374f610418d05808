import { SynapseError } from '@synapse/protocol';
import { execFile, type ExecFileException } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { KEYCHAINS, type KeychainKind, type KeychainRun } from './keychain-kinds.ts';

/** Milliseconds for the keychain. One that asks its user to unlock it takes longer, and is asked again. */
const ANSWER_MS = 10_000;
/** Bytes that it may answer: more than a secret can have. */
const MAX_ANSWER = 64 * 1024;
/** What programs of keychains need to find the session of the user. Nothing else of the environment concerns them. */
const VARIABLES = ['HOME', 'USER', 'DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR', 'DISPLAY', 'WAYLAND_DISPLAY', 'XAUTHORITY'];

export function isProgram(path: string): boolean {
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
  readonly save: (account: string, value: string) => Promise<void>;
  /** Returns a value; undefined if there is none of this name. */
  readonly read: (account: string) => Promise<string | undefined>;
  /** Removes a value, if there is one. */
  readonly remove: (account: string) => Promise<void>;
}

export interface KeychainOptions {
  readonly kind?: KeychainKind | undefined;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly answerMs?: number;
  /** Ends what is asked. Default: nothing does. */
  readonly signal?: AbortSignal;
}

/** What a program of a keychain said. */
interface Outcome {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a program of a keychain is started. */
interface KeychainStart {
  readonly program: string;
  readonly words: readonly string[];
  readonly input: string;
  readonly options: { readonly env: Record<string, string>; readonly cwd: string; readonly timeout: number };
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Whether there was no such entry: secret-tool says nothing then, and `security` ends with 44. */
const isMissing = ({ status, stderr }: Outcome): boolean => status === 44 || (status === 1 && stderr === '');

/** The keychain of this system, before it is asked, and what its answers mean. */
class KeychainProgram {
  readonly kind: KeychainKind;
  readonly #answerMs: number;
  readonly #environment: NonNullable<KeychainOptions['environment']>;

  /** @throws SynapseError `unavailable` if no keychain is known for this system */
  constructor({ kind = KEYCHAINS[process.platform], environment = process.env, answerMs = ANSWER_MS }: KeychainOptions) {
    if (kind === undefined)
      throw new SynapseError('unavailable', 'Synapse knows no keychain for this system.', { hint: 'Store the secret in the file: --store file.' });
    this.kind = kind;
    this.#answerMs = answerMs;
    this.#environment = environment;
  }

  /** @throws SynapseError `unavailable` if its program is not installed */
  start({ words, input = '' }: KeychainRun): KeychainStart {
    const { name, install, programs } = this.kind;
    const program = programs.find(isProgram);
    if (program === undefined) throw new SynapseError('unavailable', `The program of ${name} is not installed.`, { hint: install });
    const env = Object.fromEntries(
      VARIABLES.flatMap((variable) => {
        const value = this.#environment[variable];
        return value === undefined ? [] : [[variable, value]];
      }),
    );
    return { program, words, input, options: { env, cwd: '/', timeout: this.#answerMs } };
  }

  /** The error for a program that could not be asked, or did not answer. */
  unanswered(isLate: boolean): SynapseError {
    const why = isLate ? `did not answer in ${this.#answerMs / 1_000} seconds` : 'could not be asked';
    return new SynapseError('unavailable', `${capital(this.kind.name)} ${why}.`, { hint: 'Unlock it, and try again.' });
  }

  /** The value in an answer. */
  valueIn(outcome: Outcome): string | undefined {
    if (outcome.status === 0) return outcome.stdout.replace(/\n$/u, '');
    if (isMissing(outcome)) return undefined;
    throw this.failed(outcome);
  }

  assertRemoved(outcome: Outcome): void {
    if (outcome.status !== 0 && !isMissing(outcome)) throw this.failed(outcome);
  }

  /** @param found what the keychain says of the entry afterwards: the interactive mode of macOS ends well also after a failure */
  assertSaved(outcome: Outcome, value: string, found: string | undefined): void {
    // What it says may repeat what it read.
    if (outcome.status !== 0 || found !== value) throw this.failed({ ...outcome, stderr: outcome.stderr.replaceAll(value, '****') });
  }

  failed({ stderr }: Outcome): SynapseError {
    const why = stderr.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
    return new SynapseError('unavailable', `${capital(this.kind.name)} cannot be used${why === '' ? '' : `: ${why}`}.`, {
      hint: 'See that it runs in this session and is unlocked, or store the secret in the file: --store file.',
    });
  }
}

const isExit = (error: ExecFileException): boolean => typeof error.code === 'number' || (error.signal ?? undefined) !== undefined;

/** Asks, while everything else goes on. */
async function ask(keychain: KeychainProgram, run: KeychainRun, signal: AbortSignal | undefined): Promise<Outcome> {
  const { program, words, input, options } = keychain.start(run);
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
  const limits = { encoding: 'utf8', killSignal: 'SIGKILL', maxBuffer: MAX_ANSWER } as const;
  const child = execFile(program, words, { ...options, ...limits, ...(signal === undefined ? {} : { signal }) }, (error, stdout, stderr) => {
    const outcome = { status: error === null ? 0 : typeof error.code === 'number' ? error.code : null, stdout, stderr: stderr.trim() };
    if (error === null || (error.killed !== true && isExit(error))) resolve(outcome);
    else reject(keychain.unanswered(error.killed === true && signal?.aborted !== true && typeof error.code !== 'string'));
  });
  // It may end without reading what it was given.
  child.stdin?.on('error', () => {}).end(input);
  return await promise;
}

/**
 * The keychain of this user.
 *
 * @throws SynapseError `unavailable` from each function, if it is missing, locked, or does not answer
 */
export function keychain(given: KeychainOptions = {}): Keychain {
  const read = async (account: string): Promise<string | undefined> => {
    const program = new KeychainProgram(given);
    return program.valueIn(await ask(program, program.kind.read(account), given.signal));
  };
  return {
    read,
    async save(account, value) {
      const program = new KeychainProgram(given);
      const outcome = await ask(program, program.kind.save(account, value), given.signal);
      program.assertSaved(outcome, value, outcome.status === 0 ? await read(account) : undefined);
    },
    async remove(account) {
      const program = new KeychainProgram(given);
      program.assertRemoved(await ask(program, program.kind.remove(account), given.signal));
    },
  };
}
