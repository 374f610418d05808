import fc from 'fast-check';
import { expect, it } from 'vitest';
import { serverName, serverOf, toolName } from './tool-name.ts';

it.each([
  ['github', 'create_issue', 'mcp:github:create_issue'],
  ['my-server.v2', 'get-item', 'mcp:my-server.v2:get-item'],
])('%s, %s → %s', (server, tool, expected) => {
  expect(toolName(server, tool)).toBe(expected);
  expect(serverOf(expected)).toBe(serverName(server));
});

it('makes safe names of any, each its own', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }),
      (one, other) => {
        const name = toolName(one, other);
        expect(name).toMatch(/^mcp:[\w.-]{1,40}:[\w.-]{1,80}$/u);
        expect(name.length).toBeLessThanOrEqual(128);
        expect(serverOf(name)).toBe(serverName(one));
        if (one !== other) expect(toolName('s', one)).not.toBe(toolName('s', other));
      },
    ),
  );
});

it.each(['read_file', 'mcp_search', 'mcp:', 'mcp:x', 'mcp::x'])('%s is no tool of a server', (name) => {
  expect(serverOf(name)).toBeUndefined();
});
