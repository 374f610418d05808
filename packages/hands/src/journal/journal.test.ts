import { mkdir, mkdtemp, readdir, readFile, realpath, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileLocks } from '../workspace/file-lock.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { resolveTarget } from '../workspace/target.ts';
import { applyChanges } from '../workspace/changes/change.ts';
import type { JournalLimits } from '../workspace/changes/capture.ts';
import { Journal } from './journal.ts';
import { planChanges } from '../workspace/changes/plan-steps.ts';
import { planUndo, stepsToUndo } from './plan-undo.ts';

const KB = 1024;
let base: string;
let confinement: HandleConfinement;
let journal: Journal | undefined;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'synapse-journal-')));
  await mkdir(join(base, 'workspace'));
  confinement = new HandleConfinement(join(base, 'workspace'));
});

afterEach(async () => {
  journal?.[Symbol.dispose]();
  confinement[Symbol.dispose]();
});

function open(limits: Partial<JournalLimits>): Journal {
  return (journal = new Journal({
    folder: join(base, 'journal'),
    areas: join(base, 'transactions'),
    confinement,
    locks: new FileLocks(join(base, 'locks')),
    limits,
  }));
}

const callOf = (callId: string): Parameters<Journal['forCall']>[0] => ({
  callId,
  sessionId: undefined,
  tool: 'write_file',
  signal: new AbortController().signal,
  onChange: () => {},
  onTooLarge: () => {},
  onNote: () => {},
});

function write(kept: Journal, name: string, content: string): void {
  using target = resolveTarget(confinement, [name], { followLink: true });
  const changes = [{ kind: 'write' as const, target, bytes: Buffer.from(content) }];
  kept.forCall(callOf(`${name} ${content.length} ${content.charAt(0)}`)).record(
    (capture) => planChanges(changes, capture),
    () => applyChanges(changes),
  );
}

/** Contents that are kept, grown old, so that they may go. */
async function contents(): Promise<string[]> {
  const folder = join(base, 'journal', 'content');
  const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) await utimes(join(parentPath, name), 1, 1);
  return files.map(({ name }) => name);
}

it('takes back several changes that together are more than one may be', async () => {
  const kept = open({ fileBytes: KB, changeBytes: 2 * KB });
  for (const name of ['a', 'b', 'c']) write(kept, name, name.repeat(KB));
  const entries = kept.database.done();
  const { steps } = stepsToUndo(entries, kept.powers());
  kept.forCall(callOf('undo')).apply(
    steps,
    entries.map(({ id }) => id),
  );
  expect(await readdir(join(base, 'workspace'))).toEqual([]);
});

it('keeps nothing of what is only looked at', async () => {
  const kept = open({});
  write(kept, 'a', 'one');
  await writeFile(join(base, 'workspace', 'a'), 'by hand');
  expect(planUndo(kept.database.done(), kept.powers()).conflicts).toHaveLength(1);
  expect(await contents()).toEqual([]);
});

it('stays within its bounds for as long as it is open', async () => {
  const kept = open({ totalBytes: 10 * KB });
  for (let index = 0; index < 40; index += 1) {
    write(kept, 'a', String.fromCodePoint(65 + index).repeat(KB));
    await contents();
  }
  expect((await contents()).length).toBeLessThanOrEqual(12);
  const [last] = kept.database.done();
  kept.forCall(callOf('undo')).apply(stepsToUndo(last === undefined ? [] : [last], kept.powers()).steps, [last?.id ?? 0]);
  expect((await readFile(join(base, 'workspace', 'a'), 'utf8')).charAt(0)).toBe(String.fromCodePoint(65 + 38));
});
