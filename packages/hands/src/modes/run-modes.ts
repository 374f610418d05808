/** The names of the ways to run a program, see {@link RUN_MODES}. */
export type RunMode = 'read' | 'copy' | 'try' | 'live' | 'job' | 'server';

/** What a way to run commands means. Each column is a fact that the sandbox, the judges, undo and questions ask for. */
export interface RunModeFacts {
  /** What the command finds in place of the workspace. */
  readonly workspace: 'read-only' | 'copy' | 'itself';
  /** `policy`: what the configuration allows. */
  readonly network: 'policy' | 'none';
  /** Whether it sees hidden files that are in git's index as they are: it could read them there anyway. Not if a person may change them meanwhile. */
  readonly showsStaged: boolean;
  /** Where it sees the build output of earlier commands that is kept apart. */
  readonly outputs: 'none' | 'in the copy' | 'mounted';
  /** What happens to what it writes to caches. gopls cannot load packages where it can write none. */
  readonly caches: 'kept' | 'dropped' | 'read-only';
  /** How files that other programs execute are kept from it. */
  readonly protected: 'read-only' | 'judged' | 'mounted read-only';
  /** What is looked at when it has ended. */
  readonly after: 'nothing' | 'changes' | 'new files';
  /** Whether its result reports what an earlier command left whose Synapse process was killed before its own result. */
  readonly reportsEarlier: boolean;
  readonly undo: 'nothing to undo' | 'covered' | 'not covered';
}

const LIVE: RunModeFacts = {
  workspace: 'itself',
  network: 'policy',
  showsStaged: false,
  outputs: 'mounted',
  caches: 'kept',
  protected: 'mounted read-only',
  after: 'new files',
  reportsEarlier: true,
  undo: 'not covered',
};

/**
 * The ways to run a program for a call. `read`: a command that only reads · `copy`: a command that may change files · `try`: a dry run ·
 * `live`: a command that must run in the workspace itself · `job`: one that outlives its call · `server`: a language server.
 */
export const RUN_MODES: Readonly<Record<RunMode, RunModeFacts>> = {
  read: {
    workspace: 'read-only',
    network: 'none',
    showsStaged: true,
    outputs: 'none',
    caches: 'read-only',
    protected: 'read-only',
    after: 'nothing',
    reportsEarlier: true,
    undo: 'nothing to undo',
  },
  copy: {
    workspace: 'copy',
    network: 'policy',
    showsStaged: true,
    outputs: 'in the copy',
    caches: 'kept',
    protected: 'judged',
    after: 'changes',
    reportsEarlier: true,
    undo: 'covered',
  },
  try: {
    workspace: 'copy',
    network: 'none',
    showsStaged: true,
    outputs: 'in the copy',
    caches: 'dropped',
    protected: 'judged',
    after: 'changes',
    // A dry run has no result to report it in.
    reportsEarlier: false,
    undo: 'nothing to undo',
  },
  live: LIVE,
  // It only outlives its call.
  job: LIVE,
  server: {
    workspace: 'read-only',
    network: 'policy',
    showsStaged: false,
    outputs: 'mounted',
    caches: 'dropped',
    protected: 'read-only',
    after: 'nothing',
    reportsEarlier: false,
    undo: 'nothing to undo',
  },
};
