import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { defaultStateFolder, openWindow } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { WebSocketServer } from 'ws';
import { OpenProjects, type OpenHands } from '../project/open-projects.ts';
import { Connection } from '../wire/connection.ts';
import { Access, secretOf } from './access.ts';
import { refusalOf } from './admission.ts';
import { securityHeaders } from './headers.ts';
import { readPage, type PageFile } from './page-files.ts';
import { answerSignIn } from './sign-in.ts';

/** Maximum bytes of a message from a page. Large enough for the content of a file to write. */
const MAX_MESSAGE = 8 * 1024 * 1024;
const HEAD_MS = 10_000;
const HOST = '127.0.0.1';

/** Options of {@link serveConsole}. */
export interface ConsoleOptions {
  /** The tracked project to show first. */
  readonly project: string;
  /** The port; 0 for any free one. */
  readonly port: number;
  readonly version: string;
  /** Opens the hands of a project. The approver is the console. */
  readonly openHands: OpenHands;
  /** Default: `$XDG_STATE_HOME/synapse`. */
  readonly stateFolder?: string;
}

/** A running console. */
export interface ServedConsole extends AsyncDisposable {
  readonly origin: string;
  /** Creates an address that signs in one browser, once. */
  createUrl(): string;
}

interface Door {
  readonly port: number;
  readonly access: Access;
  readonly files: ReadonlyMap<string, PageFile>;
}

function answer(request: IncomingMessage, response: ServerResponse, door: Door): void {
  const { method = '', url = '', headers } = request;
  const host = headers.host ?? `${HOST}:${door.port}`;
  const refusal = refusalOf({ method, url, headers }, door.port);
  // Do not echo an unknown host.
  const secure = securityHeaders(refusal === undefined ? host : `${HOST}:${door.port}`);
  if (refusal !== undefined) {
    response.writeHead(refusal.status, { ...secure, 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(`${refusal.message}\n`);
    return;
  }
  const path = url.split('?', 1)[0] ?? '';
  if (path === '/session') {
    answerSignIn(request, response, { ...door, headers: secure });
    return;
  }
  const file = method === 'POST' ? undefined : door.files.get(path);
  if (file === undefined) {
    response.writeHead(404, { ...secure, 'content-type': 'text/plain; charset=utf-8' }).end('Not found.\n');
    return;
  }
  const caching = file.lasting ? 'private, max-age=31536000, immutable' : 'no-store';
  response.writeHead(200, { ...secure, 'content-type': file.type, 'content-length': file.body.length, 'cache-control': caching });
  response.end(method === 'HEAD' ? undefined : file.body);
}

async function listen(server: Server, port: number): Promise<number> {
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
  } catch (cause) {
    throw new SynapseError('unavailable', `The console cannot listen on port ${port}.`, {
      hint: 'Another program has it. Give another --port; 0 is any free port.',
      cause,
    });
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}

/**
 * Serves the web console on this machine, for browsers that open one of its links.
 *
 * @throws SynapseError `unavailable` if the port or the page cannot be used
 * @example
 * await using served = await serveConsole({ project: '.', port: 0, version: '1', openHands: (workspace, approver) => createHands({ workspace, approver }) });
 * console.log(served.createUrl());
 */
export async function serveConsole(options: ConsoleOptions): Promise<ServedConsole> {
  const files = readPage();
  const access = new Access();
  const stateFolder = options.stateFolder ?? defaultStateFolder();
  const projects = new OpenProjects({ ...options, stateFolder });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE, perMessageDeflate: false });
  let port = options.port;
  const server = createServer({ headersTimeout: HEAD_MS, requestTimeout: HEAD_MS }, (request, response) => {
    answer(request, response, { port, access, files });
  });
  const createUrl = (): string => `http://${HOST}:${port}/#token=${access.createLink()}`;
  server.on('upgrade', (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on('error', () => stream.destroy());
    const { method = '', url = '', headers } = request;
    const secret = secretOf(headers.cookie, port);
    const refusal = refusalOf({ method, url, headers }, port, true);
    const status = refusal?.status ?? (url === '/socket' ? (access.knows(secret) ? undefined : 401) : 404);
    if (status !== undefined) {
      stream.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
      return;
    }
    sockets.handleUpgrade(request, stream, head, (socket) => {
      // The connection lives as long as its socket.
      void new Connection(socket, { projects, holds: (key) => access.holds(secret, key), createUrl });
    });
  });
  port = await listen(server, port);
  // Calls do not wait without an open page.
  const window = await openWindow(stateFolder, {
    answer: async ({ root, from, request }, signal) =>
      sockets.clients.size === 0 ? { verdict: 'later' } : await projects.questions.approver(root, from).ask(request, signal),
    fillForm: async ({ root, from, form }, signal) =>
      sockets.clients.size === 0 ? undefined : await projects.questions.fillForm(form, { project: root, from }, signal),
    onOutput: ({ root, ...output }) => projects.outputs.putText(root, output),
  });
  // Open the first project now, so that it is ready for the first page.
  void projects.open().catch(() => {});
  return {
    origin: `http://${HOST}:${port}`,
    createUrl,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets.clients) socket.terminate();
      server.close();
      server.closeAllConnections();
      await window?.[Symbol.asyncDispose]();
      await projects[Symbol.asyncDispose]();
    },
  };
}
