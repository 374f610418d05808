import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BranchStore } from '../branch/branch-store.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** Begins to make a branch of the past, and is killed when it writes its first file. */
const script = (options: object, call: string): string => `
  import fs from 'node:fs';
  import { syncBuiltinESMExports } from 'node:module';
  const original = fs.writeSync;
  fs.writeSync = (...given) => (String(given[1]) === 'old b\\n' ? process.kill(process.pid, 'SIGKILL') : original(...given));
  syncBuiltinESMExports();
  const { createHands } = await import(${sourceUrl('runtime/create-hands.ts')});
  const hands = await createHands(${JSON.stringify(options)});
  await hands.createBranch('past', { at: ${JSON.stringify(call)} });`;

it.skipIf((await findBubblewrap()) === undefined)('a kill in the middle leaves no branch that has a part of the past', async () => {
  await using bench = await temporaryHands({ a: 'old a\n', b: 'old b\n' });
  const { hands, folder, at } = bench;
  const first = await hands.call('write_file', { path: 'b', content: 'new b\n' });
  await hands.call('write_file', { path: 'a', content: 'new a\n' });
  const options = { workspace: folder, stateFolder: join(folder, '../state'), configFolder: join(folder, '../config') };
  const child = runScript(script(options, first.meta.callId));
  const [, signal] = await once(child.process, 'exit');
  expect(signal).toBe('SIGKILL');
  const store = new BranchStore(options.stateFolder, folder);
  expect([hands.branches(), store.damaged()]).toEqual([[], []]);
  await expect(hands.dropBranch('past')).rejects.toMatchObject({ code: 'not_found' });
  // What holds the mounts ends soon after.
  await expect
    .poll(async () => await hands.createBranch('past', { at: first.meta.callId }).catch(({ code }) => code))
    .toMatchObject({ name: 'past' });
  const { changes } = await hands.showBranch('past');
  expect(changes.map(({ path }) => path).toSorted()).toEqual(['a', 'b']);
  expect(await hands.applyBranch('past')).toMatchObject({ ok: true, data: { applied: 2 } });
  expect(readFileSync(at('b'), 'utf8')).toBe('old b\n');
});

it.skipIf((await findBubblewrap()) === undefined)('an aborted signal in the middle leaves no branch', async () => {
  await using bench = await temporaryHands({ a: 'old a\n' });
  const { hands } = bench;
  const { meta } = await hands.call('write_file', { path: 'a', content: 'new a\n' });
  const ending = new AbortController();
  const making = hands.createBranch('past', { at: meta.callId, signal: ending.signal });
  ending.abort();
  await expect(making).rejects.toMatchObject({ name: 'AbortError' });
  await expect(hands.createBranch('other', { signal: ending.signal })).rejects.toMatchObject({ name: 'AbortError' });
  expect(hands.branches()).toEqual([]);
  expect(await hands.createBranch('past', { at: meta.callId, signal: new AbortController().signal })).toMatchObject({ name: 'past' });
  expect((await hands.showBranch('past')).changes.map(({ path }) => path)).toEqual(['a']);
});
