import { expect, it } from 'vitest';
import { clientServers } from './client-servers.ts';

it('writes servers in the form of configuration files, with no variables in them', () => {
  expect(
    clientServers([
      { name: 'a', command: 'node', args: ['${HOME}', 'x'], env: [{ name: 'KEY', value: 'v' }] },
      { type: 'http', name: 'b', url: 'https://b.example/mcp', headers: [{ name: 'X', value: 'y' }] },
      { type: 'sse', name: 'c', url: 'https://c.example/sse', headers: [] },
    ]),
  ).toEqual({
    a: { command: 'node', args: ['${SYNAPSE_NO_SUCH_VARIABLE:-$}{HOME}', 'x'], env: { KEY: 'v' } },
    b: { type: 'http', url: 'https://b.example/mcp', headers: { X: 'y' } },
    c: { type: 'sse', url: 'https://c.example/sse', headers: {} },
  });
});

it('refuses two servers of one name', () => {
  const server = { name: 'a', command: 'x', args: [], env: [] };
  expect(() => clientServers([server, server])).toThrow('Two MCP servers have the name "a"');
});
