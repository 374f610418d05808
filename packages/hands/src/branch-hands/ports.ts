import type { Port } from './link.ts';

/** A process as seen from the other end of a channel of Node. */
interface Channel {
  readonly connected: boolean;
  send?(message: object, onSent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** The channel to a process that Node started, or to the one that started this process. */
export function processPort(channel: Channel): Port {
  return {
    send: (message) => {
      // The end of the other process has an event of its own.
      if (channel.connected) channel.send?.(message, () => {});
    },
    listen: (onMessage) => void channel.on('message', onMessage),
  };
}
