import { isSynapseError, SynapseError } from '@synapse/protocol';
import { randomBytes } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { keychain, type Keychain } from '../state/keychain.ts';
import { readSecret, writeSecret } from '../state/secret-file.ts';
import { secretSchema, type Secret } from './secret.ts';

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

/** Milliseconds for which a keychain that failed is not asked again: all of Synapse waits for its answer. */
const FAILED_MS = 30_000;

/** The secrets of a user, in a file of the state folder that only this user can read and that no command sees, or in the keychain. */
export class SecretStore {
  readonly file: string;
  readonly #keychain: () => Keychain;
  /** What was read, and which version of the file that was. */
  #stored: { readonly version: string; readonly secrets: readonly StoredSecret[] } | undefined;
  #read: { readonly version: string; readonly secrets: readonly Secret[] } | undefined;
  #failed: { readonly version: string; readonly error: unknown; readonly until: number } | undefined;

  constructor(stateFolder: string, openKeychain: () => Keychain = keychain) {
    this.file = join(stateFolder, 'secrets.json');
    this.#keychain = openKeychain;
  }

  /**
   * All secrets, by name. Reads the file again only after it changed.
   *
   * @throws SynapseError if others can read or change the file, if it is damaged, or if the keychain does not give a value
   */
  list(): readonly Secret[] {
    const { version, secrets } = this.#entries();
    if (this.#read?.version === version) return this.#read.secrets;
    if (this.#failed?.version === version && this.#failed.until > Date.now()) throw this.#failed.error;
    try {
      this.#read = { version, secrets: secrets.map((secret) => this.#withValue(secret)) };
    } catch (error) {
      this.#failed = { version, error, until: Date.now() + FAILED_MS };
      throw error;
    }
    return this.#read.secrets;
  }

  /** The values to take out of results: also those that were known before, if the keychain or the file fails now. */
  values(): readonly string[] {
    try {
      return this.list().map(({ value }) => value);
    } catch {
      // Commands say what is wrong, and do not run.
      const inFile = this.#stored?.secrets.flatMap(({ value }) => value ?? []) ?? [];
      return [...new Set([...inFile, ...(this.#read?.secrets ?? []).map(({ value }) => value)])];
    }
  }

  /** All secrets without their values, by name. Does not ask the keychain. */
  known(): readonly KnownSecret[] {
    return this.#entries().secrets.map(({ name, also, texts, places, added, value }) => {
      return { name, also, texts, places, added, store: value === undefined ? 'keychain' : 'file' };
    });
  }

  /** Adds a secret. Returns whether one of this name was replaced. */
  add({ value, ...secret }: Secret, store: ValuePlace = 'file'): boolean {
    const before = this.#entries().secrets;
    const others = before.filter(({ name }) => name !== secret.name);
    // A name of its own: while the file names the earlier entry, that one is used.
    const entry = `${secret.name} ${randomBytes(4).toString('hex')}`;
    if (store === 'keychain') this.#keychain().save(entry, value);
    try {
      this.#save([...others, store === 'keychain' ? { ...secret, keychain: entry } : { ...secret, value }]);
    } catch (error) {
      // No file would ever name this entry.
      if (store === 'keychain') this.#keychain().remove(entry);
      throw error;
    }
    this.#forget(before.find(({ name }) => name === secret.name));
    return others.length < before.length;
  }

  /** Removes a secret. Returns whether there was one of this name. */
  remove(name: string): boolean {
    const before = this.#entries().secrets;
    const removed = before.find((secret) => secret.name === name);
    if (removed === undefined) return false;
    this.#save(before.filter((secret) => secret !== removed));
    this.#forget(removed);
    return true;
  }

  /** Removes what the keychain has of a secret that the file does not name anymore. */
  #forget(secret: StoredSecret | undefined): void {
    if (secret?.keychain === undefined) return;
    try {
      this.#keychain().remove(secret.keychain);
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

  #withValue({ value, keychain: entry, ...secret }: StoredSecret): Secret {
    const found = entry === undefined ? value : this.#keychain().read(entry);
    if (found !== undefined && found !== '') return { ...secret, value: found };
    throw new SynapseError('unavailable', `The keychain does not have ${secret.name} anymore.`, {
      hint: `Add it again, or remove it: synapse secrets remove ${secret.name}`,
    });
  }

  #entries(): { readonly version: string; readonly secrets: readonly StoredSecret[] } {
    const stat = statSync(this.file, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return { version: '', secrets: [] };
    const version = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    if (this.#stored?.version !== version) this.#stored = { version, secrets: this.#load() };
    return this.#stored;
  }

  #load(): readonly StoredSecret[] {
    try {
      return readSecret(this.file, fileSchema)?.secrets ?? [];
    } catch (error) {
      if (!isSynapseError(error) || error.code === 'denied') throw error;
      throw new SynapseError('unavailable', `${this.file} is damaged or cannot be read.`, { hint: 'Move it away, then add the secrets again.' });
    }
  }

  #save(secrets: readonly StoredSecret[]): void {
    writeSecret(this.file, { version: 1, secrets: secrets.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
    this.#stored = undefined;
    this.#read = undefined;
  }
}
