import type { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { randomUUID } from 'node:crypto';
import type { CallApproval } from './approval/call-approval.ts';
import { NOBODY, sessionApproval } from './approval/client-approvals.ts';
import { directCalls } from './direct-calls.ts';
import { lineTransport } from './line-transport.ts';
import { openService } from './open-service.ts';
import type { McpStreams, ServiceOptions } from './run-mcp-server.ts';

/**
 * Serves hands to one client until it leaves or the signal is aborted; by then every call has ended.
 *
 * @throws SynapseError `unknown_tool` where `tools` names one that there is not
 */
export async function serveHands({ input, output, signal, ...options }: ServiceOptions & McpStreams): Promise<void> {
  const service = openService(options);
  const sessionId = randomUUID();
  /** What speaks with the client. There may be another one before it, for a client that asks first what it can speak. */
  let current: Server | undefined;
  const approval = (): CallApproval | undefined => (current === undefined ? undefined : sessionApproval(current));
  const transport = directCalls(
    lineTransport(input, output),
    {
      isReady: () => approval() !== undefined,
      call: (params, context) => service.answer(params, context, approval() ?? NOBODY, sessionId),
    },
    options.onError,
  );
  const connection = serveStdio(() => (current = service.createServer(sessionId)), { transport, onerror: options.onError });
  const stopListening = service.onToolsChanged(() => void current?.sendToolListChanged().catch(options.onError));
  const close = (): void => void connection.close();
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  await transport.closed;
  signal.removeEventListener('abort', close);
  stopListening();
  await service.ended();
}
