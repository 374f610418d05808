import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { CallContext } from './call-context.ts';
import type { LineTransport } from './line-transport.ts';
import { isPlainCall, isPlainPing, type PlainCall } from './plain-call.ts';
import { RpcError } from './rpc-error.ts';

/** JSON-RPC 2.0. */
const INTERNAL_ERROR = -32603;

/** Who answers past the SDK. */
export interface DirectAnswers {
  /** Whether a client has said who it is; before that, only the SDK answers. */
  isReady(): boolean;
  call(params: PlainCall['params'], context: CallContext): Promise<object>;
}

/** A failure as JSON-RPC tells it. */
export function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (!(error instanceof RpcError)) return { code: INTERNAL_ERROR, message: 'Internal error' };
  const { code, message, data } = error;
  return { code, message, ...(data === undefined ? {} : { data }) };
}

/** Whom a cancellation is about. */
function cancelledBy(message: JSONRPCMessage): unknown {
  return 'method' in message && !('id' in message) && message.method === 'notifications/cancelled' ? message.params?.['requestId'] : undefined;
}

/**
 * A transport that answers plain calls itself, and hands on everything else. The SDK's own way for a
 * request, from message to answer, costs more than reading a small file with all that is checked and recorded.
 */
export function directCalls(wire: LineTransport, answers: DirectAnswers, onError: (error: Error) => void): LineTransport {
  const running = new Map<unknown, AbortController>();
  const send: LineTransport['send'] = (message, options) => wire.send(message, options);

  const take = ({ id, params }: PlainCall): void => {
    const controller = new AbortController();
    const { signal } = controller;
    const progressToken = params._meta?.progressToken;
    const answered = answers.call(params, {
      signal,
      report:
        progressToken === undefined
          ? undefined
          : (update) => send({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, ...update } }),
    });
    running.set(id, controller);
    const reply = async (outcome: { result: object } | { error: ReturnType<typeof errorOf> }): Promise<void> => {
      // A client may use an id again: the second call is not to be forgotten with the first.
      if (running.get(id) === controller) running.delete(id);
      // Nobody waits for the answer to a call that was cancelled.
      if (signal.aborted) return;
      await send('result' in outcome ? { jsonrpc: '2.0', id, result: { ...outcome.result } } : { jsonrpc: '2.0', id, error: outcome.error });
    };
    answered
      .then(
        (result) => reply({ result }),
        (error: unknown) => reply({ error: errorOf(error) }),
      )
      .catch(onError);
  };

  const transport: LineTransport = { closed: wire.closed, start: () => wire.start(), send, close: () => wire.close() };
  Object.assign(wire, {
    onmessage: (message, extra) => {
      if (isPlainCall(message) && answers.isReady()) take(message);
      else if (isPlainPing(message) && answers.isReady()) void send({ jsonrpc: '2.0', id: message.id, result: {} }).catch(onError);
      else {
        const call = running.get(cancelledBy(message));
        if (call === undefined) transport.onmessage?.(message, extra);
        else call.abort();
      }
    },
    onerror: (error) => transport.onerror?.(error),
    onclose: () => {
      for (const call of running.values()) call.abort();
      running.clear();
      transport.onclose?.();
    },
  } satisfies Pick<LineTransport, 'onmessage' | 'onerror' | 'onclose'>);
  return transport;
}
