import type { SandboxTier } from '@synapse/protocol';
import type { ProcessRequest } from '../process/processes.ts';
import type { PreparedRun, RunParts, WorkspaceUse } from './run.ts';
import type { WorkspaceOverlay } from './workspace-overlay.ts';

/** What confines the commands of a sandbox. */
export interface Tier {
  readonly name: Exclude<SandboxTier, 'none'>;
  /** The path of the program that does it. */
  readonly program: string;
  /** How a command gets a copy of the workspace: mounted in its place, or as a clone elsewhere. */
  readonly copies: 'overlay' | 'clone';
  /** Opens what a command needs, and builds its command line. */
  readonly prepare: (parts: RunParts, request: ProcessRequest, overlay: WorkspaceOverlay | undefined, use: WorkspaceUse) => Promise<PreparedRun>;
  /** Waits for what goes on after its commands. Default: nothing does. */
  readonly end?: (() => Promise<void>) | undefined;
}
