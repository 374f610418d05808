import type { UnreadableFile, Uses } from './unreadable-file.ts';
import type { RunningTree } from './processes.ts';

/** Milliseconds before the first look: most runs of a helper end sooner. */
const FIRST_LOOK_MS = 150;
/** Milliseconds between two looks. A look takes about 0.5 ms for 100 processes. */
const LOOK_MS = 200;

/** Looks for a file that a helper cannot read to its end. */
export interface ReadWatch extends Disposable {
  /** Begins with a running helper. */
  readonly start: (tree: Pick<RunningTree, 'list'>) => void;
}

/**
 * Watches what a helper reads: someone who can write to the workspace can put a named pipe or a huge file where git or a language
 * server expects a small one, and it would wait there or read until its time is up.
 *
 * @param onFound called once
 * @param readsWhole whether the helper reads a file whole, so that it must not be huge. Default: none
 */
export function watchReads(onFound: (file: UnreadableFile) => void, readsWhole: (path: string) => boolean = () => false): ReadWatch {
  let timer: NodeJS.Timeout | undefined;
  let isOver = process.platform !== 'linux';
  let uses: Uses = new Set();
  const lookAt = async (tree: Pick<RunningTree, 'list'>): Promise<UnreadableFile | undefined> => {
    try {
      // Loaded late: few helpers run for so long.
      const { unreadableIn } = await import('./unreadable-file.ts');
      const seen = await unreadableIn(tree, uses, readsWhole);
      uses = seen.uses;
      return seen.found;
    } catch {
      // Such as too many open files: the next look may work, and nothing waits for this one.
      return undefined;
    }
  };
  const look = async (tree: Pick<RunningTree, 'list'>): Promise<void> => {
    const found = await lookAt(tree);
    if (isOver) return;
    if (found === undefined) timer = setTimeout(() => void look(tree), LOOK_MS).unref();
    else onFound(found);
  };
  return {
    start(tree) {
      clearTimeout(timer);
      if (!isOver) timer = setTimeout(() => void look(tree), FIRST_LOOK_MS).unref();
    },
    [Symbol.dispose]: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
