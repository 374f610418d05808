import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { BackEndName } from '../branch/back-ends.ts';
import { BranchStore } from '../branch/branch-store.ts';
import { countChanges } from '../branch/count-changes.ts';
import { holdBranch, type HeldBranch } from '../branch/hold-branch.ts';
import type { HoldParts } from '../branch/start-holder.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { temporaryHands, type TemporaryHands } from './temporary-hands.ts';

const { signal } = new AbortController();

/** A workspace whose branches are kept in one way. */
export async function branchesKeptBy(backEnd: BackEndName | '', files: Readonly<Record<string, string>>) {
  vi.stubEnv('SYNAPSE_BRANCHES', backEnd);
  const bench = await temporaryHands(files);
  const stateFolder = join(bench.folder, '../state');
  const stored = (name: string) => new BranchStore(stateFolder, bench.folder).get(name);
  const hold = async (name: string, options: Partial<HoldParts> = {}): Promise<HeldBranch> => {
    const { folder, record } = stored(name);
    return await holdBranch(folder, record, { stateFolder, locks: new FileLocks(join(stateFolder, 'locks')), signal, ...options });
  };
  const run = async (name: string, script: string): Promise<string> => {
    using held = await hold(name);
    const [program, ...words] = held.enter(['/bin/sh', '-ec', script], bench.folder);
    return execFileSync(program, words, { encoding: 'utf8' });
  };
  const write = async (name: string, path: string, content: string): Promise<void> => {
    await using branch = await bench.hands.branch(name, { create: false });
    expect(await branch.call('write_file', { path, content })).toMatchObject({ ok: true });
  };
  return {
    ...bench,
    hold,
    run,
    write,
    stored,
    count: (name: string) => countChanges(stored(name).folder),
    text: (path: string) => readFileSync(bench.at(path), 'utf8'),
    async [Symbol.asyncDispose]() {
      vi.unstubAllEnvs();
      await bench[Symbol.asyncDispose]();
    },
  };
}

export const shownBy = async ({ hands }: Pick<TemporaryHands, 'hands'>, name: string): Promise<string[]> => {
  const { changes } = await hands.showBranch(name);
  return changes.map(({ kind, path }) => `${kind} ${path}`).toSorted();
};
