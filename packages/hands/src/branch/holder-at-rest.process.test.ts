import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { CHECKOUT_USERS } from '../testing/sandbox-bench.ts';

// In processes of their own, because one of them has another user.
const SCRIPT = `
  import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
  import { tmpdir } from 'node:os';
  import { join } from 'node:path';
  import { setTimeout as delay } from 'node:timers/promises';
  const { BranchStore } = await import(${sourceUrl('branch/branch-store.ts')});
  const { FileLocks } = await import(${sourceUrl('workspace/file-lock.ts')});
  const { holderOf } = await import(${sourceUrl('branch/holder-pipe.ts')});
  const { holdBranch, isReleased } = await import(${sourceUrl('branch/hold-branch.ts')});
  const { refreshBranch } = await import(${sourceUrl('branch/refresh-branch.ts')});
  const signal = AbortSignal.timeout(60_000);
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-branch-')));
  const [root, stateFolder] = [join(base, 'workspace'), join(base, 'state')];
  for (const path of [root, stateFolder]) mkdirSync(path);
  writeFileSync(join(root, 'a'), 'old');
  const { folder, record } = await new BranchStore(stateFolder, root).create('one');
  const held = await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal });
  const holder = holderOf(folder);
  const [pid] = holder.split(' ');
  const atRest = async () => {
    while (!readFileSync('/proc/' + pid + '/cmdline', 'utf8').startsWith('/bin/sh\\0')) {
      signal.throwIfAborted();
      await delay(5);
    }
  };
  const seen = [];
  const look = () => seen.push(readFileSync(join(held.path(root), 'a'), 'utf8'));
  look();
  // Twice, because it comes to rest again after an answer.
  for (const text of ['new', 'newer']) {
    await atRest();
    writeFileSync(join(base, 'other'), text);
    renameSync(join(base, 'other'), join(root, 'a'));
    // While the kernel does not look anew, the old file is seen.
    look();
    seen.push(await refreshBranch(held.path(stateFolder)));
    look();
  }
  await atRest();
  const isSame = holderOf(folder) === holder;
  held[Symbol.dispose]();
  console.log(JSON.stringify({ backEnd: held.backEnd, seen, isSame, released: await isReleased(folder, signal) }));`;

describe.skipIf((await findBubblewrap()) === undefined)('the process that holds a branch', () => {
  it.each(CHECKOUT_USERS)('is a shell while nothing happens, and then still lets the kernel look anew, as %s', async (user) => {
    const { output } = runScript(SCRIPT, { asOther: user === 'user' && process.getuid?.() === 0 });
    expect(JSON.parse(await output)).toEqual({
      backEnd: 'overlay',
      seen: ['old', 'old', true, 'new', 'new', true, 'newer'],
      isSame: true,
      released: true,
    });
  });
});
