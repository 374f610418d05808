import { readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../../testing/temporary-hands.ts';
import type { OAuthTrait } from '../fixtures/authorization-server.ts';
import { startOAuthServer } from '../fixtures/oauth-server.ts';
import { marked } from '../fixtures/marked-output.ts';

const never = new AbortController().signal;

/** A person whose browser goes where it is led. */
const browser = (url: string): void => void fetch(url).catch(() => {});

interface Place extends TemporaryHands {
  readonly configFolder: string;
}

async function openPlace(url: string, more: object = {}): Promise<Place> {
  const configFolder = await mkdtemp(join(tmpdir(), 'synapse-config-'));
  const place = await temporaryHands(
    {},
    { configFolder, policy: { allow: ['mcp(*)'] }, mcp: { files: false, connect: 'demand', servers: { guarded: { url, ...more } } } },
  );
  const dispose = async (): Promise<void> => {
    await place[Symbol.asyncDispose]();
    await rm(configFolder, { recursive: true });
  };
  return { ...place, configFolder, [Symbol.asyncDispose]: dispose };
}

const secret = (place: TemporaryHands) => place.hands.call('mcp:guarded:secret', {});

describe('a login at an MCP server', () => {
  it('is asked for with what to type, and then made, kept, refreshed and forgotten', async () => {
    await using server = await startOAuthServer();
    await using place = await openPlace(server.url);
    const { hands } = place;
    expect(await hands.mcp.test('guarded')).toMatchObject({ state: 'failed', reason: expect.stringContaining('wants you to log in') as string });
    expect(await secret(place)).toMatchObject({ ok: false, error: { hint: expect.stringContaining('synapse mcp') as string } });
    expect(server.clients).toHaveLength(1);

    expect(await hands.mcp.logIn('guarded', { open: browser, signal: never })).toMatchObject({ state: 'ready', tools: ['mcp:guarded:secret'] });
    expect(server.clients[1]).toMatchObject({
      client_name: 'Synapse',
      redirect_uris: [expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/u)],
    });
    expect(await secret(place)).toMatchObject({ ok: true, output: marked('the secret') });

    const [file = ''] = readdirSync(join(place.configFolder, 'keys', 'mcp'));
    const token = /"access_token":\s*"(?<token>[^"]+)"/u.exec(readFileSync(join(place.configFolder, 'keys', 'mcp', file), 'utf8'))?.groups?.['token'];
    // A token that comes back in a call is in no record.
    const given = token ?? expect.fail('no token was kept');
    await hands.call('mcp:guarded:secret', { note: `it is ${given}` });
    const audit = join(place.folder, '../state/audit');
    const files = readdirSync(audit, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
    const records = files.map((name) => readFileSync(join(audit, name), 'utf8')).join('');
    expect(records).toContain('it is [redacted]');
    expect(records).not.toContain(given);

    server.expire();
    expect(await secret(place)).toMatchObject({ ok: true, output: marked('the secret') });
    expect(server.requests.filter((line) => line === 'grant refresh_token')).toHaveLength(1);

    server.expire();
    server.revoke();
    const ended = await secret(place);
    expect(ended).toMatchObject({
      ok: false,
      error: {
        message: expect.stringContaining('wants you to log in') as string,
        hint: expect.stringContaining('synapse mcp login guarded') as string,
      },
    });
    expect(server.clients).toHaveLength(2);
    expect(await hands.mcp.logOut('guarded')).toBe(true);
    expect(await hands.mcp.logOut('guarded')).toBe(false);
  });

  it('is kept in a file that only its owner reads, for that address alone', async () => {
    await using server = await startOAuthServer();
    await using place = await openPlace(server.url);
    await place.hands.mcp.logIn('guarded', { open: browser, signal: never });
    const folder = join(place.configFolder, 'keys', 'mcp');
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    expect(readFileSync(join(folder, name), 'utf8')).toContain('access-');
    await using elsewhere = await startOAuthServer();
    await using other = await openPlace(elsewhere.url);
    expect(await other.hands.mcp.test('guarded')).toMatchObject({ state: 'failed' });
  });

  it('uses a client that is registered already', async () => {
    await using server = await startOAuthServer(['no registration']);
    await using place = await openPlace(server.url, { oauth: { clientId: 'known' } });
    expect(await place.hands.mcp.logIn('guarded', { open: browser, signal: never })).toMatchObject({ state: 'ready' });
    expect(server.clients).toHaveLength(1);
  });

  it('works where the server says nothing of its issuer, and gives no refresh token', async () => {
    await using server = await startOAuthServer(['no iss', 'no refresh']);
    await using place = await openPlace(server.url);
    expect(await place.hands.mcp.logIn('guarded', { open: browser, signal: never })).toMatchObject({ state: 'ready' });
    server.expire();
    expect(await secret(place)).toMatchObject({ ok: false, error: { hint: expect.stringContaining('synapse mcp login') as string } });
  });

  it.each<[OAuthTrait, RegExp, string]>([
    ['wrong issuer', /issuer/iu, 'GET /authorize'],
    ['other iss', /issuer|iss\b/iu, 'grant authorization_code'],
    ['metadata redirects', /leads elsewhere/u, 'GET /authorize'],
    ['plain metadata', /attacker\.example\/metadata is not encrypted/u, 'GET /authorize'],
    ['plain authorization', /attacker\.example\/authorize is not encrypted/u, 'GET /authorize'],
    ['script authorization', /holds a password/u, 'GET /authorize'],
    ['no pkce', /PKCE/u, 'GET /authorize'],
    ['plain pkce', /PKCE/u, 'GET /authorize'],
    ['token redirects', /leads elsewhere/u, 'POST /nowhere'],
    ['other resource', /does not match/u, 'GET /authorize'],
    ['says no', /access_denied/u, 'grant authorization_code'],
    ['no registration', /registration/u, 'GET /authorize'],
  ])('is refused: %s', async (trait, message, notReached) => {
    await using server = await startOAuthServer([trait]);
    await using place = await openPlace(server.url);
    await expect(place.hands.mcp.logIn('guarded', { open: browser, signal: never })).rejects.toThrow(message);
    expect(server.requests).not.toContain(notReached);
    expect(await place.hands.mcp.logOut('guarded')).toBe(false);
  });

  it('goes on waiting where a page comes with another state, and ends when the person gives up', async () => {
    await using server = await startOAuthServer();
    await using place = await openPlace(server.url);
    const ending = new AbortController();
    const { promise: answered, resolve } = Promise.withResolvers<number[]>();
    const attack = async (url: string): Promise<void> => {
      const back = new URL(new URL(url).searchParams.get('redirect_uri') ?? '');
      const statuses: number[] = [];
      for (const query of ['?code=evil&state=other', '?code=evil', '/../x', '?error=access_denied&state=']) {
        statuses.push((await fetch(`${back.origin}/callback${query}`)).status);
      }
      resolve(statuses);
    };
    const login = place.hands.mcp.logIn('guarded', { open: (url) => void attack(url), signal: ending.signal });
    expect(await answered).toEqual([400, 400, 404, 400]);
    ending.abort(new Error('given up'));
    await expect(login).rejects.toThrow('given up');
    expect(server.requests).not.toContain('grant authorization_code');
  });

  it('is for servers with an address alone', async () => {
    await using place = await temporaryHands({}, { mcp: { files: false, connect: 'demand', servers: { local: { command: 'true' } } } });
    await expect(place.hands.mcp.logIn('local', { open: browser, signal: never })).rejects.toMatchObject({ code: 'invalid_arguments' });
    await expect(place.hands.mcp.logOut('none')).rejects.toThrow('MCP server not found');
  });
});
