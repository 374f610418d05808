import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Approver } from '../approval/approver.ts';
import { queryAudit } from '../audit/query-audit.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = { 'a.txt': 'one\ntwo\n' };
const edits = [{ old_text: 'two', new_text: '2' }];
const PATCH = '*** Begin Patch\n*** Update File: a.txt\n@@\n-two\n+2\n*** End Patch';
const CALLS = [
  ['edit_file', { path: 'a.txt', edits }],
  ['apply_patch', { patch: PATCH }],
] as const;

it.each(CALLS)('runs the command after %s, on what it made, and answers with both', async (tool, input) => {
  await using at = await temporaryHands(FILES);
  const result = await at.hands.call<string>(tool, { ...input, then: 'cat a.txt; exit 3' }, { callId: 'edit', sessionId: 's' });
  expect(result).toMatchObject({ ok: true, data: { then: { ok: true, data: { exit_code: 3 } } }, meta: { tool, completion: 'failed' } });
  expect(result.ok && result.output).toMatch(/^(?:\[line 2 changed, version \w+\]|M a\.txt)\n\[exit code 3\]\none\n2\n$/u);
  const calls = [...queryAudit(join(at.folder, '..', 'state'), at.folder)].toReversed();
  expect(calls.map(({ tool: name, start, end }) => [name, start.parent, end?.ok])).toEqual([
    [tool, undefined, true],
    ['run_command', 'edit', true],
  ]);
});

it.each(CALLS)('does not run it if %s fails', async (tool, input) => {
  await using at = await temporaryHands({ 'a.txt': 'three\n' });
  expect(await at.hands.call<string>(tool, { ...input, then: 'echo ran > ran.txt' })).toMatchObject({ ok: false, error: { code: 'no_match' } });
  await expect(readFile(at.at('ran.txt'))).rejects.toThrow('ENOENT');
});

it('keeps the edit where the command is denied, and says both', async () => {
  await using at = await temporaryHands(FILES, { policy: { deny: ['exec(rm *)'] } });
  const result = await at.hands.call('edit_file', { path: 'a.txt', edits, then: 'rm a.txt' });
  expect(result).toMatchObject({ ok: true, data: { then: { ok: false, error: { code: 'denied' } } }, meta: { completion: 'failed' } });
  expect(result.ok && result.output).toContain('stays');
  expect(await readFile(at.at('a.txt'), 'utf8')).toBe('one\n2\n');
});

it('asks about the command as about any other, after the edit', async () => {
  const asked: string[] = [];
  const person: Approver = {
    name: 'person',
    async ask({ tool }) {
      asked.push(tool);
      return tool === 'run_command' ? { verdict: 'deny', reason: 'not now' } : { verdict: 'allow', scope: 'once' };
    },
  };
  await using at = await temporaryHands(FILES, { allow: [], approver: person, policy: { ask: ['exec(touch *)'] } });
  const result = await at.hands.call('edit_file', { path: 'a.txt', edits, then: 'touch made.txt' });
  expect(asked).toEqual(['edit_file', 'run_command']);
  expect(result.ok && result.output).toContain('not now');
  expect(await readFile(at.at('a.txt'), 'utf8')).toBe('one\n2\n');
});

it('runs nothing in a dry run, and keeps within what a reader shows', async () => {
  await using at = await temporaryHands(FILES);
  const dry = await at.hands.call('edit_file', { path: 'a.txt', edits, then: 'echo ran > ran.txt' }, { dryRun: true });
  expect(dry.ok && dry.output).toContain('not run in a dry run');
  await expect(readFile(at.at('ran.txt'))).rejects.toThrow('ENOENT');
  const long = await at.hands.call(
    'edit_file',
    { path: 'a.txt', edits, then: 'seq 5000' },
    { readerLimits: { outputBytes: 4_000, jsonCharacters: 3_000 } },
  );
  expect(long.ok && JSON.stringify(long.output).length).toBeLessThan(3_100);
  expect(long).toMatchObject({ meta: { truncation: { spill: expect.stringContaining('spill:') as string } } });
});

it('tells with the edit what the policy says about the command', async () => {
  await using at = await temporaryHands(FILES, { policy: { deny: ['exec(rm *)'] } });
  expect(await at.hands.explain('edit_file', { path: 'a.txt', edits })).toMatchObject({ verdict: 'allow' });
  expect(await at.hands.explain('edit_file', { path: 'a.txt', edits, then: 'rm a.txt' })).toMatchObject({ verdict: 'deny' });
});

it('does not reach a tool that the caller is not offered', async () => {
  await using at = await temporaryHands(FILES);
  const result = await at.hands.call('edit_file', { path: 'a.txt', edits, then: 'echo ran > ran.txt' }, { mayCall: ['read_file', 'edit_file'] });
  expect(result).toMatchObject({ ok: true, data: { then: { ok: false, error: { code: 'unknown_tool' } } } });
  await expect(readFile(at.at('ran.txt'))).rejects.toThrow('ENOENT');
  // Control: offered, it runs.
  const offered = [{ old_text: '2', new_text: 'two' }];
  await at.hands.call('edit_file', { path: 'a.txt', edits: offered, then: 'echo ran > ran.txt' }, { mayCall: ['run_command'] });
  expect(await readFile(at.at('ran.txt'), 'utf8')).toBe('ran\n');
});
