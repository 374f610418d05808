import { findManifests } from './manifest-kinds.ts';
import type { Command } from './manifest.ts';

/**
 * Returns the commands in a manifest, such as `rake test`; none if it is unknown or cannot be parsed.
 *
 * @param siblings files beside it: a lock file tells the package manager
 */
export async function manifestCommands(name: string, text: string, siblings: readonly string[]): Promise<readonly Command[]> {
  const [kind] = findManifests([name], 1);
  try {
    return (await kind?.parse(text, siblings))?.commands ?? [];
  } catch {
    // Any parser error means that this is not a valid manifest: the program that it is for cannot use it either.
    return [];
  }
}
