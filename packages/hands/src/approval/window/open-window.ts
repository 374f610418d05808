import { SynapseError, type FilledForm, type PersonForm } from '@synapse/protocol';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { ApprovalAnswer, ApprovalRequest, Trial } from '../approver.ts';
import { AskerMessage, messages, send } from './messages.ts';
import { newWindowSocket } from './window-sockets.ts';

/** A question of another process. */
export interface ForeignQuestion {
  readonly root: string;
  /** The process that asks, in a few words. */
  readonly from: string;
  readonly request: ApprovalRequest;
}

/** A form of an MCP server of another process. */
export interface ForeignForm extends Omit<ForeignQuestion, 'request'> {
  readonly form: PersonForm;
}

/** The output or the error of a call of another process. */
export type ForeignOutput = Extract<AskerMessage, { type: 'output' }>;

/** How a window answers. The signals are aborted when the question is withdrawn. */
export interface WindowAnswers {
  readonly answer: (question: ForeignQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>;
  /** Resolves to undefined if no person watches this window. */
  readonly fillForm: (form: ForeignForm, signal: AbortSignal) => Promise<FilledForm | undefined>;
  /** Called for each call of another process that ends. */
  readonly onOutput?: (output: ForeignOutput) => void;
}

/** Maximum number of connections at a time. Questions beyond it continue without this window. */
const MAX_CONNECTIONS = 100;

/** The trials that one connection asked for. */
class Trials {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, PromiseWithResolvers<Trial>>();
  #last = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  async run(signal: AbortSignal): Promise<Trial> {
    const id = ++this.#last;
    const waiting = Promise.withResolvers<Trial>();
    this.#waiting.set(id, waiting);
    const end = (): void => waiting.reject(new SynapseError('cancelled', 'The trial was cancelled.'));
    signal.addEventListener('abort', end, { once: true });
    try {
      send(this.#socket, { type: 'try', id });
      return await waiting.promise;
    } finally {
      signal.removeEventListener('abort', end);
      this.#waiting.delete(id);
    }
  }

  take(message: Extract<AskerMessage, { type: 'tried' | 'not-tried' }>): void {
    const waiting = this.#waiting.get(message.id);
    if (message.type === 'tried') waiting?.resolve(message.trial);
    else waiting?.reject(new SynapseError('unavailable', message.message));
  }
}

async function serve(socket: Socket, answers: WindowAnswers): Promise<void> {
  const controller = new AbortController();
  const trials = new Trials(socket);
  let answering: Promise<void> | undefined;
  const reply = async ({ root, from, canTry, request }: AskerMessage & { type: 'ask' }): Promise<void> => {
    const asked = canTry ? { ...request, tryOut: (signal: AbortSignal) => trials.run(AbortSignal.any([signal, controller.signal])) } : request;
    const given = await answers.answer({ root, from, request: asked }, controller.signal);
    if (given.verdict === 'allow') {
      const { scope, proposal, effect } = given;
      const index = proposal === undefined ? -1 : request.proposals.findIndex(({ rules }) => rules.join('\n') === proposal.rules.join('\n'));
      send(socket, { type: 'allow', scope, ...(index === -1 ? {} : { proposal: index }), ...(effect === undefined ? {} : { effect }) });
    } else if (given.verdict === 'later') send(socket, { type: 'later' });
    else send(socket, { type: 'deny', ...(given.reason === undefined ? {} : { reason: given.reason.slice(0, 2_000) }) });
  };
  const fill = async ({ root, from, form }: AskerMessage & { type: 'form' }): Promise<void> => {
    const filled = await answers.fillForm({ root, from, form }, controller.signal);
    send(socket, filled === undefined ? { type: 'later' } : { type: 'filled', filled });
  };
  try {
    for await (const message of messages(socket, AskerMessage)) {
      if (message.type === 'output') answers.onOutput?.(message);
      else if (message.type === 'tried' || message.type === 'not-tried') trials.take(message);
      // One connection asks one question.
      // One that cannot be shown is closed without an answer.
      else if (answering === undefined) answering = (message.type === 'ask' ? reply(message) : fill(message)).catch(() => void socket.destroy());
      else break;
    }
  } catch {
    // Disconnected, or not a Synapse process.
  } finally {
    controller.abort();
    await answering;
    socket.destroy();
  }
}

/**
 * Opens a window for the questions of other processes with the same state folder.
 *
 * @returns undefined if no window can be opened, such as when the path of the state folder is too long
 */
export async function openWindow(stateFolder: string, answers: WindowAnswers): Promise<AsyncDisposable | undefined> {
  const path = newWindowSocket(stateFolder);
  if (path === undefined) return undefined;
  const open = new Map<Socket, Promise<void>>();
  const server = createServer((socket) => {
    // The end of the messages reports the error; without a listener it would end the process.
    socket.on('error', () => undefined);
    open.set(
      socket,
      serve(socket, answers).finally(() => open.delete(socket)),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  // The folder is accessible only to its owner before the socket is created.
  server.listen(path);
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open.keys()) socket.destroy();
      await Promise.all([closed, ...open.values()]);
    },
  };
}
