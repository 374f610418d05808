import { isManifest, manifestCommands } from '@synapse/brain';
import type { FoundCommands } from './manifest.ts';

/** Purposes of commands that need no question. To start a program is another matter. */
const HARMLESS: ReadonlySet<string> = new Set(['test', 'build', 'check']);
/** A command that can be written in a rule without quoting, and that runs one program. */
const PLAIN = /^[\w./:@-]+(?: [\w./:@=-]+)*$/u;

/** The names of files that reports know as manifests, of those in a folder. */
export const knownManifests = (names: readonly string[]): string[] => names.filter(isManifest);

/** Finds the commands that reports suggest, in the same manifests. */
export async function detectedCommands(manifests: ReadonlyMap<string, string>): Promise<FoundCommands[]> {
  const names = [...manifests.keys()];
  const found = await Promise.all(
    [...manifests].map(async ([from, text]): Promise<FoundCommands> => {
      const commands = await manifestCommands(from, text, names);
      return { from, commands: commands.filter(({ purpose, value }) => HARMLESS.has(purpose) && PLAIN.test(value)).map(({ value }) => value) };
    }),
  );
  return found.filter(({ commands }) => commands.length > 0);
}
