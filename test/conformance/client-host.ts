import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { runClient } from './client.ts';

/**
 * Runs the clients of all scenarios in one process, at a socket whose path is the argument: a start costs more than a
 * scenario. `ask-host.mjs` asks for one.
 */
const Request = z.object({ url: z.string(), context: z.string() });
/** More at a time only wait for each other, and miss their deadlines. */
const AT_A_TIME = 2;
/** For what never ends: the suite gives a client longer, as it waits for others here. */
const LONGEST_MS = 100_000;

let running = 0;
const waiting: Array<() => void> = [];

async function inTurn(work: () => Promise<void>): Promise<void> {
  if (running === AT_A_TIME) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    await work();
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

/** Answers with nothing, or with why the client failed. */
async function serve(socket: Socket): Promise<void> {
  const { url, context } = Request.parse(JSON.parse(await text(socket)));
  let failure = '';
  await inTurn(async () => {
    const signal = AbortSignal.timeout(LONGEST_MS);
    try {
      await Promise.race([runClient(url, context, signal), once(signal, 'abort').then(() => Promise.reject(signal.reason))]);
    } catch (error) {
      failure = String(error);
    }
  });
  socket.end(failure);
}

const server = createServer({ allowHalfOpen: true }, (socket) => {
  serve(socket).catch((error: unknown) => socket.end(String(error)));
});
server.listen(process.argv[2], () => process.send?.('ready'));
// The test is over.
process.once('disconnect', () => process.exit());
