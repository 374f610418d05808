/** What whoever opened the hands permits beyond reading. `protected` is for files that other programs execute. */
export const GRANTS = ['write', 'exec', 'protected'] as const;
export type Grant = (typeof GRANTS)[number];
