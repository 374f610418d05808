import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Bundles modules for a web page. Returns the files by name; the first is `page.js`. Fails if they need more than a browser has. */
export async function bundleForPage(source: string): Promise<ReadonlyMap<string, string>> {
  const bundle = await rolldown({
    input: { page: 'page' },
    cwd: ROOT,
    platform: 'browser',
    plugins: [
      {
        name: 'page',
        resolveId: (id) => (id === 'page' ? { id: `${ROOT}/page.js` } : undefined),
        load: (id) => (id === `${ROOT}/page.js` ? source : undefined),
      },
    ],
    onLog: (_level, { message }) => {
      throw new Error(`This is not for browsers: ${message}`);
    },
  });
  const { output } = await bundle.generate({ format: 'es', entryFileNames: '[name].js' });
  await bundle.close();
  const files = new Map<string, string>();
  for (const file of output) {
    if (file.type !== 'chunk') throw new Error(`Not a script: ${file.fileName}`);
    const missing = [...file.imports, ...file.dynamicImports].filter((name) => !output.some(({ fileName }) => fileName === name));
    if (missing.length > 0) throw new Error(`This is not for browsers: ${missing.join(', ')}`);
    files.set(file.fileName, file.code);
  }
  return files;
}

/** A server of an empty page and its scripts. */
export interface PageServer extends AsyncDisposable {
  readonly port: number;
}

export async function servePage(files: ReadonlyMap<string, string>): Promise<PageServer> {
  const server = createServer((request, response) => {
    const script = files.get((request.url ?? '').slice(1));
    if (script === undefined)
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><link rel="icon" href="data:,"><title>Agent</title>');
    else response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
  });
  server.listen(0);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
