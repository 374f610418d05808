import type { CallResult } from '@synapse/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { commitAll, git, initRepository, write } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { callUntyped } from '../testing/call-untyped.ts';

let temporary: TemporaryHands;
beforeEach(async () => void (temporary = await temporaryHands()));
afterEach(() => temporary[Symbol.asyncDispose]());

const blame = (input: Record<string, unknown>): Promise<CallResult> => callUntyped(temporary.hands, 'git_blame', input);

it('tells for each line where it comes from', async () => {
  initRepository(temporary.folder, { a: 'one\ntwo\n\tthree\n' });
  const first = git(temporary.folder, 'rev-parse', '--short=10', 'HEAD');
  write(temporary.folder, { a: 'one\nTWO\n\tthree\n' });
  const second = commitAll(temporary.folder, 'second').slice(0, 10);
  write(temporary.folder, { a: 'one\nTWO\n\tthree\nfour\n' });
  const result = await blame({ path: 'a' });
  expect(result).toMatchObject({
    ok: true,
    data: {
      lines: [
        { line: 1, sha: first, author: 'Ada', date: '2026-01-02T01:04:05Z', text: 'one', uncommitted: false },
        { line: 2, sha: second, text: 'TWO' },
        { line: 3, sha: first, text: '\tthree' },
        { line: 4, sha: '0000000000', text: 'four', uncommitted: true },
      ],
      has_more: false,
    },
  });
  const dated = (sha: string): string => `${sha} 2026-01-02 Ada\n`;
  expect(result.ok && result.output).toBe(
    `[Lines 1 to 4, the last one.]\n${dated(first)}1: one\n${dated(second)}2: TWO\n${dated(first)}3: \tthree\nnot committed yet\n4: four\n`,
  );
  const before = await blame({ path: 'a', revision: 'HEAD~1' });
  expect(before.ok && before.output).toBe(`[Lines 1 to 3, the last one.]\n${dated(first)}1: one\n2: two\n3: \tthree\n`);
  expect(await blame({ path: 'a', revision: 'HEAD~1', offset: 2, limit: 1 })).toMatchObject({
    ok: true,
    data: { lines: [{ line: 2, text: 'two' }], has_more: true },
    output: expect.stringContaining('more with "offset": 3'),
  });
});

it.each([
  [{ path: 'a', offset: 10 }, 'invalid_arguments', 'only 1 line'],
  [{ path: 'nothing' }, 'not_found', 'nothing'],
  [{ path: 'dir' }, 'not_found', 'File not found in HEAD: dir'],
  [{ path: '.' }, 'wrong_type', 'folder'],
  [{ path: 'a', revision: '--contents=/etc/passwd' }, 'invalid_arguments', '-'],
  [{ path: 'a', revision: '-S/etc/passwd' }, 'invalid_arguments', '-'],
  [{ path: 'a', revision: 'nothing' }, 'not_found', 'nothing'],
  [{ path: 'untracked' }, 'not_found', 'untracked'],
  [{ path: 'bin' }, 'binary_file', 'bin'],
])('answers %o with %s', async (input, code, message) => {
  initRepository(temporary.folder, { a: '1\n', 'dir/b': '1\n', bin: Uint8Array.of(0x61, 0, 0x0a) });
  write(temporary.folder, { untracked: '' });
  expect(await blame(input)).toMatchObject({ ok: false, error: { code, message: expect.stringContaining(message) } });
});

it('answers for an empty file', async () => {
  initRepository(temporary.folder, { a: '', b: '1' });
  expect(await blame({ path: 'a' })).toMatchObject({ ok: true, data: { lines: [] } });
});

it('says that there are no commits yet', async () => {
  git(temporary.folder, 'init', '--quiet');
  write(temporary.folder, { a: '1' });
  expect(await blame({ path: 'a' })).toMatchObject({ error: { code: 'not_found', message: 'No commits yet.' } });
  expect(await temporary.hands.call('git_diff', { revision: 'HEAD' })).toMatchObject({
    error: { message: 'Revision not found: HEAD' },
  });
});
