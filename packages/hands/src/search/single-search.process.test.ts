import { afterEach, expect, it, vi } from 'vitest';
import { callUntyped } from '../testing/call-untyped.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { FolderIndex } from '../workspace-index/folder-index.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it.each([
  ['find_files', { glob: '*.nothing' }],
  ['find_files', { glob: 'a,*.nothing' }],
  ['search_text', { query: 'needle', glob: '*.nothing' }],
])('a single %s that finds nothing reads no folders for calls that may never come: %j', async (tool, input) => {
  const refresh = vi.spyOn(FolderIndex.prototype, 'refresh');
  await using place = await temporaryHands({ 'src/a.ts': 'needle\n' });
  await callUntyped(place.hands, tool, input);
  expect(refresh).not.toHaveBeenCalled();
  // The control: a second call shows that there are more.
  await callUntyped(place.hands, tool, input);
  expect(refresh).toHaveBeenCalled();
});
