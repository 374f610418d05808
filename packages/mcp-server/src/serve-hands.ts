import type { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { randomUUID } from 'node:crypto';
import { lineTransport } from './line-transport.ts';
import { openService } from './open-service.ts';
import type { McpStreams, ServiceOptions } from './mcp-offer.ts';

/**
 * Serves hands to one client until it disconnects or the signal is aborted; by then every call has ended.
 *
 * @throws SynapseError `unknown_tool` if `tools` names an unknown tool
 */
export async function serveHands({ input, output, signal, ...options }: ServiceOptions & McpStreams): Promise<void> {
  const service = openService(options);
  const sessionId = randomUUID();
  /** The server in use. It may replace an earlier one, if a client first asks for the supported protocol versions. */
  let current: Server | undefined;
  const transport = lineTransport(input, output, (message) => void service.listen(message, sessionId).catch(options.onError));
  const connection = serveStdio(() => (current = service.createServer(sessionId)), { transport, onerror: options.onError });
  const stopListening = service.onChanged((change) => void (current && service.tell(current, sessionId, change).catch(options.onError)));
  const close = (): void => void connection.close();
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  await transport.closed;
  signal.removeEventListener('abort', close);
  stopListening();
  service.abandon();
  await service.ended();
}
