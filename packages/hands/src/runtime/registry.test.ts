import { describe, expect, it, vi } from 'vitest';
import { nameMap } from '../providers/name-map.ts';
import { ToolRegistry } from './registry.ts';
import { defineTool, type AnyTool } from '../tool/tool.ts';
import { PROBE } from '../testing/probe-tool.ts';

const tool = (name: string): AnyTool =>
  defineTool({
    ...PROBE,
    name,
    description: name,
    execute: async () => ({ data: {}, content: name }),
  });

describe('ToolRegistry', () => {
  it.each(['read_file', 'a', 'mcp:github:create_issue', 'mcp:My-Server.v2:Get.Item', `mcp:${'s'.repeat(40)}:${'t'.repeat(80)}`])(
    'takes the name %s',
    (name) => {
      expect(new ToolRegistry([tool(name)]).get(name).name).toBe(name);
    },
  );

  it.each([
    '',
    'Read',
    '9a',
    'a b',
    'mcp:',
    'mcp:a',
    'mcp:a:',
    'mcp::b',
    'mcp:a:b:c',
    'mcp:a:b c',
    'MCP:a:b',
    'a:b:c',
    `mcp:a:${'t'.repeat(81)}`,
    'mcp:a:b\n',
  ])('refuses the name %j', (name) => {
    expect(() => new ToolRegistry([tool(name)])).toThrow(expect.objectContaining({ code: 'invalid_arguments' }));
  });

  it('lists and finds tools that come and go, and notifies once', () => {
    const registry = new ToolRegistry([tool('own')]);
    const heard = vi.fn<() => void>();
    const forget = registry.subscribe(heard);
    const [shown, hidden] = [tool('mcp:a:shown'), tool('mcp:a:hidden')];
    registry.replaceForeign({ listed: [shown, tool('own')], unlisted: [hidden, shown] });
    expect(registry.list().map(({ name }) => name)).toEqual(['own', 'mcp:a:shown']);
    expect(registry.all().map(({ name }) => name)).toEqual(['own', 'mcp:a:shown', 'mcp:a:hidden']);
    expect(registry.get('mcp:a:hidden')).toBe(hidden);
    expect(registry.get('own').description).toBe('own');
    expect(heard).toHaveBeenCalledTimes(1);
    const list = registry.list();
    const [one, two] = [[shown], [hidden]];
    registry.replaceForeign({ listed: one, unlisted: two });
    expect(heard).toHaveBeenCalledTimes(2);
    registry.replaceForeign({ listed: [shown], unlisted: [hidden] });
    // An unchanged list sends no notification.
    expect(heard).toHaveBeenCalledTimes(2);
    expect(registry.list()).not.toBe(list);
    forget();
    registry.replaceForeign({ listed: [], unlisted: [] });
    expect(heard).toHaveBeenCalledTimes(2);
    expect(() => registry.get('mcp:a:shown')).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
  });

  it('finds a registered tool of a server by its name on the wire, but no built-in tool', () => {
    const registry = new ToolRegistry([tool('own')]);
    const [shown, hidden] = [tool('mcp:a:shown'), tool(`mcp:a:${'h'.repeat(80)}`)];
    const wire = nameMap([shown.name, hidden.name]);
    registry.replaceForeign({ listed: [shown], unlisted: [hidden] });
    for (const one of [shown, hidden]) expect(registry.find(wire.toWire(one.name))).toBe(one);
    registry.replaceForeign({ listed: [shown, tool('mcp:a__shown:x'), tool('mcp:a:shown__x')], unlisted: [] });
    expect(registry.find(wire.toWire(hidden.name))).toBeUndefined();
    // This name is ambiguous.
    expect(registry.find('mcp__a__shown__x')).toBeUndefined();
  });

  it('waits for a tool only where it may still come', async () => {
    const registry = new ToolRegistry([tool('own')]);
    expect(registry.waitForTool('mcp:a:b')).toBeUndefined();
    registry.expectFrom({ waitForTool: (name) => (name === 'mcp:a:b' ? Promise.resolve() : undefined) });
    expect(registry.waitForTool('own')).toBeUndefined();
    expect(registry.waitForTool('mcp:x:y')).toBeUndefined();
    await expect(registry.waitForTool('mcp:a:b')).resolves.toBeUndefined();
    registry.expectFrom({ waitForTool: () => new Promise(() => {}) });
    await expect(registry.waitForTool('mcp:a:b', [AbortSignal.abort()])).rejects.toThrow('mcp:a:b was cancelled.');
  });
});
