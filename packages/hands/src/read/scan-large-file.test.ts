import { expect, it } from 'vitest';
import { borrowMemory } from './scan-large-file.ts';

const MEBIBYTE = 1024 * 1024;

it('lends the same memory again once it was given back, and never to two at once', () => {
  const first = borrowMemory(MEBIBYTE);
  const second = borrowMemory(MEBIBYTE);
  expect([first.bytes.length, second.bytes.length]).toEqual([MEBIBYTE, MEBIBYTE]);
  expect(second.bytes.buffer).not.toBe(first.bytes.buffer);
  first[Symbol.dispose]();
  using third = borrowMemory(1_000);
  expect(third.bytes.buffer).toBe(first.bytes.buffer);
  expect(third.bytes.length).toBe(1_000);
  using fourth = borrowMemory(1_000);
  expect(fourth.bytes.buffer).not.toBe(third.bytes.buffer);
  second[Symbol.dispose]();
});

it('keeps no more than some mebibytes', () => {
  const large = borrowMemory(16 * MEBIBYTE);
  large[Symbol.dispose]();
  using again = borrowMemory(16 * MEBIBYTE);
  expect(again.bytes.buffer).not.toBe(large.bytes.buffer);
});
