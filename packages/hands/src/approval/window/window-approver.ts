import { toSynapseError, type FilledForm, type PersonForm } from '@synapse/protocol';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../approver.ts';
import { firstAnswer } from '../first-approver.ts';
import { messages, send, WindowMessage } from './messages.ts';
import { windowSockets } from './window-sockets.ts';

/** Where the questions of this process come from. */
export interface Asker {
  readonly stateFolder: string;
  /** The workspace of the calls. */
  readonly root: () => string;
  /** A short name, such as `synapse mcp`. */
  readonly from: string;
}

/** The name of the place of questions in a window, for callers. */
const CONSOLE = 'the open Synapse console';
/** Milliseconds after which a question that was sent to a window is seen by a person. */
const SHOWN_MS = 250;

async function opened(path: string, signal: AbortSignal): Promise<Socket | undefined> {
  const socket = connect(path);
  // The end of the messages reports the error; without a listener it would end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect', { signal });
    return socket;
  } catch (error) {
    socket.destroy();
    // The window was killed. Otherwise each call would try its socket again.
    if (error instanceof Error && 'code' in error && error.code === 'ECONNREFUSED') rmSync(path, { force: true });
    return undefined;
  }
}

async function runTrial(socket: Socket, { tryOut }: ApprovalRequest, id: number, signal: AbortSignal): Promise<void> {
  try {
    if (tryOut === undefined) throw new TypeError('This call cannot be tried.');
    const { fingerprint, effect, output, completion } = await tryOut(signal);
    send(socket, { type: 'tried', id, trial: { fingerprint, effect, output, completion } });
  } catch (error) {
    send(socket, { type: 'not-tried', id, message: toSynapseError(error).message });
  }
}

/** Asks in one window; undefined if it closes without an answer. */
async function askIn(
  socket: Socket,
  request: ApprovalRequest,
  { root, from, onShown }: Asker & { readonly onShown: ((place: string) => void) | undefined },
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  using _ = onAbort(signal, () => socket.destroy());
  const { tryOut, ...question } = request;
  send(socket, { type: 'ask', root: root(), from, canTry: tryOut !== undefined, request: question });
  // A window without a person answers at once that it has none.
  const shown = setTimeout(() => onShown?.(CONSOLE), SHOWN_MS);
  const trials: Promise<void>[] = [];
  try {
    for await (const message of messages(socket, WindowMessage)) {
      if (message.type === 'try') trials.push(runTrial(socket, request, message.id, signal));
      else if (message.type === 'allow') {
        const { scope, proposal: index, effect } = message;
        const proposal = index === undefined ? undefined : request.proposals[index];
        return { verdict: 'allow', scope, ...(proposal === undefined ? {} : { proposal }), ...(effect === undefined ? {} : { effect }) };
      } else if (message.type === 'deny') return { verdict: 'deny', ...(message.reason === undefined ? {} : { reason: message.reason }) };
      else return undefined;
    }
  } catch {
    // Closed, or not a Synapse window. Only an explicit approval counts.
  } finally {
    clearTimeout(shown);
    socket.destroy();
    await Promise.all(trials);
  }
  return undefined;
}

/** Shows a form in one window; undefined if it closes without an answer. */
async function fillIn(socket: Socket, form: PersonForm, { root, from }: Asker, signal: AbortSignal): Promise<FilledForm | undefined> {
  using _ = onAbort(signal, () => socket.destroy());
  send(socket, { type: 'form', root: root(), from, form });
  try {
    for await (const message of messages(socket, WindowMessage)) return message.type === 'filled' ? message.filled : undefined;
  } catch {
    // Closed, or not a Synapse window.
  } finally {
    socket.destroy();
  }
  return undefined;
}

function onAbort(signal: AbortSignal, listener: () => void): Disposable {
  if (signal.aborted) listener();
  signal.addEventListener('abort', listener, { once: true });
  return { [Symbol.dispose]: () => signal.removeEventListener('abort', listener) };
}

/**
 * Asks in the open windows for the calls of other processes, such as the console. The first answer
 * counts. Without a window, or if all windows are closed, the call continues as if there were no approver.
 */
export function windowApprover(asker: Asker): Approver {
  const inWindows = <Answer>(ask: (socket: Socket, stop: AbortSignal) => Promise<Answer | undefined>, signal: AbortSignal) => {
    const asks = windowSockets(asker.stateFolder).map((path) => async (stop: AbortSignal): Promise<Answer | undefined> => {
      const socket = await opened(path, stop);
      return socket === undefined ? undefined : await ask(socket, stop);
    });
    return firstAnswer(asks, signal);
  };
  return {
    name: 'console',
    ask: async (request, signal, onShown) =>
      (await inWindows((socket, stop) => askIn(socket, request, { ...asker, onShown }, stop), signal)) ?? { verdict: 'later' },
    fill: async (form, signal) => (await inWindows((socket, stop) => fillIn(socket, form, asker, stop), signal)) ?? { action: 'cancel' },
  };
}
