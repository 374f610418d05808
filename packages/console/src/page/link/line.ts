import type { ConsoleClientFrame, ConsoleError, ConsoleMethod, ConsoleParams, ConsoleResult, ConsoleServerFrame } from '@synapse/protocol/console';
import { store } from '../state/store.ts';
import { isSignedIn, storedKey } from './sign-in.ts';

/** Milliseconds before each reconnection attempt. The last value repeats. */
const RETRY_MS = [250, 500, 1_000, 2_000, 4_000] as const;
/** The console's close code for an unknown sign-in. */
const SIGNED_OUT = 4401;

/** A request that the console rejected. */
export class RequestError extends Error {
  readonly code: string;
  readonly hint: string | undefined;

  constructor({ code, message, hint }: ConsoleError) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: RequestError) => void;
}

/** The connection to the console. It reconnects automatically and resumes where it stopped. */
class Line {
  #socket: WebSocket | undefined;
  #project: string | undefined;
  #tries = 0;
  #ids = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** Connects, at page load or after sign-in. */
  async connect(): Promise<void> {
    // A rejected WebSocket gives no reason; this request does.
    const signedIn = await isSignedIn();
    if (signedIn === false) return store.dispatch({ type: 'link', link: 'signed-out' });
    if (signedIn === undefined) return this.#retry();
    const socket = new WebSocket(`ws://${location.host}/socket`);
    this.#socket = socket;
    socket.addEventListener('open', () => this.#hello());
    socket.addEventListener('message', ({ data }) => this.#take(JSON.parse(String(data)) as ConsoleServerFrame));
    socket.addEventListener('close', ({ code }) => {
      this.#socket = undefined;
      for (const { reject } of this.#waiting.values())
        reject(new RequestError({ code: 'unavailable', message: 'The connection broke.', hint: 'Try again.' }));
      this.#waiting.clear();
      if (code === SIGNED_OUT) store.dispatch({ type: 'link', link: 'signed-out' });
      else this.#retry();
    });
  }

  /** Shows another project. */
  choose(project: string): void {
    this.#project = project;
    this.#send({ type: 'hello', key: storedKey(), project });
  }

  /** Sends a request to the console. */
  request<Method extends ConsoleMethod>(method: Method, params: ConsoleParams<Method>, signal?: AbortSignal): Promise<ConsoleResult<Method>> {
    const id = (this.#ids += 1);
    return new Promise<unknown>((resolve, reject) => {
      if (!this.#send({ type: 'request', id, method, params })) {
        reject(new RequestError({ code: 'unavailable', message: 'Not connected.', hint: 'It is tried again by itself.' }));
        return;
      }
      this.#waiting.set(id, { resolve, reject });
      signal?.addEventListener('abort', () => this.#send({ type: 'cancel', id }), { once: true });
    }) as Promise<ConsoleResult<Method>>;
  }

  #hello(): void {
    const { epoch, seq } = store.state;
    const project = this.#project === undefined ? {} : { project: this.#project };
    this.#send({ type: 'hello', key: storedKey(), ...project, ...(epoch === undefined ? {} : { since: { epoch, seq } }) });
  }

  #send(frame: ConsoleClientFrame): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  #take(frame: ConsoleServerFrame): void {
    if (frame.type !== 'response') {
      this.#tries = 0;
      store.dispatch(frame);
      if (store.state.gap) this.#send({ type: 'hello', key: storedKey(), project: store.state.project });
      return;
    }
    const waiting = this.#waiting.get(frame.id);
    this.#waiting.delete(frame.id);
    if (frame.ok) waiting?.resolve(frame.value);
    else if (waiting === undefined) store.dispatch({ type: 'problem', text: [frame.error.message, frame.error.hint].join(' ') });
    else waiting.reject(new RequestError(frame.error));
  }

  #retry(): void {
    store.dispatch({ type: 'link', link: 'offline' });
    const wait = RETRY_MS[Math.min(this.#tries, RETRY_MS.length - 1)];
    this.#tries += 1;
    setTimeout(() => void this.connect(), wait);
  }
}

export const line = new Line();
