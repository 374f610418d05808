import { MessageTooLargeError, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { Output } from '../output/output.ts';
import type { AcpOptions } from './acp-place.ts';
import { AcpSessions } from './acp-sessions.ts';
import { Inbound } from './inbound.ts';
import { agentV1 } from './v1/agent.ts';

/** Maximum size of a message in bytes: a prompt with images. A longer line ends the connection. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** What an agent over ACP needs. */
export interface AcpServing {
  readonly options: AcpOptions;
  readonly version: string;
  readonly err: Output;
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

/**
 * Whether an editor speaks version 1 at most. An editor begins with `initialize`; any other message is left to the router of the SDK. It
 * brings version 2, which costs about as much time as version 1, so it is loaded only then.
 */
function isVersion1(first: unknown): boolean {
  if (first === undefined) return true;
  if (typeof first !== 'object' || first === null || !('method' in first) || first.method !== 'initialize' || !('params' in first)) return false;
  const { params } = first;
  if (typeof params !== 'object' || params === null || !('protocolVersion' in params)) return false;
  return params.protocolVersion === 0 || params.protocolVersion === PROTOCOL_VERSION;
}

/**
 * Serves an editor until it disconnects: then everything that it started has ended.
 *
 * @throws SynapseError `too_large` if a message of the editor was too long
 */
export async function serveAcp(serving: AcpServing): Promise<void> {
  const { options, version, err, input, output, signal } = serving;
  await using sessions = new AcpSessions(options, err, defaultStateFolder());
  const served = { version, images: options.noImages !== true };
  const stream = ndJsonStream(output, input, { maxMessageBytes: MAX_MESSAGE_BYTES });
  const inbound = new Inbound(stream.readable);
  const end = (): void => inbound.end();
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  const v1 = agentV1(sessions, served);
  const agent = isVersion1(await inbound.first()) ? v1 : (await import('./v2/router.ts')).anyVersion(v1, sessions, served);
  await agent.connect({ writable: stream.writable, readable: inbound.readable }).closed;
  signal.removeEventListener('abort', end);
  if (inbound.failure instanceof MessageTooLargeError)
    throw new SynapseError('too_large', `The editor sent a message of more than ${MAX_MESSAGE_BYTES} bytes; the connection is closed.`, {
      hint: 'Attach less to a prompt.',
    });
}
