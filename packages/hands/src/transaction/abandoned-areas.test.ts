import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeAbandoned } from './abandoned-areas.ts';
import { pendingIn } from './pending-record.ts';
import { makeArea, TransactionArea } from './transaction-area.ts';

/** Larger than every process id (Linux PID_MAX_LIMIT). */
const NO_PROCESS = 'area-4194305-1-';

it('a process that is killed during the cleanup of another loses nothing: only areas without work are removed', async () => {
  const base = mkdtempSync(join(tmpdir(), 'synapse-abandoned-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
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
