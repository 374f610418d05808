import { expect, it } from 'vitest';
import { namedAbove } from './run-counts.ts';

it.each([
  ['echo hi > ../out.txt', ['/tmp/out.txt']],
  ['git worktree add ../wt -b wt && ls ../wt', ['/tmp/wt']],
  ['mkdir -p ../new/dir; cp a "../new/dir"', ['/tmp/new']],
  ['cp a --target-directory=../x', ['/tmp/x']],
  ['cat ./../x', ['/tmp/x']],
  ['cp a ../../x', []],
  ['ls ..', []],
  ['echo ../', []],
  ['echo a../b', []],
  ['mktemp -d; echo x > /tmp/y; touch $TMPDIR/../z', []],
])('%s names %j', (command, expected) => {
  expect([...namedAbove(['/bin/sh', '-c', command], '/tmp/repository', '/tmp/repository')]).toEqual(expected);
});

it('follows the folder in which a command runs', () => {
  expect([...namedAbove(['/bin/sh', '-c', 'touch ../a ../../b ../../../c'], '/tmp/repository/sub', '/tmp/repository')]).toEqual(['/tmp/b']);
  expect([...namedAbove(['/bin/sh', '-c', 'touch ../a ../../b'], '/tmp/deep/repository', '/tmp/deep/repository')]).toEqual(['/tmp/deep', '/tmp/b']);
  expect([...namedAbove(['/bin/sh', '-c', 'touch ../a'], '/home/a/repository', '/home/a/repository')]).toEqual([]);
});
