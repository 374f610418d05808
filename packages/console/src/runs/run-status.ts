import type { AgentStatus } from '@synapse/brain';
import type { ConsoleRun } from '@synapse/protocol/console';

/** How a run of a model is shown, by how it ended. */
export const RUN_STATUS: Readonly<Record<AgentStatus | 'running', ConsoleRun['status']>> = {
  running: 'running',
  done: 'done',
  limit: 'incomplete',
  loop: 'incomplete',
  paused: 'paused',
  cancelled: 'stopped',
  refused: 'failed',
  failed: 'failed',
};
