import type { AgentStatus } from '../agent/agent-result.ts';

/** The settings of a session; `synapse resume` uses the same. */
export interface SessionSetup {
  /** Real path of the workspace. */
  readonly workspace: string;
  /** The model as given, such as `openai/gpt-5.2`. */
  readonly model: string;
  readonly baseUrl?: string | undefined;
  readonly protocol?: string | undefined;
  readonly dialect?: string | undefined;
  /** Address of the remote machine whose tools the session uses, if any. Contains no secret. */
  readonly remote?: string | undefined;
  /** The branch that the session works in; undefined for the workspace. */
  readonly branch?: string | undefined;
  /** The first task, to show in lists. */
  readonly task: string;
  /** The workspace in which it was recorded, of a session from a file. */
  readonly importedFrom?: string | undefined;
}

/** A session as shown in a list. */
export interface SessionRecord extends SessionSetup {
  readonly id: string;
  /** `running` also if the process was killed. */
  readonly status: AgentStatus | 'running';
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly calls: number;
}
