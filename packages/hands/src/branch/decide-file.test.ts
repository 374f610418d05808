import { expect, it } from 'vitest';
import { decideFile, type Version } from './decide-file.ts';

const file = (content: string, mode = 0o644): Version => ({ type: 'file', mode, content });
const link = (target: string): Version => ({ type: 'link', target });
const folder = (mode: number): Version => ({ type: 'folder', mode });
const other: Version = { type: 'other' };

const CASES: ReadonlyArray<
  readonly [name: string, base: Version | null | undefined, branch: Version | null, workspace: Version | null, expected: string]
> = [
  ['changed in the branch alone', file('a'), file('b'), file('a'), 'branch'],
  ['changed in the workspace alone', file('a'), file('a'), file('b'), 'workspace'],
  ['changed to the same', file('a'), file('b'), file('b'), 'workspace'],
  ['changed in both', file('a'), file('b'), file('c'), 'lines 644'],
  ['a base that is not known, and the same now', undefined, file('b'), file('b'), 'workspace'],
  ['a base that is not known', undefined, file('b'), file('c'), 'conflict'],
  ['created in both, the same', null, file('b'), file('b'), 'workspace'],
  ['created in both', null, file('b'), file('c'), 'conflict'],
  ['created in the branch', null, file('b'), null, 'branch'],
  ['deleted in the branch', file('a'), null, file('a'), 'branch'],
  ['deleted in the branch, changed in the workspace', file('a'), null, file('b'), 'conflict'],
  ['deleted in the workspace, changed in the branch', file('a'), file('b'), null, 'conflict'],
  ['deleted in the workspace', file('a'), file('a'), null, 'workspace'],
  ['deleted in both', file('a'), null, null, 'workspace'],
  ['permissions in the branch, content in the workspace', file('a'), file('a', 0o755), file('b'), 'workspace 755'],
  ['content in the branch, permissions in the workspace', file('a'), file('b'), file('a', 0o755), 'branch 755'],
  ['content in both, permissions in the branch', file('a'), file('b', 0o755), file('c'), 'lines 755'],
  ['the same content, permissions in both', file('a'), file('b', 0o755), file('b', 0o600), 'conflict'],
  ['permissions of both', file('a'), file('a', 0o755), file('a', 0o600), 'conflict'],
  ['a link in the branch', link('a'), link('b'), link('a'), 'branch'],
  ['a link in both', link('a'), link('b'), link('c'), 'conflict'],
  ['a link in place of a file', file('a'), link('b'), file('a'), 'branch'],
  ['a link in place of a file that changed', file('a'), link('b'), file('c'), 'conflict'],
  ['a folder of which the branch changed the permissions', folder(0o755), folder(0o700), folder(0o755), 'branch'],
  ['a folder of which the workspace changed the permissions', folder(0o755), folder(0o755), folder(0o700), 'workspace'],
  ['a folder of which both changed the permissions', folder(0o755), folder(0o711), folder(0o700), 'conflict'],
  ['a pipe is never the same', other, file('b'), other, 'conflict'],
];

it.each(CASES)('%s', (_, base, branch, workspace, expected) => {
  const decision = decideFile({ base, branch, workspace });
  expect(decision.take === 'mix' ? `${decision.content} ${decision.mode.toString(8)}` : decision.take).toBe(expected);
});
