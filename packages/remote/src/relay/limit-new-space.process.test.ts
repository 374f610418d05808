import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

const MODULE = new URL('limit-new-space.ts', import.meta.url).href;

/** The largest room for new objects, in MB, of a process that keeps many objects for a while. */
function largest(before: string): number {
  const program = `
    import { setImmediate } from 'node:timers/promises';
    import { getHeapSpaceStatistics } from 'node:v8';
    const { limitNewSpace } = await import(${JSON.stringify(MODULE)});
    ${before}
    const kept = [];
    let most = 0;
    for (let count = 0; count < 4_000_000; count += 1) {
      kept[count % 400_000] = { count, text: [count] };
      // As in a relay, a turn of the event loop allocates far less than what fills the room: V8's report of a collection comes in a later turn.
      if (count % 4_000 > 0) continue;
      await setImmediate();
      most = Math.max(most, getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);
    }
    console.log(most / 1_048_576, kept.length);
  `;
  // The default of newer versions of Node.
  const words = ['--max-semi-space-size=32', '--input-type=module', '--eval', program];
  return Number.parseFloat(execFileSync(process.execPath, words, { encoding: 'utf8' }));
}

it('the room for new objects does not grow beyond what is enough', () => {
  // While it is full, V8 may add a few pages.
  expect(largest('limitNewSpace();')).toBeLessThan(48);
  // The control.
  expect(largest('')).toBeGreaterThanOrEqual(64);
});
