import { type AnyTool } from '@synapse/hands';
import { CANONICAL_TOOLS, describeTool } from '@synapse/hands/tools';
import { expect, it } from 'vitest';
import { chooseTools, isAskedFor } from './tool-presets.ts';

const all = CANONICAL_TOOLS.map(describeTool);
const effects = new Map<string, AnyTool['effects']>(CANONICAL_TOOLS.map((tool) => [tool.name, tool.effects]));
const chosen = (...words: string[]): string[] => chooseTools(all, words).map(({ name }) => name);

it('read-only has every reading tool and no other', () => {
  expect(new Set(chosen('read-only').map((name) => effects.get(name)))).toEqual(new Set(['read']));
  expect(chosen('read-only')).toHaveLength([...effects.values()].filter((effect) => effect === 'read').length);
});

it('edit adds what changes files, and no command', () => {
  expect(new Set(chosen('edit').map((name) => effects.get(name)))).toEqual(new Set(['read', 'write']));
});

it('presets and names add up, each tool once', () => {
  expect(chosen('run_command', 'read-only', 'read_file')).toEqual(['run_command', ...chosen('read-only')]);
  expect(chosen('all')).toEqual(all.map(({ name }) => name));
});

it('takes words for tools of MCP servers that are not there, and for those that find them', () => {
  expect(chosen('read_file', 'mcp:github:*', 'mcp_search', 'mcp_call')).toEqual(['read_file']);
});

it.each([
  ['mcp:a:b', ['mcp:a:*'], true],
  ['mcp:a:b', ['read_file', 'mcp:a:b'], true],
  ['mcp:a:bc', ['mcp:a:b', 'mcp:b:*'], false],
  ['mcp:a:b', ['all', 'edit'], false],
])('knows whether %s was asked for by %j', (name, wanted, asked) => {
  expect(isAskedFor({ name }, wanted)).toBe(asked);
});

it.each([
  ['read_fil', 'Did you mean read_file'],
  ['readonly', 'read-only'],
  ['constructor', 'The presets are'],
])('refuses %s', (word, hint) => {
  expect(() => chosen(word)).toThrow(expect.objectContaining({ code: 'unknown_tool', hint: expect.stringContaining(hint) as string }));
});
