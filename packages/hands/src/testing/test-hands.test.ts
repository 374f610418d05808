import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createTestHands } from './test-hands.ts';

it('asks the person of the test, keeps the questions, and leaves nothing behind', async () => {
  let folder: string;
  {
    await using test = await createTestHands({
      files: { 'a.txt': 'one' },
      allow: [],
      answer: ({ tool }) => (tool === 'write_file' ? 'allow' : 'deny'),
    });
    folder = test.folder;
    expect((await test.hands.call('read_file', { path: 'a.txt' })).ok).toBe(true);
    expect((await test.hands.call('write_file', { path: 'b.txt', content: 'two' })).ok).toBe(true);
    expect((await test.hands.call('delete_file', { path: 'b.txt' })).ok).toBe(false);
    expect(test.asked.map(({ tool }) => tool)).toEqual(['write_file', 'delete_file']);
    expect(existsSync(test.at('b.txt'))).toBe(true);
  }
  expect(existsSync(folder)).toBe(false);
});
