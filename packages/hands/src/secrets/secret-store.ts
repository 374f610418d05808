import { isSynapseError, SynapseError } from '@synapse/protocol';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { keychain, type Keychain } from '../state/keychain.ts';
import { readSecret, writeSecret } from '../state/secret-file.ts';
import { checkSecretValue } from './parse-place.ts';
import { secretSchema, type Secret, type SecretPlace } from './secret.ts';
import { unseenValues } from './unseen-values.ts';

/** A secret as the file has it: with its value, or with the entry of the keychain that has it. */
const storedSchema = secretSchema
  .extend({ value: z.string().optional(), keychain: z.string().optional() })
  .refine(({ value, keychain: entry }) => (value === undefined) !== (entry === undefined));
const fileSchema = z.strictObject({ version: z.literal(1), secrets: z.array(storedSchema) });

type StoredSecret = z.output<typeof storedSchema>;
/** Where the value of a secret is kept. */
export type ValuePlace = 'file' | 'keychain';
/** A secret without its value. */
export type KnownSecret = Omit<Secret, 'value'> & { readonly store: ValuePlace };

/** What a store of secrets requires. */
export interface SecretStoreParts {
  readonly openKeychain?: () => Keychain;
  /** Runs a change while no other process makes one. Default: nothing else changes the file. */
  readonly alone?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Milliseconds for which a keychain that failed is not asked again. */
const FAILED_MS = 30_000;
/** Milliseconds that results wait for a keychain: for the first time, and after it failed. One that is open answers within some tens. */
const MASK_WAIT_MS = { first: 1_000, again: 100 } as const;

/** The secrets of one version of the file, as the keychain is asked for them. */
interface Asked {
  readonly version: string;
  readonly answer: Promise<readonly Secret[]>;
  /** Ends with the answer, or after some time. */
  readonly forMasks: Promise<unknown>;
}

/** Whether this could have been added. A text of one character would be taken out of everything. */
function isSecretValue(value: string, places: readonly SecretPlace[]): boolean {
  try {
    const ways = places.map(({ as }) => as);
    return checkSecretValue(value, ways) === value;
  } catch (error) {
    if (!isSynapseError(error)) throw error;
    return false;
  }
}

/** The secrets of a user, in a file of the state folder that only this user can read and that no command sees, or in the keychain. */
export class SecretStore {
  readonly file: string;
  readonly #keychain: () => Keychain;
  readonly #alone: NonNullable<SecretStoreParts['alone']>;
  /** What was read, and which version of the file that was. */
  #stored: { readonly version: string; readonly secrets: readonly StoredSecret[] } | undefined;
  #read: { readonly version: string; readonly secrets: readonly Secret[] } | undefined;
  /** What a keychain gave that did not give all. */
  #some: readonly Secret[] = [];
  #failed: { readonly version: string; readonly error: unknown; readonly until: number } | undefined;
  #asked: Asked | undefined;

  constructor(stateFolder: string, { openKeychain = keychain, alone = async (work) => await work() }: SecretStoreParts = {}) {
    this.file = join(stateFolder, 'secrets.json');
    this.#keychain = openKeychain;
    this.#alone = alone;
  }

  /**
   * All secrets, by name. Reads the file again only after it changed. A keychain is asked once, for all that wait.
   *
   * @throws SynapseError if others can read or change the file, if it is damaged, or if the keychain does not give a value
   */
  async list(): Promise<readonly Secret[]> {
    const { version, secrets } = this.#entries();
    if (this.#read?.version === version) return this.#read.secrets;
    if (this.#failed?.version === version && this.#failed.until > performance.now()) throw this.#failed.error;
    return await this.#ask(version, secrets).answer;
  }

  /** The values to take out of results: also those that were known before, if the keychain or the file fails now. */
  async values(): Promise<readonly string[]> {
    const listed = this.list().catch(() => {
      // Commands say what is wrong, and do not run.
    });
    // A keychain that does not answer must not hold up every result.
    await Promise.race([listed, this.#asked?.forMasks]);
    const { version, secrets } = this.#stored ?? { version: '', secrets: this.#readable() };
    if (this.#read?.version === version) return this.#read.secrets.flatMap(unseenValues);
    const inFile = secrets.flatMap(({ value, places }) =>
      value === undefined || !isSecretValue(value, places) ? [] : unseenValues({ value, places }),
    );
    const known = [...(this.#read?.secrets ?? []), ...this.#some];
    return [...new Set([...inFile, ...known.flatMap(unseenValues)])];
  }

  /** All secrets without their values, by name. Does not ask the keychain. */
  known(): readonly KnownSecret[] {
    return this.#entries().secrets.map(({ name, also, texts, places, added, value }) => {
      return { name, also, texts, places, added, store: value === undefined ? 'keychain' : 'file' };
    });
  }

  /** Adds a secret. Returns whether one of this name was replaced. */
  async add({ value, ...secret }: Secret, store: ValuePlace = 'file'): Promise<boolean> {
    // A name of its own: while the file names the earlier entry, that one is used.
    const entry = `${secret.name} ${randomBytes(4).toString('hex')}`;
    if (store === 'keychain') await this.#keychain().save(entry, value);
    let before: readonly StoredSecret[];
    try {
      before = await this.#change((secrets) => {
        const others = secrets.filter(({ name }) => name !== secret.name);
        return [...others, store === 'keychain' ? { ...secret, keychain: entry } : { ...secret, value }];
      });
    } catch (error) {
      // No file would ever name this entry.
      if (store === 'keychain') await this.#keychain().remove(entry);
      throw error;
    }
    const replaced = before.find(({ name }) => name === secret.name);
    await this.#forget(replaced);
    return replaced !== undefined;
  }

  /** Removes a secret. Returns whether there was one of this name. */
  async remove(name: string): Promise<boolean> {
    const before = await this.#change((secrets) => secrets.filter((secret) => secret.name !== name));
    const removed = before.find((secret) => secret.name === name);
    await this.#forget(removed);
    return removed !== undefined;
  }

  /** Changes the file. Returns what it had before. */
  async #change(change: (secrets: readonly StoredSecret[]) => readonly StoredSecret[]): Promise<readonly StoredSecret[]> {
    return await this.#alone(async () => {
      const before = this.#entries().secrets;
      const after = change(before);
      if (after.length !== before.length || after.some((secret) => !before.includes(secret))) {
        writeSecret(this.file, { version: 1, secrets: after.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
        this.#stored = undefined;
      }
      return before;
    });
  }

  /** Removes what the keychain has of a secret that the file does not name anymore. */
  async #forget(secret: StoredSecret | undefined): Promise<void> {
    if (secret?.keychain === undefined) return;
    try {
      await this.#keychain().remove(secret.keychain);
    } catch (error) {
      const why = isSynapseError(error) ? ` ${error.message}` : '';
      throw new SynapseError(
        'unavailable',
        `Synapse does not use the earlier value anymore, but the keychain still has it as "${secret.keychain}".${why}`,
        {
          hint: 'Remove this entry of the service "synapse" with the program of the keychain.',
        },
      );
    }
  }

  #ask(version: string, secrets: readonly StoredSecret[]): Asked {
    if (this.#asked?.version === version) return this.#asked;
    const answer = this.#answer(version, secrets);
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, MASK_WAIT_MS[this.#failed?.version === version ? 'again' : 'first']);
    const forMasks = Promise.race([late, answer.catch(() => {})]).finally(() => clearTimeout(timer));
    const asked = { version, answer, forMasks };
    this.#asked = asked;
    const onEnd = (): void => {
      if (this.#asked === asked) this.#asked = undefined;
    };
    void answer.then(onEnd, onEnd);
    return asked;
  }

  async #answer(version: string, secrets: readonly StoredSecret[]): Promise<readonly Secret[]> {
    const ended = await Promise.allSettled(secrets.map(async (secret) => await this.#withValue(secret)));
    const found = ended.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed === undefined) {
      this.#read = { version, secrets: found };
      return found;
    }
    // They are masked, whatever the others are.
    this.#some = found;
    this.#failed = { version, error: failed.reason, until: performance.now() + FAILED_MS };
    throw failed.reason;
  }

  async #withValue({ value, keychain: entry, ...secret }: StoredSecret): Promise<Secret> {
    const found = entry === undefined ? value : await this.#keychain().read(entry);
    if (found === undefined || found === '') {
      throw new SynapseError('unavailable', `The keychain does not have ${secret.name} anymore.`, {
        hint: `Add it again, or remove it: synapse secrets remove ${secret.name}`,
      });
    }
    // Something else may have written it.
    if (isSecretValue(found, secret.places)) return { ...secret, value: found };
    throw new SynapseError('unavailable', `What is stored of ${secret.name} cannot be a secret: something else changed it.`, {
      hint: `Add it again, or remove it: synapse secrets remove ${secret.name}`,
    });
  }

  #entries(): { readonly version: string; readonly secrets: readonly StoredSecret[] } {
    const stat = statSync(this.file, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return (this.#stored = { version: '', secrets: [] });
    const version = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    if (this.#stored?.version !== version) this.#stored = { version, secrets: this.#load() };
    return this.#stored;
  }

  /** What a file has that others can read, or change: it is hidden, and not used. */
  #readable(): readonly StoredSecret[] {
    try {
      return readSecret(this.file, fileSchema, true)?.secrets ?? [];
    } catch (error) {
      if (!isSynapseError(error)) throw error;
      // Commands say what is wrong with it, and do not run.
      return [];
    }
  }

  #load(): readonly StoredSecret[] {
    try {
      return readSecret(this.file, fileSchema)?.secrets ?? [];
    } catch (error) {
      if (!isSynapseError(error) || error.code === 'denied') throw error;
      throw new SynapseError('unavailable', `${this.file} is damaged or cannot be read.`, { hint: 'Move it away, then add the secrets again.' });
    }
  }
}
