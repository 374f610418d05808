import type { Progress } from '@synapse/protocol';
import type { Git } from './git/git.ts';
import type { CallJobs } from './jobs/call-jobs.ts';
import type { Limits } from './limits.ts';
import type { Diagnostics } from './lsp/diagnostics.ts';
import type { Processes } from './process/processes.ts';
import type { Search } from './search/search.ts';
import type { CollectOptions, OutputCollector } from './shape/output-collector.ts';
import type { Web } from './web/web.ts';
import type { Workspace } from './workspace/workspace.ts';

/** The powers of one call. A tool has no others: no disk, no process, no environment of its own. */
export interface ToolContext {
  readonly workspace: Workspace;
  readonly processes: Processes;
  /** Commands that outlive their call. */
  readonly jobs: CallJobs;
  readonly search: Search;
  readonly git: Git;
  readonly web: Web;
  readonly diagnostics: Diagnostics;
  /** Aborted by the deadline or the caller; `reason` is a Synapse error, `timeout` or `cancelled`. */
  readonly signal: AbortSignal;
  readonly limits: Limits;
  /** Tells whoever watches how far the call is. */
  progress(progress: Progress): void;
  /** Stores what is no text, such as a sound, beside the answer; gives the handle. Of one, 64 MiB at most. */
  keep(bytes: Uint8Array): string;
  /** A bounded place for output of unknown size, which spills what it cannot show. */
  collectOutput(options?: CollectOptions): OutputCollector;
}
