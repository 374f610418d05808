import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';

/**
 * Passes the body of a request on. A server may answer before it has read all of it, and go on to read. What it does not read is read here,
 * and dropped: many programs look at the answer only once they have sent everything.
 *
 * @param mayPass called before bytes are sent. False ends the onward request
 * @returns once no more of it comes
 */
export async function passBody(request: IncomingMessage, onward: ClientRequest, mayPass: (bytes: number) => boolean): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const endIfBroken = (): void => {
    // The server would wait for the rest.
    if (!request.complete) onward.destroy();
    resolve();
  };
  request.once('error', endIfBroken).once('close', endIfBroken).once('end', resolve);
  // Without the header that tells where it ends, a body would be a second request.
  const isBounded = request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined;
  request.on('data', (chunk: Buffer) => {
    if (!onward.destroyed && !(isBounded && mayPass(chunk.length))) onward.destroy(new Error('This may not be sent.'));
  });
  onward.once('response', () => {
    const { socket } = onward;
    const goOn = (): void => void onward.emit('drain');
    // Once the answer has ended, Node listens to this no longer.
    socket?.on('drain', goOn);
    onward.once('close', () => socket?.off('drain', goOn));
  });
  onward.once('close', () => {
    request.unpipe(onward);
    request.resume();
  });
  request.pipe(onward);
  await promise;
}

/** Lets a connection that is to end with its answer end after the body: a program that still sends would lose the answer. */
export function endAfterBody(request: IncomingMessage, response: ServerResponse): void {
  // Before HTTP/1.1, the end of the connection may be the end of the answer.
  if (request.complete || response.shouldKeepAlive || request.httpVersion !== '1.1') return;
  const { socket } = request;
  response.shouldKeepAlive = true;
  let open = 2;
  const end = (): void => {
    open -= 1;
    if (open === 0) socket.end();
  };
  request.once('end', end);
  response.once('finish', end);
}

/** Answers a request that goes no further, and ends its connection. What else of it comes is dropped. */
export function answerText(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  request.resume();
  response.shouldKeepAlive = false;
  endAfterBody(request, response);
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
}
