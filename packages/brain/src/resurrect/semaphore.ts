/** Returns a function that runs at most `width` tasks at once; others wait their turn. */
export function semaphore(width: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = width;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // Pass the slot directly to the first in the queue, so that no new caller can take it.
      if (next === undefined) free += 1;
      else next();
    }
  };
}
