/** Digits of a commit's id in texts for models and people. The data has all. */
const DIGITS = 10;

/** A commit's id as texts show it. */
export const shortId = (sha: string): string => sha.slice(0, DIGITS);
