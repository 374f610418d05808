import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { patchInCommand, patchInWords } from './patch-command.ts';

const PATCH = '*** Begin Patch\n*** Update File: a.txt\n*** Move to: b/c.txt\n@@\n-*** Add File: x\n+y\n*** End Patch';
const IN_SRC = PATCH.replace('a.txt', 'src/a.txt').replace('b/c.txt', 'src/b/c.txt');

it.each<[string, string, string | undefined, string | undefined]>([
  ['a here-document', `apply_patch <<'EOF'\n${PATCH}\nEOF\n`, undefined, PATCH],
  ['one without quotes, which is taken as it stands', `apply_patch << PATCH\n${PATCH}\nPATCH`, '.', PATCH],
  ['in another folder', `cd src && apply_patch <<"EOF"\n${PATCH}\nEOF`, undefined, IN_SRC],
  ['in the folder of the call', `apply_patch <<'EOF'\n${PATCH}\nEOF`, 'src/', IN_SRC],
  ['more than that', `apply_patch <<'EOF'\n${PATCH}\nEOF\nrm x`, undefined, undefined],
  ['something before it', `ls; apply_patch <<'EOF'\n${PATCH}\nEOF`, undefined, undefined],
  ['another command', 'echo apply_patch', undefined, undefined],
])('finds the patch in a command: %s', (_, command, folder, expected) => {
  expect(patchInCommand(command, folder)).toBe(expected);
  expect(patchInWords(['bash', '-lc', command], folder)).toBe(expected);
});

it('finds the patch in a list of words', () => {
  expect(patchInWords(['apply_patch', PATCH])).toBe(PATCH);
  expect(patchInWords(['apply_patch', PATCH], '/ws/src')).toBe(PATCH.replace('a.txt', '/ws/src/a.txt').replace('b/c.txt', '/ws/src/b/c.txt'));
  expect(patchInWords(['apply_patch'])).toBeUndefined();
  expect(patchInWords(['echo', '-c', `apply_patch <<'EOF'\n${PATCH}\nEOF`])).toBeUndefined();
});

it('is quick with what only looks like one', () => {
  const started = computedMs();
  patchInCommand(`apply_patch <<'E'\n${'\nE '.repeat(500_000)}`);
  expect(computedMs() - started).toBeLessThan(5_000);
});
