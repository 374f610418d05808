import { chmodSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** More than Node reads at once, 2 GiB; it takes no space. */
const GIGABYTES = 3 * 1024 ** 3;

describe.skipIf((await findBubblewrap()) === undefined)('what commands changed, as shown', () => {
  it.each([
    ['a name that is no UTF-8', String.raw`printf 'x\n' > $'a\xff'`, String.raw`a\xff`],
    ['a file that cannot be read at once', `truncate -s ${GIGABYTES} a`, 'a'],
  ])('is as the command left it: %s', async (_, command, path) => {
    await using place = await temporaryHands({}, { sandbox: 'required' });
    await place.hands.call('run_command', { command });
    const [change, ...more] = await place.hands.changes();
    expect(more).toEqual([]);
    expect(change).toMatchObject({ kind: 'created', path, current: true });
    expect(change?.note ?? '').not.toContain('not kept');
  });

  it('is not as the command left it, if something else changed it since', async () => {
    await using place = await temporaryHands({}, { sandbox: 'required' });
    await place.hands.call('run_command', { command: `truncate -s ${GIGABYTES} big; echo 1 > small; echo 1 > same; echo 1 > closed` });
    truncateSync(join(place.folder, 'big'), GIGABYTES);
    writeFileSync(join(place.folder, 'small'), '2\n');
    chmodSync(join(place.folder, 'closed'), 0);
    const changes = await place.hands.changes();
    expect(changes.map(({ path, current }) => [path, current])).toEqual([
      ['big', false],
      ['closed', true],
      ['same', true],
      ['small', false],
    ]);
  });
});
