import { agentProtocolRouter, type AgentConnector, type AgentProtocolRouter } from '@agentclientprotocol/sdk/experimental/v2';
import type { AcpSessions } from '../acp-sessions.ts';
import type { Served } from '../served.ts';
import { agentV2 } from './agent.ts';

/** An agent that speaks the highest version that the editor speaks, too. */
export const anyVersion = (v1: AgentConnector, sessions: AcpSessions, served: Served): AgentProtocolRouter =>
  agentProtocolRouter().withV1(v1).withV2(agentV2(sessions, served));
