import type { ContentBlock, NewSessionRequest } from '@agentclientprotocol/sdk/experimental/v2';
import { expect, it } from 'vitest';
import { openingOf, promptBlocks } from './request-content.ts';

it('reads every kind of content that the agent offers', () => {
  const blocks: ContentBlock[] = [
    { type: 'text', text: 'a', annotations: { audience: ['someone'] } },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'resource_link', name: 'n', uri: 'file:///a', title: 'T' },
    { type: 'resource', resource: { uri: 'file:///b', text: 'b' } },
  ];
  expect(promptBlocks(blocks)).toMatchObject([{ type: 'text', text: 'a' }, blocks[1], blocks[2], blocks[3]]);
});

it.each<[string, ContentBlock]>([
  ['audio', { type: 'audio', data: 'AA==', mimeType: 'audio/wav' }],
  ['_custom', { type: '_custom' }],
])('refuses %s', (type, block) => expect(() => promptBlocks([block])).toThrow(`Content of the type "${type}" is not supported`));

it('reads servers', () => {
  const { servers } = openingOf({
    cwd: '/ws',
    mcpServers: [
      { type: 'stdio', name: 'a', command: '/bin/a' },
      { type: 'http', name: 'b', url: 'https://b.example/mcp', headers: [{ name: 'X', value: 'y' }] },
    ],
  });
  expect(servers).toEqual([
    { name: 'a', command: '/bin/a', args: [], env: [] },
    { type: 'http', name: 'b', url: 'https://b.example/mcp', headers: [{ name: 'X', value: 'y' }] },
  ]);
});

it.each<[string, Partial<NewSessionRequest>, string]>([
  ['more folders', { additionalDirectories: ['/other'] }, 'A session has one folder'],
  ['another transport', { mcpServers: [{ type: '_sse', name: 'a', url: 'https://a.example' }] }, 'MCP servers of the type "_sse"'],
])('refuses %s', (_, more, message) => expect(() => openingOf({ cwd: '/ws', ...more })).toThrow(message));
