export const NODE_VERSIONS: readonly string[];
export function nodeOf(version: string): string | undefined;
export function installNodeVersions(versions?: readonly string[]): void;
