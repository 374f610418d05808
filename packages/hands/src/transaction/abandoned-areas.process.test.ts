import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runScript, sourceUrl } from '../testing/run-script.ts';
import { CHECKOUT_USERS } from '../testing/sandbox-bench.ts';
import { keepInterrupted, removeAbandoned } from './abandoned-areas.ts';
import { pendingIn } from './pending-record.ts';
import { makeArea, TransactionArea } from './transaction-area.ts';

/** Larger than every process id (Linux PID_MAX_LIMIT). */
const NO_PROCESS = 'area-4194305-1-';

it('a process that is killed during the cleanup of another loses nothing: only areas without work are removed', async () => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-abandoned-'));
  const areas = join(base, 'transactions', 'workspace');
  mkdirSync(areas, { recursive: true });
  const abandoned = (name: string, command: string | undefined, file?: string): TransactionArea => {
    const made = makeArea(areas, base, command);
    if (file !== undefined) writeFileSync(join(made.upper, file), 'work');
    const area = new TransactionArea(join(dirname(made.path), `${NO_PROCESS}${name}`));
    renameSync(made.path, area.path);
    return area;
  };
  const worked = abandoned('worked', 'echo work > a', 'a');
  const removed = [abandoned('idle', 'true'), abandoned('tried', undefined, 'a')];
  const running = makeArea(areas, base, 'sleep 60');
  await removeAbandoned(areas, () => false, new AbortController().signal);
  expect(removed.map(({ path }) => existsSync(path))).toEqual([false, false]);
  expect(readdirSync(areas).toSorted()).toEqual([worked.name, running.name].toSorted());
  expect(pendingIn(areas).map(({ record }) => record)).toMatchObject([{ command: 'echo work > a', files: 1, bytes: 4 }]);
});

it.each(['there', 'gone'])('what a killed command did in a repository outside is pending too: %s', (state) => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-abandoned-'));
  const [areas, repository] = [join(base, 'transactions', 'workspace'), join(base, 'repository')];
  for (const folder of [areas, repository]) mkdirSync(folder, { recursive: true });
  const made = makeArea(areas, base, 'git commit', repository);
  writeFileSync(join(made.repository.upper, 'packed-refs'), 'work');
  const area = new TransactionArea(join(areas, `${NO_PROCESS}commit`));
  renameSync(made.path, area.path);
  if (state === 'gone') rmSync(repository, { recursive: true });
  expect(keepInterrupted(areas)).toHaveLength(1);
  expect(pendingIn(areas).map(({ record }) => record)).toMatchObject([{ command: 'git commit', files: 1, bytes: 4 }]);
  expect(existsSync(join(area.upper, '.git/packed-refs'))).toBe(true);
});

it('a repository that is gone since keeps neither the other changes of a killed command from a person, nor later commands from running', () => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-abandoned-'));
  const [areas, repository] = [join(base, 'transactions', 'workspace'), join(base, 'repository')];
  mkdirSync(repository);
  const made = makeArea(areas, base, 'git commit', repository);
  writeFileSync(join(made.repository.upper, 'packed-refs'), 'work');
  writeFileSync(join(made.upper, 'file'), 'work');
  renameSync(made.path, join(areas, `${NO_PROCESS}commit`));
  rmSync(repository, { recursive: true });
  expect(keepInterrupted(areas)).toHaveLength(1);
  expect(pendingIn(areas).map(({ record }) => record)).toMatchObject([{ files: 2, why: 'Synapse was ended while it ran' }]);
});

it('an area that cannot be kept stays for a later process, and the others are kept and removed', async () => {
  const areas = join(mkdtempSync(join(tmpdir(), 'synapse-abandoned-')), 'transactions', 'workspace');
  onTestFinished(() => rmSync(dirname(dirname(areas)), { recursive: true, force: true }));
  const abandoned = (name: string, text?: string): TransactionArea => {
    const made = makeArea(areas, dirname(areas), `echo ${name}`);
    if (text !== undefined) writeFileSync(join(made.upper, 'a'), text);
    const area = new TransactionArea(join(areas, `${NO_PROCESS}${name}`));
    renameSync(made.path, area.path);
    return area;
  };
  const [broken, worked, idle] = [abandoned('broken', 'work'), abandoned('worked', 'work'), abandoned('idle')];
  mkdirSync(`${broken.record}.new`);
  expect(keepInterrupted(areas)).toHaveLength(1);
  expect(pendingIn(areas).map(({ record }) => record.command)).toEqual(['echo worked']);
  await removeAbandoned(areas, () => false, new AbortController().signal);
  expect([broken, worked, idle].map(({ path }) => existsSync(path))).toEqual([true, true, false]);
  rmSync(`${broken.record}.new`, { recursive: true });
  expect(keepInterrupted(areas)).toHaveLength(1);
});

it.skipIf(!CHECKOUT_USERS.includes('user'))('and also where a normal user may write to neither of both folders', async () => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-abandoned-'));
  onTestFinished(() => {
    execFileSync('chmod', ['-R', 'u+rwX', base]);
  });
  const areas = join(base, 'transactions', 'workspace');
  mkdirSync(join(base, 'repository'));
  const asOther = process.getuid?.() === 0;
  chmodSync(base, 0o755);
  if (asOther) execFileSync('chown', ['-R', '65534:65534', base]);
  const script = `
    const { makeArea, TransactionArea } = await import(${sourceUrl('transaction/transaction-area.ts')});
    const { keepInterrupted } = await import(${sourceUrl('transaction/abandoned-areas.ts')});
    const fs = await import('node:fs');
    const areas = ${JSON.stringify(areas)};
    const repository = ${JSON.stringify(join(base, 'repository'))};
    const made = makeArea(areas, ${JSON.stringify(base)}, 'git commit', repository);
    fs.writeFileSync(made.repository.upper + '/packed-refs', 'work');
    for (const folder of [repository, made.repository.upper]) fs.chmodSync(folder, 0o555);
    fs.chmodSync(made.upper, 0);
    const area = new TransactionArea(areas + '/${NO_PROCESS}commit');
    fs.renameSync(made.path, area.path);
    console.log(keepInterrupted(areas).length, (fs.statSync(area.upper + '/.git').mode & 0o777).toString(8), fs.readdirSync(area.upper + '/.git').join());`;
  expect((await runScript(script, { asOther }).output).trim()).toBe('1 555 packed-refs');
});
