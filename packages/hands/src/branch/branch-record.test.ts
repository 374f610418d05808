import { expect, it } from 'vitest';
import { assertBranchName } from './branch-record.ts';

it.each(['fix-login', 'a', '7', 'v1.2_x', 'con', 'x'.repeat(63)])('%s is the name of a branch', (name) => {
  expect(() => assertBranchName(name)).not.toThrow();
});

// The hint about letters alone did not tell what was wrong with these.
it.each([
  ['auto', /means something else/u],
  ['workspace', /means something else/u],
  ['x.lock', /cannot be named "x\.lock"/u],
  ['a..b', /cannot be named "a\.\.b"/u],
  ['-x', /cannot be named "-x"/u],
  ['x-', /cannot be named "x-"/u],
  ['X', /cannot be named "X"/u],
  ['a/b', /cannot be named "a\/b"/u],
  ['x'.repeat(64), /cannot be named "x{64}"/u],
])('%s is not, and the error says why', (name, message) => {
  expect(() => assertBranchName(name)).toThrow(message);
});
