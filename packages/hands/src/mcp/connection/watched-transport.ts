import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { FloodGauge } from '../stdio/flood-gauge.ts';

/** What an unasked message counts for at least, in bytes; its size over HTTP is bounded where it is read. */
const MESSAGE_BYTES = 256;

type Id = string | number;

function idOf(message: JSONRPCMessage): Id | undefined {
  return 'id' in message && (typeof message.id === 'string' || typeof message.id === 'number') ? message.id : undefined;
}

/**
 * Watches over a transport of the SDK: what nobody asked for is counted, and a request whose own stream ends
 * without an answer fails at once instead of waiting for its deadline.
 */
export function watchTransport<Watched extends Transport>(transport: Watched, gauge: FloodGauge, onLost: (reason: string) => void): Watched {
  const asked = new Set<Id>();
  const lose = (reason: string): void => {
    onLost(reason);
    // All that waits for an answer hears of it now.
    void transport.close();
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const id = 'method' in message ? idOf(message) : undefined;
    if (id === undefined) return await send(message, options);
    asked.add(id);
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      if (asked.delete(id)) lose('ended an answer before it was complete');
    };
    try {
      await send(message, { ...options, onRequestStreamEnd });
    } catch (error) {
      asked.delete(id);
      throw error;
    }
  };
  const onmessage = (message: JSONRPCMessage): void => {
    const id = 'method' in message ? undefined : idOf(message);
    if (id !== undefined && asked.delete(id)) return;
    if (!gauge.take(MESSAGE_BYTES)) lose('sent far more than anybody asked for');
  };
  // The SDK calls what it finds here before its own.
  return Object.assign(transport, { onmessage });
}
