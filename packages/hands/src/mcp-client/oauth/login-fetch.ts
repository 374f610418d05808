import type * as McpSdk from '@modelcontextprotocol/client';
import type { AuthProvider } from '@modelcontextprotocol/client';
import { SynapseError } from '@synapse/protocol';
import type { Fetch } from '../http/bounded-fetch.ts';
import type { HttpLaunch, OAuthSettings } from '../config/server-config.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { configuredClient } from './login-provider.ts';
import type { LoginStore } from './login-store.ts';

/** Error codes with which an authorization server ends a login. */
const ENDED: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

/** Returns the error for a server that requires a login. */
function loginNeeded(name: string, cause?: unknown): SynapseError {
  return new SynapseError('unavailable', `The MCP server ${name} wants you to log in: synapse mcp login ${name}`, {
    hint: `A person can do that: synapse mcp login ${name}`,
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * Sends the access token with each request, and refreshes it when it has expired, only at the server the user logged in
 * at. Never opens a browser: if a new login is needed, the error names the command.
 */
export function loginFor(sdk: typeof McpSdk, name: string, launch: HttpLaunch, settings: OAuthSettings, store: LoginStore): AuthProvider | undefined {
  // A configured header is a decision that an old login must not override.
  if (Object.keys(launch.headers).some((header) => header.toLowerCase() === 'authorization')) return undefined;
  const server = launch.url;
  let sent: string | undefined;
  let refreshing: Promise<void> | undefined;
  const asLoginNeeded = (error: unknown): unknown => (error instanceof sdk.OAuthError && ENDED.has(error.code) ? loginNeeded(name, error) : error);
  const refresh = async (): Promise<void> => {
    const login = await store.find(server);
    if (login?.tokens === undefined) throw loginNeeded(name);
    const { tokens, discovery, client = configuredClient(settings) } = login;
    // Another process refreshed it first: a refresh token may work only once.
    if (sent !== undefined && tokens.access_token !== sent) return;
    if (tokens.refresh_token === undefined || discovery === undefined || client === undefined) throw loginNeeded(name);
    const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = discovery;
    try {
      const fresh = await sdk.refreshAuthorization(authorizationServerUrl, {
        clientInformation: client,
        refreshToken: tokens.refresh_token,
        fetchFn: guardedFetch(new URL(server)).fetch,
        ...(metadata === undefined ? {} : { metadata }),
        ...(resourceMetadata === undefined ? {} : { resource: resourceMetadata.resource }),
      });
      await store.save({ ...login, tokens: { ...tokens, ...fresh } });
    } catch (error) {
      const known = (await store.find(server))?.tokens;
      if (known !== undefined && known.access_token !== tokens.access_token) return;
      throw asLoginNeeded(error);
    }
  };
  return {
    token: async () => (sent = (await store.find(server))?.tokens?.access_token),
    onUnauthorized: async () => {
      refreshing ??= refresh().finally(() => (refreshing = undefined));
      await refreshing;
    },
  };
}

/** Records the scopes that a server finds missing, for the next login. */
export function notingScopes(sdk: typeof McpSdk, { url }: HttpLaunch, store: LoginStore, inner: Fetch): Fetch {
  return async (address, init) => {
    const response = await inner(address, init);
    if (response.status !== 403) return response;
    const { error, scope } = sdk.extractWWWAuthenticateParams(response);
    const login = error === 'insufficient_scope' && scope !== undefined ? await store.find(url) : undefined;
    if (login !== undefined && login.wantedScope !== scope) await store.save({ ...login, wantedScope: scope });
    return response;
  };
}
