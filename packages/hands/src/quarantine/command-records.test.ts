import { mkdirSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { assertUnlocked, commandLock, lockCommands, unlockCommands } from './command-records.ts';

const freshFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'synapse-lock-'));

it('locks commands until they are unlocked', async () => {
  const folder = await freshFolder();
  expect([commandLock(folder), commandLock(join(folder, 'absent'))]).toEqual([undefined, undefined]);
  lockCommands(folder, 'the survey is incomplete');
  expect(commandLock(folder)?.reason).toBe('the survey is incomplete');
  expect(() => assertUnlocked(folder)).toThrow(/^Commands are locked in this workspace: the survey is incomplete$/u);
  unlockCommands(folder);
  expect(() => assertUnlocked(folder)).not.toThrow();
});

it.each([
  ['cut off while it was written', (file: string) => writeFileSync(file, '{"reason":'), /was not written down$/u],
  ['unreadable', (file: string) => mkdirSync(file), /cannot be read \(EISDIR\)$/u],
])('counts a lock that is %s', async (_, make, reason) => {
  const folder = await freshFolder();
  make(join(folder, 'locked.json'));
  expect(commandLock(folder)?.reason).toMatch(reason);
  expect(() => assertUnlocked(folder)).toThrow('Commands are locked in this workspace');
});
