import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

describe.skipIf((await findBubblewrap()) === undefined)('what jobs left, where it cannot be looked at', () => {
  it('does not keep commands from running', async () => {
    await using place = await temporaryHands({ 'a.txt': 'a\n' }, { allow: ['write', 'exec'] });
    const state = join(place.outside, '..', 'state');
    mkdirSync(state, { recursive: true });
    // A file in place of the folder for layers.
    writeFileSync(join(state, 'cache-layers'), '');
    for (let round = 0; round < 2; round += 1) {
      expect(await place.hands.call('run_command', { command: 'cat a.txt' })).toMatchObject({ ok: true, data: { stdout: 'a\n' } });
    }
  });
});
