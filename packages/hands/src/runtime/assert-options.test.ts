import { expect, it } from 'vitest';
import { assertOptions, assertTools } from './assert-options.ts';

const workspace = '/w';

it.each([
  [{ workspace }],
  [{ workspace, allow: new Set(['write']), tools: [], policy: { mode: 'ask', deny: ['read(.env)', { rule: 'exec(x)', reason: 'r' }] } }],
  [{ workspace, network: { domains: ['example.com'] }, mcp: { servers: { a: { command: 'x' } } }, sandbox: undefined }],
])('%j are options', (options) => {
  expect(() => assertOptions(options)).not.toThrow();
});

it.each([
  [undefined, 'options: expected an object, not undefined.'],
  [{}, 'options.workspace: expected a path, not undefined.'],
  [{ workspace: '' }, 'options.workspace: expected a path, not "".'],
  // Each of these would leave out what keeps something from being done.
  [{ workspace, mode: 'read-only' }, 'options has no "mode" (did you mean policy.mode?).'],
  [{ workspace, policy: { denny: ['read(.env)'] } }, 'options.policy has no "denny" (did you mean deny?).'],
  [{ workspace, policy: { deny: 'read(.env)' } }, 'options.policy.deny: expected a list, not a string.'],
  [
    { workspace, policy: { deny: [{ rule: 'read(.env)', expires: 1 }] } },
    /^createHands: options\.policy\.deny\[0\]: expected a rule: .* expiresAt\? \}, not an object\.$/u,
  ],
  [{ workspace, policy: { deny: [5] } }, /^createHands: options\.policy\.deny\[0\]: expected a rule: /u],
  [{ workspace, network: { domain: ['x'] } }, /^createHands: options\.network: expected "off", .* \{ domains: /u],
  [{ workspace, sandbox: 'require' }, /^createHands: options\.sandbox: expected "auto" or "required" or .*, not "require"\.$/u],
  [{ workspace, network: 'none' }, /^createHands: options\.network: expected "off"/u],
  [{ workspace, allow: 'write' }, 'options.allow: expected a list, not "write".'],
  [{ workspace, approver: () => true }, 'options.approver: expected an approver: { name, ask(request, signal) }, not a function.'],
])('%j are not', (options, message) => {
  expect(() => assertOptions(options)).toThrow(typeof message === 'string' ? `createHands: ${message}` : message);
});

it('a tool is one of defineTool()', () => {
  expect(() => assertTools([{}])).toThrow('createHands: tools[0]: expected a tool of defineTool(), not an object.');
  expect(() => assertTools([{ name: 'x', execute() {} }])).not.toThrow();
});
