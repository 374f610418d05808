/** Tells a process in which branch it runs. */
export const BRANCH_VARIABLE = 'SYNAPSE_BRANCH';

/** The branch in which this process runs; undefined for the workspace. */
export const currentBranch = (): string | undefined => process.env[BRANCH_VARIABLE];

/** The name that stands for a new branch of each session. */
export const AUTO = 'auto';
