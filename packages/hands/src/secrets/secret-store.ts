import { isSynapseError, SynapseError } from '@synapse/protocol';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readSecret, writeSecret } from '../state/secret-file.ts';
import { secretSchema, type Secret } from './secret.ts';

const fileSchema = z.strictObject({ version: z.literal(1), secrets: z.array(secretSchema) });

/** The secrets of a user, in a file of the state folder that only this user can read and that no command sees. */
export class SecretStore {
  readonly file: string;
  /** What was read, and which version of the file that was. */
  #read: { readonly version: string; readonly secrets: readonly Secret[] } | undefined;

  constructor(stateFolder: string) {
    this.file = join(stateFolder, 'secrets.json');
  }

  /**
   * All secrets, by name. Reads the file again only after it changed.
   *
   * @throws SynapseError if others can read or change the file, or if it is damaged
   */
  list(): readonly Secret[] {
    const stat = statSync(this.file, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) return [];
    const version = `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
    if (this.#read?.version !== version) this.#read = { version, secrets: this.#load() };
    return this.#read.secrets;
  }

  /** Adds a secret. Returns whether one of this name was replaced. */
  add(secret: Secret): boolean {
    const others = this.list().filter(({ name }) => name !== secret.name);
    const replaced = others.length < this.list().length;
    this.#save([...others, secret]);
    return replaced;
  }

  /** Removes a secret. Returns whether there was one of this name. */
  remove(name: string): boolean {
    const before = this.list();
    const rest = before.filter((secret) => secret.name !== name);
    if (rest.length === before.length) return false;
    this.#save(rest);
    return true;
  }

  #load(): readonly Secret[] {
    try {
      return readSecret(this.file, fileSchema)?.secrets ?? [];
    } catch (error) {
      if (!isSynapseError(error) || error.code === 'denied') throw error;
      throw new SynapseError('unavailable', `${this.file} is damaged or cannot be read.`, { hint: 'Move it away, then add the secrets again.' });
    }
  }

  #save(secrets: readonly Secret[]): void {
    writeSecret(this.file, { version: 1, secrets: secrets.toSorted((one, other) => (one.name < other.name ? -1 : 1)) });
    this.#read = undefined;
  }
}
