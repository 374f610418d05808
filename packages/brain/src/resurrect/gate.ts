/** Lets at most `width` pieces of work run at once; the others wait their turn. */
export function openGate(width: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = width;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place goes straight to whoever waits longest, so nobody can slip in between.
      if (next === undefined) free += 1;
      else next();
    }
  };
}
