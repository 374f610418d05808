import type { IncomingMessage } from 'node:http';
import { namedPayload, parseSignature, payloadHash, signedAgain, isSignedBy, type SignedRequest } from '../../../secrets/sigv4.ts';
import type { PlacedSecret } from './command-edge.ts';

/** Maximum bytes of a body that is read before it is sent, because its signature covers it. */
const MAX_BODY = 16 * 1024 * 1024;

/** A request that was signed again, or why it cannot be. The body is set if it was read. */
type SignedAgain = { readonly authorization: string; readonly body: Buffer | undefined } | { readonly failure: string };

/** Reads a body; resolves to undefined where it is too large, or may not be sent. What else of it comes is dropped. */
async function bodyOf(request: IncomingMessage, mayTake: (bytes: number) => boolean): Promise<Buffer | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer | undefined>();
  let chunks: Buffer[] | undefined = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    if (chunks === undefined) return;
    bytes += chunk.length;
    if (bytes <= MAX_BODY && mayTake(chunk.length)) {
      chunks.push(chunk);
      return;
    }
    chunks = undefined;
    resolve(undefined);
  });
  request.once('end', () => resolve(chunks && Buffer.concat(chunks)));
  request.once('error', reject).once('close', () => reject(new Error('The program broke off its request.')));
  return await promise;
}

/**
 * Signs a request of AWS with the key that its command has a placeholder of. Undefined if the request has no signature, or no such key is
 * for its host.
 *
 * @param sent as it leaves the proxy
 * @param mayTake called for each part of a body that is read: false if it may not be sent
 */
export async function signAgain(
  request: IncomingMessage,
  sent: SignedRequest,
  secrets: readonly PlacedSecret[],
  mayTake: (bytes: number) => boolean,
): Promise<SignedAgain | undefined> {
  const { authorization } = sent.headers;
  const given = typeof authorization === 'string' ? parseSignature(authorization) : undefined;
  const found = secrets.find(({ place }) => place.as.kind === 'aws' && place.as.id === given?.id);
  if (given === undefined || found === undefined) return undefined;
  const { used } = found;
  const named = namedPayload(sent);
  if (named?.startsWith('STREAMING-AWS4') === true) return { failure: 'its body is signed in parts, which cannot be signed again' };
  const body = named === undefined ? await bodyOf(request, mayTake) : undefined;
  if (named === undefined && body === undefined) return { failure: 'its body is too large to be signed again (16 MB)' };
  const payload = named ?? payloadHash(body ?? Buffer.alloc(0));
  const leftOut = given.signedHeaders.find((name) => request.headers[name] !== undefined && sent.headers[name] === undefined);
  if (leftOut !== undefined)
    return { failure: `its signature covers the header ${leftOut}, which is left out where a secret could be in the answer` };
  // Only a request that this command signed, and as it was signed.
  if (!isSignedBy(sent, given, { id: given.id, secret: used.placeholder }, payload))
    return { failure: 'its signature is not that of $AWS_SECRET_ACCESS_KEY' };
  const again = signedAgain(sent, given, { id: given.id, secret: used.value }, payload);
  return again === undefined ? { failure: 'its signature covers what is not sent' } : { authorization: again, body };
}
