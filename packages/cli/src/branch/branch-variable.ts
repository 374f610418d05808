/** Tells a process in which branch it runs. */
export const BRANCH_VARIABLE = 'SYNAPSE_BRANCH';

/** The name that stands for a new branch of each session. */
export const AUTO = 'auto';
