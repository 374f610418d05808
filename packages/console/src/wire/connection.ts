import { setImmediate } from 'node:timers/promises';
import { SynapseError, toSynapseError } from '@synapse/protocol';
import { secretMasksOf, type SecretMask } from '@synapse/hands/internal';
import { ConsoleClientFrame, type ConsoleServerFrame } from '@synapse/protocol/console';
import { WebSocket } from 'ws';
import { runMethod } from '../methods/list.ts';
import type { OpenProject } from '../project/open-project.ts';
import type { OpenProjects } from '../project/open-projects.ts';

/** Maximum unsent bytes for a page. Beyond that it receives nothing until it catches up. */
const MAX_UNTAKEN = 8_000_000;
/** Milliseconds between batches of events, and the maximum size of a batch. */
const FLUSH_MS = 30;
const FLUSH_EVENTS = 500;
const HISTORY_CALLS = 20_000;
/** Maximum number of concurrent requests of a page. */
const MAX_REQUESTS = 32;

/** Dependencies of a connection. */
export interface ConnectionParts {
  readonly projects: OpenProjects;
  /** Whether the page has the key that matches its cookie. */
  readonly holds: (key: string) => boolean;
  readonly createUrl: () => string;
}

type Request = Extract<ConsoleClientFrame, { type: 'request' }>;
type Hello = Extract<ConsoleClientFrame, { type: 'hello' }>;

/** A connected page. It receives every event of its project in order, at its own pace. */
export class Connection implements Disposable {
  readonly #socket: WebSocket;
  readonly #parts: ConnectionParts;
  readonly #requests = new Map<number, AbortController>();
  #project: OpenProject | undefined;
  #listening: Disposable | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Number of the last sent event. */
  #sent = 0;
  #hello = 0;
  #masks: ReturnType<typeof secretMasksOf> | undefined;
  /** What takes the secrets of the user out of every frame, as of the last look. */
  #mask: SecretMask | undefined;

  constructor(socket: WebSocket, parts: ConnectionParts) {
    this.#socket = socket;
    this.#parts = parts;
    socket.on('message', (data: Buffer, isBinary) => this.#take(isBinary ? '' : data.toString('utf8')));
    socket.on('close', () => this[Symbol.dispose]());
    socket.on('error', () => socket.terminate());
  }

  [Symbol.dispose](): void {
    this.#hello += 1;
    this.#listening?.[Symbol.dispose]();
    clearTimeout(this.#timer);
    for (const controller of this.#requests.values()) controller.abort();
    this.#requests.clear();
  }

  #send(frame: ConsoleServerFrame): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(this.#mask === undefined ? frame : this.#mask.value(frame)));
  }

  /** Looks which secrets there are. Before what is sent next, because one may have been added. */
  async #lookAtSecrets({ stateFolder }: OpenProject): Promise<void> {
    this.#mask = await (this.#masks ??= secretMasksOf(stateFolder))();
  }

  #take(text: string): void {
    let frame: ConsoleClientFrame;
    try {
      frame = ConsoleClientFrame.parse(JSON.parse(text));
    } catch {
      // Not sent by our page.
      this.#socket.close(1008, 'malformed');
      return;
    }
    if (frame.type === 'hello') void this.#greet(frame);
    else if (frame.type === 'cancel') this.#requests.get(frame.id)?.abort();
    else void this.#answer(frame);
  }

  async #greet({ key, project, since }: Hello): Promise<void> {
    if (!this.#parts.holds(key)) {
      this.#socket.close(4401, 'signed out');
      return;
    }
    this.#hello += 1;
    const hello = this.#hello;
    this.#listening?.[Symbol.dispose]();
    try {
      const opened = await this.#parts.projects.open(project);
      await this.#lookAtSecrets(opened);
      if (hello !== this.#hello) return;
      this.#project = opened;
      this.#listening = opened.ring.subscribe(() => this.#flushSoon());
      if (since?.epoch === opened.epoch && opened.ring.since(since.seq, 0) !== undefined) {
        this.#sent = since.seq;
        this.#send({ type: 'resumed', epoch: opened.epoch });
        this.#flush();
      } else await this.#sendAll(opened, hello);
    } catch (error) {
      const { code, message, hint } = toSynapseError(error);
      this.#send({ type: 'response', id: -1, ok: false, error: { code, message, ...(hint === undefined ? {} : { hint }) } });
    }
  }

  /** Sends everything: the current state first, then older calls while new ones arrive. */
  async #sendAll(project: OpenProject, hello: number): Promise<void> {
    const snapshot = project.snapshot();
    this.#sent = snapshot.seq;
    this.#send(snapshot);
    const oldest = snapshot.calls[0]?.n ?? Number.POSITIVE_INFINITY;
    await project.index.loaded;
    const older = project.index.rows().filter(({ n }) => n < oldest);
    for (let end = older.length; ; end -= HISTORY_CALLS) {
      while (this.#socket.bufferedAmount > MAX_UNTAKEN && hello === this.#hello) await setImmediate();
      if (hello !== this.#hello) return;
      const start = Math.max(0, end - HISTORY_CALLS);
      this.#send({ type: 'history', epoch: project.epoch, calls: older.slice(start, Math.max(0, end)), complete: start === 0 });
      if (start === 0) return;
      await setImmediate();
    }
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => void this.#lookAndFlush().catch(() => this.#socket.terminate()), FLUSH_MS).unref();
  }

  async #lookAndFlush(): Promise<void> {
    if (this.#project !== undefined) await this.#lookAtSecrets(this.#project);
    this.#flush();
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const project = this.#project;
    if (project === undefined || this.#socket.readyState !== WebSocket.OPEN) return;
    if (this.#socket.bufferedAmount > MAX_UNTAKEN) return this.#flushSoon();
    const events = project.ring.since(this.#sent, FLUSH_EVENTS);
    if (events === undefined) {
      // The page was too slow for the event buffer: it starts over.
      void this.#sendAll(project, this.#hello).catch(() => this.#socket.terminate());
      return;
    }
    if (events.length === 0) return;
    this.#send({ type: 'events', epoch: project.epoch, seq: this.#sent + 1, events: [...events] });
    this.#sent += events.length;
    if (this.#sent < project.ring.last) this.#flushSoon();
  }

  async #answer({ id, method, params }: Request): Promise<void> {
    const controller = new AbortController();
    try {
      if (this.#project === undefined) throw new SynapseError('denied', 'Say hello first.');
      if (this.#requests.size >= MAX_REQUESTS || this.#requests.has(id)) throw new SynapseError('busy', 'Too many requests at once.');
      this.#requests.set(id, controller);
      const value = await runMethod(method, params, { project: this.#project, signal: controller.signal, ...this.#parts });
      await this.#lookAtSecrets(this.#project);
      this.#send({ type: 'response', id, ok: true, value });
    } catch (error) {
      const { code, message, hint } = toSynapseError(error);
      this.#send({ type: 'response', id, ok: false, error: { code, message, ...(hint === undefined ? {} : { hint }) } });
    } finally {
      if (this.#requests.get(id) === controller) this.#requests.delete(id);
    }
  }
}
