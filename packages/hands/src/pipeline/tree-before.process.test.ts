import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { queryAudit } from '../audit/query-audit.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { CurrentTree } from './routed-commands.ts';

/** Turns of the event loop within which changes are applied that wait for nothing. */
const TURNS = 20_000;

it.skipIf((await findBubblewrap()) === undefined)('a slow look at what a command began with sees nothing of what it changed', async () => {
  await using bench = await temporaryHands({ 'a.txt': 'one\n' }, { sandbox: 'required', allow: ['exec', 'write'] });
  // As late as it can be: when the changes are applied, or wait for it. The second look is that at the end of the command.
  const looks = vi.spyOn(CurrentTree.prototype, 'current').mockImplementationOnce(async function (this: CurrentTree) {
    while (looks.mock.calls.length < 2) await turn();
    for (let turns = 0; turns < TURNS && existsSync(bench.at('a.txt')); turns += 1) await turn();
    return await this.current();
  });
  onTestFinished(() => looks.mockRestore());
  expect(await bench.hands.call('run_command', { command: 'mv a.txt b.txt' })).toMatchObject({ ok: true, data: { exit_code: 0 } });
  expect(await bench.hands.call('run_command', { command: 'mv b.txt c.txt' })).toMatchObject({ ok: true, data: { exit_code: 0 } });
  const [second, first] = [...queryAudit(join(bench.folder, '../state'), bench.folder, { limit: 2 })].map(({ end }) => end?.command?.tree);
  expect(first?.after).toMatch(/^[\da-f]{64}$/u);
  expect([first?.before === first?.after, first?.after]).toEqual([false, second?.before]);
});
