import { agent, methods, PROTOCOL_VERSION, type AgentApp, type FileSystemCapabilities, type InitializeResponse } from '@agentclientprotocol/sdk';
import { answering } from '../acp-error.ts';
import type { AcpSession } from '../acp-session.ts';
import type { AcpSessions } from '../acp-sessions.ts';
import type { Served } from '../served.ts';
import { editorFace } from './editor-face.ts';
import { sessionModes } from './session-modes.ts';

const capabilities = ({ version, images }: Served): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: 'synapse', title: 'Synapse', version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: images, audio: false, embeddedContext: true },
    mcpCapabilities: { http: true, sse: true },
    sessionCapabilities: { list: {}, resume: {}, close: {} },
  },
  authMethods: [],
});

/** Editors know a session once they have the answer, so its commands follow that. */
function tellLater(session: AcpSession): void {
  setImmediate(() => void session.tellCommands().catch(() => undefined));
}

/** The agent in version 1. */
export function agentV1(sessions: AcpSessions, served: Served): AgentApp {
  const { session } = methods.agent;
  /** What the editor offers of its files, for sessions that are opened from now on. */
  let fs: FileSystemCapabilities | undefined;
  return agent({ name: 'synapse' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      fs = params.clientCapabilities?.fs;
      return capabilities(served);
    })
    .onRequest(
      session.new,
      answering(async ({ params: { cwd, mcpServers }, client }) => {
        const { id, session: made } = await sessions.create({ cwd, servers: mcpServers }, editorFace(client, fs));
        tellLater(made);
        return { sessionId: id, modes: sessionModes(made.modes()) };
      }),
    )
    .onRequest(
      session.load,
      answering(async ({ params: { sessionId, cwd, mcpServers }, client }) => {
        const loaded = await sessions.reopen(sessionId, { cwd, servers: mcpServers }, editorFace(client, fs));
        await loaded.replay();
        tellLater(loaded);
        return { modes: sessionModes(loaded.modes()) };
      }),
    )
    .onRequest(
      session.resume,
      answering(async ({ params: { sessionId, cwd, mcpServers = [] }, client }) => {
        const resumed = await sessions.reopen(sessionId, { cwd, servers: mcpServers }, editorFace(client, fs));
        tellLater(resumed);
        return { modes: sessionModes(resumed.modes()) };
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
      answering(async ({ params, signal }) => ({ stopReason: await sessions.find(params.sessionId).take(params.prompt, signal).ended })),
    )
    .onNotification(session.cancel, ({ params }) => sessions.cancel(params.sessionId));
}
