import type { OAuthClientProvider, OAuthDiscoveryState } from '@modelcontextprotocol/client';
import { SynapseError } from '@synapse/protocol';
import type { OAuthSettings } from '../config/server-config.ts';
import type { LoginStore, StoredLogin } from './login-store.ts';

/** What a login is made from. */
export interface LoginParts {
  readonly store: LoginStore;
  /** URL of the server. */
  readonly server: string;
  readonly settings: OAuthSettings;
  /** Target of the browser's redirect, and the state it carries. */
  readonly redirectUrl: string;
  readonly state: string;
  readonly open: (url: URL) => void;
}

type Client = Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

/** Returns the configured client, if there is one. */
export function configuredClient({ clientId, clientSecret }: OAuthSettings): { client_id: string; client_secret?: string } | undefined {
  if (clientId === undefined) return undefined;
  return { client_id: clientId, ...(clientSecret === undefined ? {} : { client_secret: clientSecret }) };
}

/**
 * The SDK's interface for a login: the SDK finds the servers, registers and exchanges codes. A login starts fresh: it uses
 * nothing of an earlier one, which stays valid until the new one succeeds.
 */
export function loginProvider({ store, server, settings, redirectUrl, state, open }: LoginParts): OAuthClientProvider {
  let login: StoredLogin = { server };
  let discovery: OAuthDiscoveryState | undefined;
  let verifier: string | undefined;
  const configured = configuredClient(settings);
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'Synapse',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(settings.scopes === undefined ? {} : { scope: settings.scopes.join(' ') }),
    },
    state: () => state,
    clientInformation: (context): Client =>
      configured === undefined ? login.client : { ...configured, ...(context === undefined ? {} : { issuer: context.issuer }) },
    saveClientInformation: (client) => {
      if (configured === undefined) login = { ...login, client };
    },
    tokens: (): Tokens => undefined,
    saveTokens: async (tokens) => {
      login = { ...login, tokens, discovery: discovery === undefined ? undefined : { ...discovery } };
      await store.save(login);
    },
    discoveryState: () => discovery,
    saveDiscoveryState: (found) => {
      const { authorizationServerMetadata: metadata } = found;
      // Required by MCP: without PKCE, an intercepted code is as good as a password.
      if (metadata !== undefined && metadata.code_challenge_methods_supported?.includes('S256') !== true) {
        throw new SynapseError('denied', 'The login was not started: its server does not support PKCE.', { hint: 'Ask the operator of the server.' });
      }
      discovery = found;
    },
    saveCodeVerifier: (code) => void (verifier = code),
    codeVerifier: () => {
      if (verifier === undefined) throw new SynapseError('internal', 'The login has no code verifier.');
      return verifier;
    },
    redirectToAuthorization: open,
  };
}
