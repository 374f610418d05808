import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tomlFormat } from './toml-format.ts';

const KEYS = ['mcp_servers', 'synapse'];
const ENTRY = { command: '/opt/node', args: ['a "b"', 'c\\d', 'e\u007ff', 'ключ'] };
const toml = tomlFormat('/c.toml');
const TABLE = '[mcp_servers.synapse]\ncommand = "/opt/node"\nargs = ["a \\"b\\"", "c\\\\d", "e\\u007ff", "ключ"]\n';

describe('tomlFormat', () => {
  it.each([
    ['', TABLE],
    ['a = 1\n', `a = 1\n\n${TABLE}`],
    ['a = 1', `a = 1\n\n${TABLE}`],
    ['a = 1\r\n', `a = 1\r\n\r\n${TABLE.replaceAll('\n', '\r\n')}`],
    ['mcp_servers.a.command = "x"\n', `mcp_servers.a.command = "x"\n\n${TABLE}`],
    ['# only this', `# only this\n\n${TABLE}`],
  ])('adds to %j', (text, expected) => {
    expect(toml.set(text, KEYS, ENTRY)).toBe(expected);
  });

  it.each([
    [`a = 1\n\n${TABLE}`, 'a = 1\n'],
    [`${TABLE}\n# about b\n[b]\nc = 1`, '\n# about b\n[b]\nc = 1'],
    [
      '[ "mcp_servers" . \'synapse\' ] # ours\ncommand = "x"\n\n[mcp_servers.synapse.env]\nA = "1"\n[mcp_servers.synapse2]\ncommand = "y"\n',
      '[mcp_servers.synapse2]\ncommand = "y"\n',
    ],
    ['[mcp_servers.synapse]\ncommand = """\n[x]\n"""\n', undefined],
    ['a = """\n[mcp_servers.synapse]\n"""\n[mcp_servers.synapse]\ncommand = "x"\n', undefined],
    ['[mcp_servers]\nsynapse = { command = "x" }\n', undefined],
    ['mcp_servers.synapse.command = "x"\n', undefined],
    ['a = 1\n', 'a = 1\n'],
  ])('takes out of %j, or leaves it to its owner', (text, expected) => {
    if (expected === undefined) expect(() => toml.remove(text, KEYS)).toThrow('cannot be changed without changing more of it');
    else expect(toml.remove(text, KEYS)).toBe(expected);
  });

  it.each([
    ['a = \n', '/c.toml:1:'],
    ['a = 1\n[x\n', '/c.toml:2:3: this is not TOML: Expected table closing'],
    ['a = 1\na = 2\n', '/c.toml:2:1: this is not TOML: Value already defined'],
    ['mcp_servers = 1\n', 'cannot be changed'],
    ['mcp_servers = { a = { command = "x" } }\n', 'cannot be changed'],
    ['[[mcp_servers]]\na = 1\n', 'cannot be changed'],
    [`a = ${'['.repeat(50_000)}`, 'this is not TOML'],
  ])('refuses %j', (text, message) => {
    expect(() => toml.set(text, KEYS, ENTRY)).toThrow(message);
  });

  it('changes nothing but the entry, whatever the layout', () => {
    const line = fc.constantFrom(
      '# note',
      '',
      '  ',
      'x1 = 1',
      "x2 = '[mcp_servers.synapse]' # ours?",
      'x3 = [ # a\n  1,\n]',
      'x4 = """\ntext\n"""',
      'x5 = 1979-05-27T07:32:00Z',
      'x6 = nan',
    );
    const header = fc.constantFrom('[a]', '[a.b] # why', '[mcp_servers.other]', '[mcp_servers."syn apse"]', '[[list]]');
    const block = fc.tuple(header, fc.uniqueArray(line, { maxLength: 5 }));
    fc.assert(
      fc.property(
        fc.uniqueArray(line, { maxLength: 5 }),
        fc.uniqueArray(block, { maxLength: 4, selector: ([name]) => name.replace('.b] # why', '.b]') }),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        (top, blocks, lineEnd, ended) => {
          const lines = [...top, ...blocks.flatMap(([name, fields]) => [name, ...fields])].join('\n');
          const text = (lines + (ended ? '\n' : '')).replaceAll('\n', lineEnd);
          fc.pre(!text.includes('[a.b]') || text.indexOf('[a]') < text.indexOf('[a.b]'));
          const installed = toml.set(text, KEYS, ENTRY);
          expect(installed.startsWith(text) || text.trim() === '').toBe(true);
          expect(toml.get(installed, KEYS)).toEqual(ENTRY);
          const removed = toml.remove(installed, KEYS);
          expect(removed.trimEnd()).toBe(text.trimEnd());
        },
      ),
      { numRuns: 300 },
    );
  });
});
