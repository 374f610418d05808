import { waitsForKeys, waitsForPipe } from '../jobs/waits-for-input.ts';
import type { RunningTree } from '../process/processes.ts';
import { NO_INPUT } from './command-note.ts';

/**
 * Milliseconds between two looks at a running command. A command that is silent and refused by the network at two looks in a row
 * retries forever, as `until curl …` does; a package manager has given up by then. One that waits for a pipe at both waits for nothing.
 */
export const LOOK_MS = 5_000;

const WAITS_FOR_PIPE = 'it waits to open a named pipe whose other end nothing opens: start both ends in one command';

const WAITS_FOR_KEYS = `it waits for keys at a terminal · ${NO_INPUT}`;

/** The advice of the network of a sandbox if it refused a command something. */
export function refusal(tree: RunningTree | undefined): string | undefined {
  const refused = tree?.refused?.();
  return refused === undefined || refused.count === 0 ? undefined : refused.hint;
}

/** Returns a check for why waiting for a command is pointless; undefined if it is not. */
export function whyInVain(tree: () => RunningTree | undefined, silentMs: () => number): () => string | undefined {
  const isRefused = triesInVain(() => tree()?.refused?.().count ?? 0, silentMs);
  const isAtPipe = twice(() => waitsForPipe(tree()?.list() ?? []));
  // What drives a program in a terminal types as soon as it reads something.
  const isAtKeys = twice(() => silentMs() >= LOOK_MS && waitsForKeys(tree()?.list() ?? []));
  return () => {
    const [refused, atPipe, atKeys] = [isRefused(), isAtPipe(), isAtKeys()];
    if (refused) return refusal(tree());
    if (atKeys) return WAITS_FOR_KEYS;
    return atPipe ? WAITS_FOR_PIPE : undefined;
  };
}

/** Returns a check for commands that only retry to reach other machines: true from the second look in a row that finds so. */
export function triesInVain(refusedCount: () => number, silentMs: () => number): () => boolean {
  let before = 0;
  return twice(() => {
    const now = refusedCount();
    const again = now > before && silentMs() >= LOOK_MS;
    before = now;
    return again;
  });
}

/** Returns a check that is true from the second look in a row at which another one is. */
function twice(check: () => boolean): () => boolean {
  let looks = 0;
  return () => {
    looks = check() ? looks + 1 : 0;
    return looks >= 2;
  };
}
