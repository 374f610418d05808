import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mcpTool } from '../mcp-client/tools/mcp-tool.ts';
import type { AnyTool } from '../tool/tool.ts';
import { CANONICAL_TOOLS } from '../tools/canonical-tools.ts';
import { helpFor } from './program-help.ts';

const server = (name: string, description: string): AnyTool =>
  mcpTool({
    definition: {
      name,
      ownName: name,
      title: name,
      description,
      inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      outputSchema: { type: 'object', properties: { title: { type: 'string' } } },
      headers: [],
      hash: '',
    },
    server: 'x',
    timeoutMs: 1,
    maxTimeoutMs: 1,
    held: () => undefined,
    call: async () => await Promise.resolve({}),
  });
const [issue, users] = [server('mcp:x:get-issue', 'Gets an issue. With its text.'), server('mcp:x:listUsers', 'Lists users.')];
const odd = server('mcp:x:Odd_Name_with.dots-__57ba11af', 'Does odd things.');
const own = [...CANONICAL_TOOLS] as readonly AnyTool[];
const help = (text: string): string => helpFor({ listed: [...own, issue, users, odd], unlisted: [] }, text);
const ISSUE = `Gets an issue. With its text.
hands.call("mcp:x:get-issue", { id: string })
→ { content: [{ type: string, text?: string }, …], structured: { title?: string } }`;

describe('helpFor', () => {
  it.each(['mcp:x:get-issue', 'mcp__x__get-issue', 'hands.mcp__x__get_issue', 'issue', 'mcp:x:getissues'])(
    'tells how to call a tool of a server: %s',
    (text) => {
      expect(help(text)).toBe(ISSUE);
    },
  );

  it.each(['x', 'mcp:x', 'mcp:x:', 'mcp__x'])('lists the tools of a server, and how to call them: %s', (text) => {
    expect(help(text)).toBe(
      'mcp:x:get-issue: Gets an issue\nmcp:x:listUsers: Lists users.\nmcp:x:Odd_Name_with.dots-__57ba11af: Does odd things.\nCall a tool whose name has colons as hands.call(NAME, input).',
    );
  });

  it.each<readonly [string, string]>([
    ['mcp:x:Odd Name/with.dots-ü', 'Does odd things.'],
    ['odd', 'Does odd things.'],
    ['read_file', 'Read a text file'],
    ['hands.editFile', 'Replace parts of a text file'],
    ['grep', 'Find lines in files'],
  ])('finds the one tool that %j means', (text, begins) => {
    expect(help(text).startsWith(begins)).toBe(true);
    expect(help(text)).toMatch(/\n→ /u);
  });

  it('finds what is not listed because a server has too many tools, and no more than a reader takes in', () => {
    const unlisted = Array.from({ length: 150 }, (_, index) => server(`mcp:x:tool_${index}`, `Makes gadget number ${index}.`));
    const many = (text: string): string => helpFor({ listed: own, unlisted }, text);
    expect(many('mcp:x:tool_7')).toContain('hands.call("mcp:x:tool_7", { id: string })');
    const lines = many('gadget').split('\n');
    expect([lines.length, lines[0], lines.at(-2)]).toEqual([102, 'mcp:x:tool_0: Makes gadget number 0.', 'and 50 more']);
    expect(many('')).not.toContain('mcp:');
  });

  it('cuts long types and descriptions, and names a part of many tools', () => {
    const properties = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`${'field'.repeat(10)}${index}`, {}]));
    const long: AnyTool = { ...issue, input: z.looseObject({}), inputSchema: { type: 'object', properties } };
    expect(helpFor({ listed: [long], unlisted: [] }, 'issue').length).toBeLessThan(9_000);
    const wordy = server('mcp:x:wordy', 'word '.repeat(100_000));
    expect(helpFor({ listed: [wordy], unlisted: [] }, 'wordy').length).toBeLessThan(9_000);
    expect(helpFor({ listed: [wordy], unlisted: [] }, '').length).toBeLessThan(9_000);
    const many = Array.from({ length: 2_000 }, (_, index) => server(`mcp:x:tool_${index}`, 'Makes gadgets.'));
    expect(helpFor({ listed: many, unlisted: [] }, 'zebra')).toMatch(/mcp:x:tool_99 and 1900 more$/u);
  });

  it('says what there is where nothing fits', () => {
    // Of a long text, the beginning: a program could else keep the process of all sessions from answering.
    expect(help(`${'zebra '.repeat(200)}read_file`)).toMatch(/^No tool is about "zebra /u);
    expect(help('zebra')).toMatch(/^No tool is about "zebra"\. The tools are: read_file, .*, mcp:x:get-issue, /u);
  });
});
