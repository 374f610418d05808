import fc from 'fast-check';
import { parse, stripComments } from 'jsonc-parser';
import { describe, expect, it } from 'vitest';
import { jsonFormat } from './json-format.ts';

const KEYS = ['servers', 'synapse'];
const ENTRY = { command: 'node' };
const jsonc = jsonFormat('/c.json', true);
const json = jsonFormat('/c.json', false);

describe('jsonFormat', () => {
  it.each([
    ['{}', '{\n  "servers": {\n    "synapse": {\n      "command": "node"\n    }\n  }\n}'],
    ['{"servers":{}}', '{"servers":{"synapse":{"command":"node"}}}'],
    ['{"a":1}', '{"a":1,"servers":{"synapse":{"command":"node"}}}'],
    ['{ "a": 1, }', '{ "a": 1, "servers": {"synapse":{"command":"node"}} }'],
    ['{\r\n\t"a": 1\r\n}\r\n', '{\r\n\t"a": 1,\r\n\t"servers": {\r\n\t\t"synapse": {\r\n\t\t\t"command": "node"\r\n\t\t}\r\n\t}\r\n}\r\n'],
    ['// only this', '// only this\n{\n  "servers": {\n    "synapse": {\n      "command": "node"\n    }\n  }\n}\n'],
    ['{ // why\n}', '{ // why\n  "servers": {\n    "synapse": {\n      "command": "node"\n    }\n  }\n}'],
    ['{\n  "servers": {} // none\n}', '{\n  "servers": {\n    "synapse": {\n      "command": "node"\n    }\n  } // none\n}'],
    [
      '{\n  "servers": {\n    "a": 1 /* one */ // two\n    // three\n  }\n}',
      '{\n  "servers": {\n    "a": 1, /* one */ // two\n    // three\n    "synapse": {\n      "command": "node"\n    }\n  }\n}',
    ],
    ['{\n  "a": 1 }', '{\n  "a": 1,\n  "servers": {\n    "synapse": {\n      "command": "node"\n    }\n  }\n }'],
    ['{"servers": {"synapse": 1}}', '{"servers": {"synapse": {"command":"node"}}}'],
  ])('adds to %j', (text, expected) => {
    expect(jsonc.set(text, KEYS, ENTRY)).toBe(expected);
  });

  it.each([
    ['{"servers":{"synapse":{}}}', '{"servers":{}}'],
    ['{"servers":{"a":1,"synapse":{}}}', '{"servers":{"a":1}}'],
    ['{"servers":{"synapse":{}, "a":1}}', '{"servers":{"a":1}}'],
    ['{"servers":{"a":1, "synapse":{}, "b":2,}}', '{"servers":{"a":1, "b":2,}}'],
    [
      '{\n  "servers": {\n    "a": 1, // one\n    // ours?\n    "synapse": {} // here\n  }\n}',
      '{\n  "servers": {\n    "a": 1 // one\n    // ours?\n    // here\n  }\n}',
    ],
    ['{\r\n  "servers": {\r\n    "synapse": {},\r\n    "a": 1\r\n  }\r\n}', '{\r\n  "servers": {\r\n    "a": 1\r\n  }\r\n}'],
    ['{"a":1}', '{"a":1}'],
    ['', ''],
  ])('takes out of %j', (text, expected) => {
    expect(jsonc.remove(text, KEYS)).toBe(expected);
  });

  it.each([
    [jsonc, '{\n  "a": ]\n}', '/c.json:2:8: this is not JSON: ValueExpected'],
    [json, '{\n  // c\n}', '/c.json:2:3: this is not JSON without comments: InvalidCommentToken'],
    [json, '{"a": 1,}', '/c.json:1:9: this is not JSON without comments: PropertyNameExpected'],
    [json, '// only this', '/c.json:1:1: this is not JSON without comments: InvalidCommentToken'],
    [jsonc, '[]', '/c.json:1:1: the file must be an object'],
    [jsonc, '{\n  "servers": []\n}', '/c.json:2:14: "servers" must be an object'],
    [jsonc, '{"servers": null}', '/c.json:1:13: "servers" must be an object'],
    [jsonc, '{"servers": {},\n "servers": {}}', '/c.json:2:2: "servers" is there twice'],
    [jsonc, '{"servers": {"synapse": 1, "synapse": 2}}', '"synapse" is there twice'],
    [jsonc, `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'nested too deep'],
    [jsonc, '['.repeat(100_000), 'nested too deep'],
  ])('refuses a file that it cannot read in one way only', (format, text, message) => {
    expect(() => format.set(text, KEYS, ENTRY)).toThrow(message);
    expect(() => format.remove(text, KEYS)).toThrow(message);
  });

  const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\r\n\t', ' // note\n', '/* " } , */', '\n# \n'.replace('#', '//'));
  const scalar = fc
    .oneof(fc.integer(), fc.string({ unit: 'grapheme', maxLength: 6 }), fc.boolean(), fc.constant(null))
    .map((value) => JSON.stringify(value));
  const name = fc.constantFrom('servers', 'a', 'b', '__proto__', 'synapse2', 'ключ');
  /** Objects as text, in any layout, each name once. */
  const object: fc.Arbitrary<string> = fc.letrec<{ object: string; value: string }>((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, scalar, tie('object')),
    object: fc
      .tuple(fc.uniqueArray(fc.tuple(name, gap, gap, tie('value'), gap, gap), { selector: ([key]) => key, maxLength: 4 }), gap, fc.boolean())
      .map(([fields, inner, trailing]) => {
        const text = fields.map(
          ([key, a, b, value, c, d]) => `${a}${JSON.stringify(key)}${b}:${d}${key === 'servers' && !value.startsWith('{') ? '{}' : value}${c}`,
        );
        return `{${text.join(',')}${fields.length > 0 && trailing ? ',' : ''}${inner}}`;
      }),
  })).object;

  it('changes nothing but the entry, whatever the layout', () => {
    fc.assert(
      fc.property(gap, object, gap, (before, text, after) => {
        const whole = before + text + after;
        const installed = jsonc.set(whole, KEYS, ENTRY);
        expect(jsonc.get(installed, KEYS)).toEqual(ENTRY);
        const removed = jsonc.remove(installed, KEYS);
        expect(jsonc.without(removed, [KEYS])).toEqual(jsonc.without(whole, [KEYS]));
        // Every comment is still there, in order.
        const comments = (source: string): string[] => source.match(/\/\/ note|\/\* " \} , \*\/|\/\/ /gu) ?? [];
        expect(comments(installed)).toEqual(comments(whole));
        expect(comments(removed)).toEqual(comments(whole));
        expect(parse(stripComments(removed))).toBeDefined();
      }),
      { numRuns: 400 },
    );
  });
});
