import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHands } from './load-hands.ts';
import type { Hands } from './hands.ts';

let root: string;
let hands: Hands;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'synapse-checked-'));
  writeFileSync(join(root, 'a.txt'), 'a');
  const folders = { stateFolder: mkdtempSync(join(tmpdir(), 'synapse-state-')), configFolder: mkdtempSync(join(tmpdir(), 'synapse-config-')) };
  hands = await createHands({ workspace: root, ...folders, allow: ['write'] });
});
afterAll(async () => {
  await hands[Symbol.asyncDispose]();
});

/** Calls a method as a program without types does. */
const untyped = (name: keyof Hands, ...given: readonly unknown[]): unknown => Reflect.apply(Reflect.get(hands, name) as () => unknown, hands, given);

describe('hands for programs without types', () => {
  it.each<[keyof Hands, readonly unknown[], string]>([
    // Would undo the last call of any session.
    ['undo', [{ sesion: 'x' }], 'hands.undo: selection has no "sesion" (did you mean session?).'],
    ['planUndo', [{ last: 0.5 }], 'hands.planUndo: selection.last: expected a whole number from 1, not 0.5.'],
    // Would apply all of the branch.
    ['applyBranch', ['x', { path: ['a'] }], 'hands.applyBranch: options has no "path" (did you mean paths?).'],
    ['branch', [5], 'hands.branch: name: expected a text, not 5.'],
    ['branch', ['x', { form: 'y' }], 'hands.branch: options has no "form" (did you mean from?).'],
    ['createBranch', [null], 'hands.createBranch: name: expected a text, not null.'],
    ['dropBranch', ['x', { changes: '3' }], 'hands.dropBranch: options.changes: expected a whole number from 0, not "3".'],
    ['changes', [{ call: 5 }], 'hands.changes: selection.call: expected a text, not 5.'],
  ])('%s(%j) is refused', async (name, given, message) => {
    await expect(untyped(name, ...given)).rejects.toMatchObject({ code: 'invalid_arguments', message });
  });

  it.each<[keyof Hands, readonly unknown[], RegExp]>([
    ['limitMode', ['plan'], /^hands\.limitMode: mode: expected "read-only" or .*, not "plan"\.$/u],
    ['subscribe', [undefined], /^hands\.subscribe: listener: expected a function, not undefined\.$/u],
    ['tools', [5], /^Unknown tool format: number$/u],
    ['constraints', [null], /^hands\.constraints: options: expected an object, not null\.$/u],
  ])('%s(%j) throws', (name, given, message) => {
    expect(() => untyped(name, ...given)).toThrow(message);
    expect(hands.policy().mode).toBe('ask');
  });

  it('a call with a misspelled option is not made, and does not reject', async () => {
    const input = { path: 'a.txt', content: 'b' };
    expect(await untyped('call', 'write_file', input, { dryrun: true })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', message: 'A call has no option "dryrun".', hint: 'Did you mean dryRun?' },
    });
    expect(await untyped('call', 'write_file', input, null)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
  });
});
