import { randomBytes } from 'node:crypto';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { until } from '../../events/timing.ts';
import type { HttpLaunch, OAuthSettings } from '../config/server-config.ts';
import { displayText } from '../../workspace/byte-name.ts';
import { guardedFetch, refusalOfAddress } from './guarded-fetch.ts';
import { loginProvider } from './login-provider.ts';
import type { LoginStore } from './login-store.ts';

/** Options of a login. */
export interface LoginOptions {
  /** Shows the URL to the user, or opens it in the browser. */
  readonly open: (url: string) => void;
  /** Stops waiting. */
  readonly signal: AbortSignal;
}

/** A server, and where its login is stored. */
export interface LoginPlace {
  readonly name: string;
  readonly launch: HttpLaunch;
  readonly settings: OAuthSettings;
  readonly store: LoginStore;
}

/** Maximum number of characters shown of a server's error. */
const MAX_SAID = 300;

/** Sends a request without a token: the response names the metadata and the required scopes. */
async function challengeOf(url: URL, fetch: (url: URL, init: RequestInit) => Promise<Response>): Promise<Response> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'synapse', version: '1' } },
  });
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body,
  });
  await response.body?.cancel();
  return response;
}

/** The error for a login that failed. A refusal says more than the failure that follows from it. */
function loginError(name: string, error: unknown, refused: SynapseError | undefined): SynapseError {
  const known = refused ?? (isSynapseError(error) ? error : undefined);
  if (known !== undefined) return known;
  const said = error instanceof Error ? displayText(error.message.slice(0, MAX_SAID)) : 'no reason is known';
  return new SynapseError('unavailable', `The login at ${name} failed: ${said.replace(/\.$/u, '')}.`, {
    hint: 'Start it again; if it fails again, set "oauth": { "clientId": … } as the server demands it.',
    cause: error,
  });
}

/**
 * Lets the user log in at an MCP server: finds its authorization server, registers if necessary, opens the browser with
 * PKCE, and stores the tokens.
 *
 * @throws SynapseError `denied` if a response violates the requirements, `unavailable` if the servers fail
 */
export async function logIn({ name, launch, settings, store }: LoginPlace, { open, signal }: LoginOptions): Promise<void> {
  const { auth, computeScopeUnion, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const url = new URL(launch.url);
  const problem = refusalOfAddress(url, url);
  if (problem !== undefined) throw new SynapseError('denied', `The login was not started: ${problem}.`, { hint: 'Use https for the server.' });
  const guard = guardedFetch(url);
  const state = randomBytes(24).toString('base64url');
  // Node's HTTP takes a quarter of the load time and memory of the library, and logins are rare.
  const { openLoopbackRedirect } = await import('./loopback-redirect.ts');
  await using redirect = await openLoopbackRedirect(state, settings.callbackPort);
  const openChecked = (address: URL): void => {
    const bad = refusalOfAddress(address, url);
    const refused =
      guard.refused() ??
      (bad === undefined ? undefined : new SynapseError('denied', `The login was not started: ${bad}.`, { hint: 'Ask the operator of the server.' }));
    if (refused !== undefined) throw refused;
    open(address.href);
  };
  const provider = loginProvider({ store, server: launch.url, settings, redirectUrl: redirect.url, state, open: openChecked });
  try {
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(await challengeOf(url, guard.fetch));
    const before = await store.find(launch.url);
    // The scopes of the last login and the missing ones, so that the new login covers both.
    const wanted =
      settings.scopes?.join(' ') ?? (before?.wantedScope === undefined ? scope : computeScopeUnion(scope, before.tokens?.scope, before.wantedScope));
    const options = {
      serverUrl: launch.url,
      fetchFn: guard.fetch,
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }),
      ...(wanted === undefined || wanted === '' ? {} : { scope: wanted }),
    };
    await auth(provider, options);
    const { code, issuer } = await until(redirect.answer, signal);
    await auth(provider, { ...options, authorizationCode: code, ...(issuer === undefined ? {} : { iss: issuer }) });
  } catch (error) {
    throw loginError(name, error, guard.refused());
  }
}
