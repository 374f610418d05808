import { expect, it } from 'vitest';
import { floodStalledReader } from './fixtures/stalled-reader.ts';

const MB = 1_048_576;

// With 300 MB, and the size of the processes: npm run bench -- remote.
it('a reader that stalls costs neither relay nor machine memory', { timeout: 60_000 }, async () => {
  const { relay, hands } = await floodStalledReader(40);
  expect(relay.kept).toBeLessThan(8 * MB);
  expect(hands.kept).toBeLessThan(8 * MB);
});
