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

  it('is what came of it in the end, where a command made a folder with all that is in it', async () => {
    await using place = await temporaryHands({ 'run.sh': 'x\n' }, { sandbox: 'required' });
    const { hands } = place;
    for (const command of [
      'mkdir -p gen/in && for i in 1 2 3; do echo $i > gen/$i; done; : > gen/in/empty',
      'mv gen/1 gen/one; chmod 755 gen/2; echo more >> gen/3; rm gen/in/empty; rmdir gen/in',
      'chmod 755 run.sh; : > empty',
    ])
      expect(await hands.call('run_command', { command })).toMatchObject({ ok: true });
    for (const move of [
      { from: 'gen/one', to: 'gen/1' },
      { from: 'gen/1', to: 'out' },
    ])
      expect(await hands.call('move_path', move)).toMatchObject({ ok: true });
    expect(await hands.call('run_command', { command: 'mkdir two && echo 2 > two/a && echo 3 > two/b' })).toMatchObject({ ok: true });
    // The journal has their content only as a part of the folder.
    for (const to of ['a', 'b']) expect(await hands.call('move_path', { from: `two/${to}`, to })).toMatchObject({ ok: true });
    expect(await hands.call('delete_file', { path: 'b' })).toMatchObject({ ok: true });
    expect(await hands.changes()).toEqual([
      { kind: 'created', path: 'a', current: true },
      { kind: 'created', path: 'empty', current: true, diff: '--- /dev/null\n+++ b/empty\n' },
      { kind: 'created', path: 'gen', current: true, note: 'a folder' },
      { kind: 'created', path: 'gen/2', current: true, note: 'mode 755', diff: '--- /dev/null\n+++ b/gen/2\n@@ -0,0 +1,1 @@\n+2\n' },
      { kind: 'created', path: 'gen/3', current: true, diff: '--- /dev/null\n+++ b/gen/3\n@@ -0,0 +1,2 @@\n+3\n+more\n' },
      { kind: 'created', path: 'out', current: true, diff: '--- /dev/null\n+++ b/out\n@@ -0,0 +1,1 @@\n+1\n' },
      { kind: 'changed', path: 'run.sh', current: true, note: 'mode 644 → 755' },
      { kind: 'created', path: 'two', current: true, note: 'a folder' },
    ]);
  });
});
