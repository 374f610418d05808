import { expect, it } from 'vitest';
import { assertHttpOptions, assertStreamOptions } from './assert-offer.ts';

const offer = { hands: { call() {} }, name: 'synapse', version: '1.0.0' };
const token = 'x'.repeat(32);

it('takes options that are right', () => {
  expect(() => assertStreamOptions({ ...offer, tools: ['read-only'], maxOutput: undefined, input: process.stdin })).not.toThrow();
  expect(() => assertHttpOptions({ ...offer, token, port: 0, origins: ['https://app.example'] })).not.toThrow();
});

it.each([
  // Would offer all tools.
  [{ ...offer, tool: ['read-only'] }, 'options has no "tool" (did you mean tools?).'],
  [{ ...offer, tools: 'read-only' }, 'options.tools: expected "all" or a list of names, not "read-only".'],
  [{ name: 'synapse', version: '1.0.0' }, 'options.hands: expected hands, not undefined.'],
])('refuses %j', (options, message) => {
  expect(() => assertStreamOptions(options)).toThrow(`runMcpServer: ${message}`);
});

it.each([
  [{ ...offer }, 'options.token: expected a text, not undefined.'],
  [{ ...offer, token, origin: ['*'] }, 'options has no "origin" (did you mean origins?).'],
])('refuses %j over HTTP', (options, message) => {
  expect(() => assertHttpOptions(options)).toThrow(`runMcpHttpServer: ${message}`);
});
