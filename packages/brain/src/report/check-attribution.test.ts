import { expect, it } from 'vitest';
import { checkAttribution } from './check-attribution.ts';

it('marks files that no call read, and tools that were not called', () => {
  const seen = { filesRead: new Set(['package.json', './src/a.ts']), toolCalls: new Map([['read_file', 2]]) };
  expect(checkAttribution({ files_read: ['package.json:3', 'src/a.ts'], tool_calls: { read_file: 2 }, confidence: 'high' }, seen).ok).toBe(true);
  expect(checkAttribution({ files_read: ['README.md'], tool_calls: { git_log: 1 }, confidence: 'high' }, seen)).toEqual({
    unreadFiles: ['README.md'],
    uncalledTools: ['git_log'],
    ok: false,
  });
});
