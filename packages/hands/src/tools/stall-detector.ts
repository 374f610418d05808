import { waitsForKeys, waitsForPipe } from '../jobs/waits-for-input.ts';
import type { RunningTree } from '../process/processes.ts';
import { displayText } from '../workspace/byte-name.ts';
import { NO_INPUT } from './command-note.ts';

/**
 * Milliseconds between two looks at a running command. A command that is silent and refused by the network at two looks in a row
 * retries forever, as `until curl …` does; a package manager has given up by then. One that waits for a pipe at both waits for nothing.
 */
export const LOOK_MS = 5_000;
/** Milliseconds between two looks for what needs no patience: a command that goes on as a job loses nothing. */
export const SHORT_LOOK_MS = 1_000;

/** What is said of a pipe. git waits like this for one in the place of a file. */
async function waitsFor(tree: RunningTree | undefined, root: string): Promise<string> {
  // Loaded where the case occurs.
  const { pipeOf } = await import('../process/unreadable-file.ts');
  const path = pipeOf(tree?.list() ?? []);
  const shown =
    path === undefined || path.length > MAX_SHOWN ? '' : ` ${displayText(path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path)},`;
  return `it waits to open a named pipe,${shown} whose other end nothing opens: start both ends in one command, or remove it if it is in the place of a file`;
}

/** Maximum length of a path that is shown. */
const MAX_SHOWN = 200;

const WAITS_FOR_KEYS = `it waits for keys at a terminal · ${NO_INPUT}`;

/** The advice of the network of a sandbox if it refused a command something. */
export function refusal(tree: RunningTree | undefined): string | undefined {
  const refused = tree?.refused?.();
  return refused === undefined || refused.count === 0 ? undefined : refused.hint;
}

/** What is looked at. */
interface Looks {
  readonly tree: () => RunningTree | undefined;
  readonly silentMs: () => number;
  /** The workspace. */
  readonly root: string;
  /** Whether the command goes on if waiting is pointless. Else another one gets more time to open a pipe's other end. */
  readonly goesOn: boolean;
}

/** Returns a check for why waiting for a command is pointless, to be called every {@link SHORT_LOOK_MS}; undefined if it is not. */
export function whyStalled({ tree, silentMs, root, goesOn }: Looks): () => Promise<string | undefined> {
  const isRefused = triesInVain(() => tree()?.refused?.().count ?? 0, silentMs);
  const isAtPipe = twice(() => waitsForPipe(tree()?.list() ?? []));
  const isLong = every(LOOK_MS / SHORT_LOOK_MS);
  // What drives a program in a terminal types as soon as it reads something.
  const isAtKeys = twice(() => silentMs() >= LOOK_MS && waitsForKeys(tree()?.list() ?? []));
  return async () => {
    const isTime = isLong();
    const [refused, atPipe, atKeys] = [isTime && isRefused(), (isTime || goesOn) && isAtPipe(), isTime && isAtKeys()];
    if (refused) return refusal(tree());
    if (atKeys) return WAITS_FOR_KEYS;
    return atPipe ? await waitsFor(tree(), root) : undefined;
  };
}

/** Returns a check that is true at each such look. */
function every(looks: number): () => boolean {
  let count = 0;
  return () => {
    count += 1;
    return count % looks === 0;
  };
}

/** Returns a check for commands that only retry to reach other machines: true once two looks in a row find so. */
export function triesInVain(refusedCount: () => number, silentMs: () => number): () => boolean {
  let before = 0;
  return twice(() => {
    const now = refusedCount();
    const again = now > before && silentMs() >= LOOK_MS;
    before = now;
    return again;
  });
}

/** Returns a check that is true once another one held twice in a row. */
function twice(check: () => boolean): () => boolean {
  let looks = 0;
  return () => {
    looks = check() ? looks + 1 : 0;
    return looks >= 2;
  };
}
