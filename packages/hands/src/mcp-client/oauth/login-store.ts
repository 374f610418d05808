import type { AuthorizationServerMetadata, OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client';
import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { systemKeychain, type OptionalKeychain } from '../../state/optional-keychain.ts';
import { readSecret, writeSecret } from '../../state/secret-file.ts';

/** Checked by the SDK before they are stored. */
const METADATA = {
  authorizationServerMetadata: z.custom<AuthorizationServerMetadata>((value) => typeof value === 'object' && value !== null).optional(),
  resourceMetadata: z.custom<OAuthProtectedResourceMetadata>((value) => typeof value === 'object' && value !== null).optional(),
};

/** A stored login at an MCP server. Unknown fields stay as the SDK returned them. */
export const StoredLogin = z.object({
  /** URL of the server; the login is valid for this URL only. */
  server: z.string(),
  /** Registration of this client. */
  client: z.looseObject({ client_id: z.string(), issuer: z.string().optional() }).optional(),
  tokens: z
    .looseObject({
      access_token: z.string(),
      refresh_token: z.string().optional(),
      token_type: z.string(),
      scope: z.string().optional(),
      issuer: z.string().optional(),
    })
    .optional(),
  /** Scopes that the server found missing. */
  wantedScope: z.string().max(2_000).optional(),
  /** Where the server sends clients to log in. */
  discovery: z.looseObject({ authorizationServerUrl: z.string(), ...METADATA }).optional(),
});
export type StoredLogin = z.output<typeof StoredLogin>;

const LoginFile = z.union([StoredLogin.strict(), z.object({ server: z.string(), keychain: z.literal(true) })]);

/** Logins at MCP servers: in the keychain if there is one, else in files of mode 0600. */
export class LoginStore {
  readonly #folder: string;
  readonly #keychain: () => OptionalKeychain | undefined;
  readonly #onSecrets: (secrets: readonly string[]) => void;
  /** What is read right now, so that the keychain is asked once for all that wait. */
  readonly #reading = new Map<string, Promise<StoredLogin | undefined>>();

  /** @param onSecrets receives the tokens of each login that is read or stored, so that no record shows them */
  constructor(configFolder: string, onSecrets: (secrets: readonly string[]) => void, keychain: () => OptionalKeychain | undefined = systemKeychain) {
    this.#folder = join(configFolder, 'keys', 'mcp');
    this.#keychain = keychain;
    this.#onSecrets = onSecrets;
  }

  /**
   * Returns the login at a server; undefined if there is none, or if the keychain has it no more.
   *
   * @throws SynapseError `denied` for a file that others can read or change; `unavailable` for one that cannot be read, or for a keychain
   *   that is locked or does not answer
   */
  async find(server: string): Promise<StoredLogin | undefined> {
    const reading = this.#reading.get(server) ?? this.#read(server).finally(() => this.#forget(server, reading));
    this.#reading.set(server, reading);
    const login = await reading;
    if (login !== undefined) this.#onSecrets(secretsOf(login));
    return login;
  }

  /** A later look must not get what was read before a change. */
  #forget(server: string, reading = this.#reading.get(server)): void {
    if (this.#reading.get(server) === reading) this.#reading.delete(server);
  }

  async #read(server: string): Promise<StoredLogin | undefined> {
    const stored = readSecret(this.#file(server), LoginFile);
    if (stored === undefined || !('keychain' in stored)) return stored?.server === server ? stored : undefined;
    const secret = await this.#keychain()?.find(account(server));
    if (secret === undefined) return undefined;
    const login = StoredLogin.safeParse(JSON.parse(Buffer.from(secret, 'base64url').toString()));
    return login.success && login.data.server === server ? login.data : undefined;
  }

  async save(login: StoredLogin): Promise<void> {
    const { server } = login;
    this.#onSecrets(secretsOf(login));
    // Base64url needs no quoting in any program.
    const isKept = (await this.#keychain()?.store(account(server), Buffer.from(JSON.stringify(login)).toString('base64url'))) === true;
    writeSecret(this.#file(server), isKept ? { server, keychain: true } : login);
    this.#forget(server);
  }

  /** Returns whether there was one. */
  async remove(server: string): Promise<boolean> {
    const stored = readSecret(this.#file(server), LoginFile);
    if (stored === undefined) return false;
    if ('keychain' in stored) await this.#keychain()?.remove(account(server));
    rmSync(this.#file(server), { force: true });
    this.#forget(server);
    return true;
  }

  #file(server: string): string {
    return join(this.#folder, `${hash('sha256', server, 'hex').slice(0, 32)}.json`);
  }
}

function secretsOf({ tokens, client }: StoredLogin): string[] {
  return [tokens?.access_token, tokens?.refresh_token, client?.['client_secret']].filter((secret) => typeof secret === 'string');
}

const account = (server: string): string => `mcp-${hash('sha256', server, 'hex').slice(0, 32)}`;
