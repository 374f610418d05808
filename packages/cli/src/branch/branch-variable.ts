/** Tells a process in which branch it runs. */
export const BRANCH_VARIABLE = 'SYNAPSE_BRANCH';

/** Tells a process which one entered the branch for it. Killed, that one cannot pass a signal on, so this one ends without it. */
export const ENTERED_BY_VARIABLE = 'SYNAPSE_ENTERED_BY';

/** Tells a process that it is an attempt of another one, and which: `<id of the run>:<index>`; with `:check`, it runs the check of that one. */
export const ATTEMPT_VARIABLE = 'SYNAPSE_ATTEMPT';

/** The branch in which this process runs; undefined for the workspace. */
export const currentBranch = (): string | undefined => process.env[BRANCH_VARIABLE];

/** The name that stands for a new branch of each session. */
export const AUTO = 'auto';
