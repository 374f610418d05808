/** Identifies the sources: a launcher of others is not used. */
export function launcherVersion(): string;
