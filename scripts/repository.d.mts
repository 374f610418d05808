export function repositoryAddress(given: string | undefined, env: Readonly<Record<string, string | undefined>>): string | undefined;
export function withRepository(manifest: object, directory: string, address: string | undefined): object;
