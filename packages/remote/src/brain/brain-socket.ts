import type { Pace } from '../pace.ts';
import type { BrowserSocket } from './brain-options.ts';

const CONNECT_MS = 10_000;
/** Milliseconds between the error of a connection that failed and its close event. */
const FAILED_MS = 100;
/** The state of an open WebSocket. Not all runtimes have the constant. */
const OPEN = 1;

/** How a socket ended. */
export interface SocketEnd {
  readonly code: number;
  /** Why it could not connect, where that is known. */
  readonly problem?: string;
}

/** What happens to a socket. */
interface SocketEvents {
  readonly opened: () => void;
  readonly heard: (text: string) => void;
  /** It did not open in time. */
  readonly late: () => void;
  /** Called once. */
  readonly gone: (end: SocketEnd) => void;
}

/** Reports what happens to a new socket. */
export function followSocket(socket: BrowserSocket, pace: Pace, { opened, heard, late, gone }: SocketEvents): void {
  let failing: NodeJS.Timeout | undefined;
  let isOpen = false;
  let isGone = false;
  const patience = setTimeout(late, pace.wait(CONNECT_MS));
  const end = ({ code, problem }: SocketEnd): void => {
    if (isGone) return;
    isGone = true;
    clearTimeout(patience);
    clearTimeout(failing);
    gone({ code, ...(problem === undefined ? {} : { problem }) });
  };
  socket.addEventListener('open', () => {
    isOpen = true;
    clearTimeout(patience);
    opened();
  });
  socket.addEventListener('message', ({ data }) => heard(typeof data === 'string' ? data : ''));
  // The close event follows and has all the information. After a failed connection, Node 22.13 sends none.
  socket.addEventListener('error', () => {
    if (!isOpen) failing = setTimeout(() => end({ code: 1006 }), pace.wait(FAILED_MS));
  });
  socket.addEventListener('close', end);
}

/** Does not send on a line that is closing: browsers warn about it, and what was not acknowledged is sent again on the next. */
export function sendIfOpen(socket: BrowserSocket, text: string): void {
  if ((socket.readyState ?? OPEN) === OPEN) socket.send(text);
}

/** Closes a socket. Browsers throw for codes that only they may send. */
export function closeSocket(socket: BrowserSocket, code: number, reason: string): void {
  const isAllowed = code === 1000 || (code >= 3000 && code <= 4999);
  socket.close(isAllowed ? code : 1000, reason.slice(0, 100));
}
