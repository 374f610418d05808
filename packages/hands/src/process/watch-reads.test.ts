import { expect, it } from 'vitest';
import { watchReads } from './watch-reads.ts';

it.skipIf(process.platform !== 'linux')('looks again after a look that failed', async () => {
  const { promise: again, resolve } = Promise.withResolvers<void>();
  let looks = 0;
  using watch = watchReads(() => {});
  watch.start({
    list: () => {
      looks += 1;
      if (looks === 1) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
      resolve();
      return [];
    },
  });
  await again;
  expect(looks).toBe(2);
});
