import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A small site on loopback. For tests. */
export interface LocalSite extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly base: string;
}

/** Starts the site: `/doc` is a page, `/slow` never ends, `/away` redirects to another host, all else is 404. */
export async function localSite(): Promise<LocalSite> {
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const server = createServer((request, response) => {
    if (request.url === '/doc') response.writeHead(200, html).end('<title>Docs</title><p>Some words.</p>');
    else if (request.url === '/slow') response.writeHead(200, html).write('<p>');
    else if (request.url === '/away') response.writeHead(302, { location: 'https://example.com/there' }).end();
    else response.writeHead(404, html).end('<p>Nothing here</p>');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    base: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
