import { expect, it } from 'vitest';
import { ChangeFeed, type FileChange } from './change-feed.ts';

it.each<[FileChange[], FileChange]>([
  [['created', 'changed'], 'created'],
  [['created', 'deleted'], 'deleted'],
  [['created', 'deleted', 'created'], 'created'],
  [['created', 'deleted', 'created', 'changed'], 'created'],
  [['deleted', 'created'], 'changed'],
  [['deleted', 'created', 'deleted'], 'deleted'],
  [['changed', 'deleted', 'created'], 'changed'],
  [['changed', 'created', 'changed'], 'created'],
  [['changed', 'created', 'deleted', 'created'], 'created'],
  [['deleted', 'changed', 'created', 'changed'], 'changed'],
])('%j is %s', (changes, expected) => {
  const feed = new ChangeFeed(() => true);
  feed.take();
  for (const change of changes) feed.add('a', change);
  expect(feed.take().files.get('a')).toBe(expected);
});
