import { openClientSocket } from '../hands/client-socket.ts';
import type { BrowserSocket } from './brain-options.ts';

/** Opens a WebSocket that says why it could not connect. The one of Node tells no reason. */
export function openNodeSocket(url: string): BrowserSocket {
  const opened: Array<() => void> = [];
  const texts: Array<(event: { readonly data: unknown }) => void> = [];
  const closed: Array<(event: { readonly code: number; readonly problem?: string }) => void> = [];
  const socket = openClientSocket(url, {
    opened: () => opened.forEach((listener) => listener()),
    text: (data) => texts.forEach((listener) => listener({ data })),
    closed: (code, problem) => closed.forEach((listener) => listener({ code, ...(problem === undefined ? {} : { problem }) })),
  });
  const lists: Readonly<Record<'open' | 'message' | 'close' | 'error', Array<(event: never) => void>>> = {
    open: opened,
    message: texts,
    close: closed,
    // The close event follows and has the reason.
    error: [],
  };
  return {
    send: (text) => socket.send(text),
    close: (code = 1000, reason = '') => socket.end(code, reason),
    addEventListener: (type: keyof typeof lists, listener: (event: never) => void) => void lists[type].push(listener),
  };
}
