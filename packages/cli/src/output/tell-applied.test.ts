import type { CallMeta } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { appliedCode } from './tell-applied.ts';

const meta: CallMeta = { callId: '1', tool: 'apply_branch', durationMs: 1, summary: '', completion: 'ok' };
const COMMITS = [{ repository: 'lib/.git' }];

it.each<[string, string[], typeof COMMITS | undefined, number]>([
  ['all', [], undefined, 0],
  ['all but a file', ['a'], undefined, 1],
  ['commits, in a branch of git', ['lib/.git/HEAD', 'lib/.git/index'], COMMITS, 0],
  ['commits, and not a file of the same name', ['lib/.gitignore'], COMMITS, 1],
  ['nothing of a repository', ['lib/.git/HEAD'], [], 1],
])('applied %s', (_, paths, commits, code) => {
  const data = { applied: 1, conflicts: paths.map((path) => ({ path })), ...(commits === undefined ? {} : { commits }) };
  expect(appliedCode({ ok: true, output: '', content: [], data, meta })).toBe(code);
});

it('failed', () => {
  expect(appliedCode({ ok: false, error: { code: 'denied', message: 'no', retryable: false }, meta: { ...meta, completion: 'failed' } })).toBe(3);
});
