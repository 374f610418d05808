import {
  agent,
  assertSupportedMcpServers,
  methods,
  PROTOCOL_VERSION,
  ReplayFrom,
  type AgentApp,
  type InitializeResponse,
  type ResumeSessionRequest,
  type ResumeSessionResponse,
} from '@agentclientprotocol/sdk/experimental/v2';
import { SynapseError } from '@synapse/protocol';
import { answering } from '../acp-error.ts';
import type { AcpSession } from '../acp-session.ts';
import type { AcpSessions } from '../acp-sessions.ts';
import type { Served } from '../served.ts';
import { configOptions, wantedMode } from './config-options.ts';
import { editorFace } from './editor-face.ts';
import { openingOf, promptBlocks } from './request-content.ts';
import { commandsOf } from './updates.ts';

const MCP = { stdio: {}, http: {} };

const capabilities = ({ version, images }: Served): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  info: { name: 'synapse', title: 'Synapse', version },
  capabilities: { session: { prompt: { ...(images ? { image: {} } : {}), embeddedContext: {} }, mcp: MCP } },
});

/** Whether a request asks for the history. */
function isReplayed({ replayFrom }: Pick<ResumeSessionRequest, 'replayFrom'>): boolean {
  if (replayFrom === undefined || replayFrom === null) return false;
  if (ReplayFrom.isStart(replayFrom)) return true;
  throw new SynapseError('invalid_arguments', 'A session can be replayed from its start only.', { hint: 'Send {"type":"start"}.' });
}

async function offered(session: AcpSession): Promise<ResumeSessionResponse> {
  return { configOptions: configOptions(session.modes()), availableCommands: commandsOf(await session.commands()) };
}

/** The agent in version 2. */
export function agentV2(sessions: AcpSessions, served: Served): AgentApp {
  const { session } = methods.agent;
  return agent({ name: 'synapse' })
    .onRequest(methods.agent.initialize, () => capabilities(served))
    .onRequest(
      session.new,
      answering(async ({ params, client }) => {
        assertSupportedMcpServers(params.mcpServers, MCP);
        const { id, session: made } = await sessions.create(openingOf(params), editorFace(client));
        return { sessionId: id, ...(await offered(made)) };
      }),
    )
    .onRequest(
      session.resume,
      answering(async ({ params, client }) => {
        assertSupportedMcpServers(params.mcpServers, MCP);
        const withHistory = isReplayed(params);
        const resumed = await sessions.reopen(params.sessionId, openingOf(params), editorFace(client));
        if (withHistory) await resumed.replay();
        await resumed.tellActivity();
        return await offered(resumed);
      }),
    )
    .onRequest(
      session.list,
      answering(({ params }) => sessions.list(params.cwd ?? undefined, params.cursor ?? undefined)),
    )
    .onRequest(
      session.close,
      answering(async ({ params: { sessionId } }) => {
        await sessions.close(sessionId);
        return {};
      }),
    )
    .onRequest(
      session.setConfigOption,
      answering(({ params }) => {
        const found = sessions.find(params.sessionId);
        found.setMode(wantedMode(params));
        return { configOptions: configOptions(found.modes()) };
      }),
    )
    .onRequest(
      session.prompt,
      answering(async ({ params: { sessionId, prompt }, signal }) => {
        return { messageId: await sessions.find(sessionId).takeInTurn(promptBlocks(prompt), signal) };
      }),
    )
    .onNotification(session.cancel, ({ params }) => sessions.cancel(params.sessionId));
}
