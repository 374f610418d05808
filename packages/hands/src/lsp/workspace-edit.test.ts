import { expect, it } from 'vitest';
import { readWorkspaceEdit } from './workspace-edit.ts';

const unopened = (): undefined => undefined;
const edit = { range: { start: { line: 0, character: 1 }, end: { line: 0, character: 2 } }, newText: 'x' };

it('reads both forms', () => {
  const files = new Map([['a.ts', [edit]]]);
  expect(readWorkspaceEdit({ changes: { 'file:///w/a.ts': [edit] } }, '/w', unopened)).toEqual({ files, refused: undefined });
  const documentChanges = [{ textDocument: { uri: 'file:///w/a.ts', version: null }, edits: [edit] }];
  expect(readWorkspaceEdit({ documentChanges }, '/w', unopened)).toEqual({ files, refused: undefined });
  // It replaces the other one, and does not add to it.
  expect(readWorkspaceEdit({ documentChanges, changes: { 'file:///w/b.ts': [edit] } }, '/w', unopened).files).toEqual(files);
});

it.each([
  [null, 'nothing to rename'],
  [{}, 'no place to change'],
  [{ changes: { 'file:///w/a.ts': [] } }, 'no place to change'],
  [{ changes: { 'file:///w/a.ts': [{ newText: 5 }] } }, 'malformed'],
  [{ changes: { 'file:///etc/a.h': [edit], 'file:///w/a.ts': [edit] } }, 'a.h, which is outside the workspace'],
  [{ changes: { 'file:///w/..%2fa.h': [edit] } }, 'outside the workspace'],
  [{ documentChanges: [{ kind: 'rename', oldUri: 'file:///w/a.ts', newUri: 'file:///w/b.ts' }] }, 'move or delete files'],
])('refuses %j', (answer, why) => {
  const { files, refused } = readWorkspaceEdit(answer, '/w', unopened);
  expect(refused).toContain(why);
  expect(files.size).toBe(0);
});

it.each([
  [7, undefined],
  [null, undefined],
  [6, 'the server answers for another text of a.ts'],
])('takes an edit of version %j of a file that was opened as version 7: %s', (version, refused) => {
  const documentChanges = [{ textDocument: { uri: 'file:///w/a.ts', version }, edits: [edit] }];
  expect(readWorkspaceEdit({ documentChanges }, '/w', () => 7).refused).toBe(refused);
});
