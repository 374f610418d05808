import {
  agent,
  MessageTooLargeError,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type AgentApp,
  type InitializeResponse,
  type Stream,
} from '@agentclientprotocol/sdk';
import { defaultStateFolder } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import type { Output } from '../output/output.ts';
import { acpError } from './acp-error.ts';
import type { AcpOptions } from './acp-place.ts';
import type { AcpSession } from './acp-session.ts';
import { AcpSessions } from './acp-sessions.ts';

/** Maximum size of a message in bytes: a prompt with images. A longer line ends the connection. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** What an agent over ACP needs. */
export interface AcpServing {
  readonly options: AcpOptions;
  readonly version: string;
  readonly err: Output;
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Ends the connection. */
  readonly signal: AbortSignal;
}

const capabilities = (version: string, { noImages }: AcpOptions): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: 'synapse', title: 'Synapse', version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: noImages !== true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, resume: {}, close: {} },
  },
  authMethods: [],
});

/** Answers with the error of what fails. */
const answering =
  <Context, Answer>(work: (context: Context) => Promise<Answer> | Answer) =>
  async (context: Context): Promise<Answer> => {
    try {
      return await work(context);
    } catch (error) {
      throw acpError(error);
    }
  };

/** Editors know a session once they have the answer, so its commands follow that. */
function tellLater(session: AcpSession): void {
  setImmediate(() => void session.tellCommands().catch(() => undefined));
}

/** The methods of the agent. */
function acpAgent(sessions: AcpSessions, { version, options }: Pick<AcpServing, 'version' | 'options'>): AgentApp {
  const { session } = methods.agent;
  return agent({ name: 'synapse' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.knowFiles(params.clientCapabilities?.fs);
      return capabilities(version, options);
    })
    .onRequest(
      session.new,
      answering(async ({ params, client }) => {
        const { id, session: made } = await sessions.create(params, client);
        tellLater(made);
        return { sessionId: id, modes: made.modes };
      }),
    )
    .onRequest(
      session.load,
      answering(async ({ params, client }) => {
        const loaded = await sessions.reopen(params.sessionId, params, client);
        await loaded.replay();
        tellLater(loaded);
        return { modes: loaded.modes };
      }),
    )
    .onRequest(
      session.resume,
      answering(async ({ params, client }) => {
        const resumed = await sessions.reopen(params.sessionId, params, client);
        tellLater(resumed);
        return { modes: resumed.modes };
      }),
    )
    .onRequest(
      session.list,
      answering(({ params }) => sessions.list(params.cwd ?? undefined, params.cursor ?? undefined)),
    )
    .onRequest(
      session.close,
      answering(async ({ params }) => {
        await sessions.close(params.sessionId);
        return {};
      }),
    )
    .onRequest(
      session.setMode,
      answering(({ params }) => {
        sessions.find(params.sessionId).setMode(params.modeId);
        return {};
      }),
    )
    .onRequest(
      session.prompt,
      answering(async ({ params, signal }) => ({ stopReason: await sessions.find(params.sessionId).prompt(params.prompt, signal) })),
    )
    .onNotification(session.cancel, ({ params }) => sessions.cancel(params.sessionId));
}

/** Passes messages on, and keeps the error that ends them: the connection itself does not report it. */
function kept(readable: Stream['readable'], keep: (error: unknown) => void): Stream['readable'] {
  const reader = readable.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        keep(error);
        controller.error(error);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/**
 * Serves an editor until it disconnects: then everything that it started has ended.
 *
 * @throws SynapseError `too_large` if a message of the editor was too long
 */
export async function serveAcp(serving: AcpServing): Promise<void> {
  const { options, err, input, output, signal } = serving;
  await using sessions = new AcpSessions(options, err, defaultStateFolder());
  let failure: unknown;
  const { readable, writable } = ndJsonStream(output, input, { maxMessageBytes: MAX_MESSAGE_BYTES });
  const connection = acpAgent(sessions, serving).connect({ writable, readable: kept(readable, (error) => (failure = error)) });
  const end = (): void => connection.close();
  if (signal.aborted) end();
  else signal.addEventListener('abort', end, { once: true });
  await connection.closed;
  signal.removeEventListener('abort', end);
  if (failure instanceof MessageTooLargeError)
    throw new SynapseError('too_large', `The editor sent a message of more than ${MAX_MESSAGE_BYTES} bytes; the connection is closed.`, {
      hint: 'Attach less to a prompt.',
    });
}
