import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { relayAdmin } from './relay-admin.ts';

const token = 't'.repeat(40);

/** A server that notes which paths the token was sent to. */
async function serve(status: number): Promise<{ readonly url: string; readonly paths: string[] }> {
  const paths: string[] = [];
  const server = createServer(({ url = '', headers }, response) => {
    if (headers.authorization !== undefined) paths.push(url);
    response.writeHead(url === '/other' ? 200 : status, { location: '/other' }).end('{"machines":[]}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, paths };
}

it.each(['http://relay.example', 'ws://relay.example', 'http://10.0.0.1:7412', 'ftp://relay.example'])('sends no token unencrypted: %s', (url) => {
  expect(() => relayAdmin({ url, token })).toThrow(expect.objectContaining({ code: 'invalid_arguments' }));
});

it.each(['https://relay.example', 'wss://relay.example', 'http://127.0.0.1:1'])('the control: %s', (url) => {
  expect(relayAdmin({ url, token })).toHaveProperty('machines');
});

it('does not follow a redirection with the token', async () => {
  const { url, paths } = await serve(307);
  await expect(relayAdmin({ url, token }).machines()).rejects.toMatchObject({ code: 'denied' });
  expect(paths).toEqual(['/v1/admin/machines']);
  const honest = await serve(200);
  expect(await relayAdmin({ url: honest.url, token }).machines()).toEqual([]);
});
