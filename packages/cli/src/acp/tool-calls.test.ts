import { describe, expect, it } from 'vitest';
import { bounded, fenced } from './plain-block.ts';
import { describeCall, endOfCall, type KnownTool } from './tool-calls.ts';

const tool = (effects: KnownTool['effects'], title = 'Tool'): KnownTool => ({ title, effects });

describe('a call', () => {
  it.each<[KnownTool | undefined, unknown, string, string, unknown]>([
    [tool('read', 'Read a file'), { path: 'src/a.ts', start_line: 3 }, 'read', 'Read a file: src/a.ts', [{ path: '/ws/src/a.ts', line: 3 }]],
    [tool('read', 'Read'), { file_path: '/etc/hosts' }, 'read', 'Read: /etc/hosts', [{ path: '/etc/hosts' }]],
    [tool('read', 'Search text'), { pattern: 'x', path: 'src' }, 'search', 'Search text: x', [{ path: '/ws/src' }]],
    [tool('write', 'Move'), { from: 'a', to: 'b' }, 'edit', 'Move: a', [{ path: '/ws/a' }, { path: '/ws/b' }]],
    [tool('exec', 'Run a command'), { command: 'npm test\nrm x' }, 'execute', 'Run a command: npm test⏎rm x', []],
    [tool('net', 'Fetch'), { url: 'https://a.example' }, 'fetch', 'Fetch: https://a.example', []],
    [tool('mcp', 'Say'), { text: 'a' }, 'other', 'Say', []],
    [undefined, 'not an object', 'other', 'unknown_tool', []],
    [tool('read', 'Read'), { path: 'spill:1' }, 'read', 'Read: spill:1', []],
    [tool('read', 'Read'), { path: 7, start_line: -1 }, 'read', 'Read', []],
    [tool('exec', 'Run'), { command: 'a\u202Eb\u001B[2J' }, 'execute', 'Run: a<U+202E>b<U+001B>[2J', []],
  ])('%o with %o is of kind %s', (known, input, kind, title, locations) => {
    expect(describeCall({ tool: 'unknown_tool', input, known }, '/ws')).toMatchObject({ kind, title, locations, rawInput: input });
  });

  it('repeats no arguments that are too long', () => {
    const { rawInput, title } = describeCall({ tool: 't', input: { command: 'x'.repeat(100_000) }, known: tool('exec') }, '/ws');
    expect(rawInput).toEqual({ omitted: expect.stringContaining('100') as string });
    expect(title.length).toBeLessThan(200);
  });
});

describe('its end', () => {
  const END = { ok: true, completion: 'ok', output: 'fine', images: [], changes: [], summary: 's' } as const;

  it.each([
    [{}, 'completed'],
    [{ completion: 'failed' }, 'failed'],
    [{ completion: 'timeout' }, 'failed'],
    [{ ok: false }, 'failed'],
  ] as const)('with %o is %s', (more, status) => expect(endOfCall('1', { ...END, ...more }, '/ws').status).toBe(status));

  it('keeps the locations of its start if it changed nothing, and shows no more than a model reads', () => {
    const update = endOfCall('1', { ...END, output: 'x'.repeat(1_000_000) }, '/ws');
    expect(update).not.toHaveProperty('locations');
    expect(JSON.stringify(update).length).toBeLessThan(40_000);
  });
});

it('text cannot leave its fence, nor lose its ends', () => {
  expect(fenced('a\n```\n[click](http://evil.example)\n````')).toBe('`````\na\n```\n[click](http://evil.example)\n````\n`````');
  expect(bounded('a'.repeat(50) + 'z'.repeat(50), 10)).toBe('aaaaa\n… 90 characters …\nzzzzz');
});
