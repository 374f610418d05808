import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { callHash } from './call-hash.ts';
import { plainSha256, sha256 } from './sha256.ts';

it.each([
  ['in plain code', plainSha256],
  ['of the platform', sha256],
])('is the SHA-256 of every text: %s', (_, sha256Of) => {
  const right = (text: string): string => createHash('sha256').update(text).digest('hex');
  // Around the lengths at which another block begins.
  for (let length = 0; length < 200; length += 1) expect(sha256Of('ä'.padStart(length, 'x'))).toBe(right('ä'.padStart(length, 'x')));
  fc.assert(fc.property(fc.string({ unit: 'binary', size: 'max', maxLength: 5_000 }), (text) => sha256Of(text) === right(text)));
});

it('is the same for the same call, whatever the order of its fields, and another one for another call', () => {
  const call = { tool: 't', args: { a: 1, b: [{ c: null, d: 'x' }] } };
  expect(callHash({ tool: 't', args: { b: [{ d: 'x', c: null }], a: 1 } })).toBe(callHash(call));
  for (const other of [
    { ...call, tool: 'u' },
    { ...call, dialect: 'd' },
    { tool: 't', args: { a: 1, b: [] } },
    { tool: 't', args: { a: '1', b: call.args.b } },
  ]) {
    expect(callHash(other)).not.toBe(callHash(call));
  }
});

it('refuses arguments that are nested too deep to be walked', () => {
  let args: unknown = 1;
  for (let depth = 0; depth < 100; depth += 1) args = [args];
  expect(() => callHash({ tool: 't', args })).toThrow(RangeError);
});
