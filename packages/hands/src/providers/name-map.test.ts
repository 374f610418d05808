import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nameMap } from './name-map.ts';
import { PROVIDER_RULES, PROVIDERS } from './provider-rules.ts';

const wireNames = (names: readonly string[]): string[] => {
  const map = nameMap(names);
  return names.map((name) => map.toWire(name));
};

it.each([
  ['read_file', 'read_file'],
  ['Bash', 'Bash'],
  ['mcp:github:create_issue', 'mcp__github__create_issue'],
  ['mcp:my-server:get-item', 'mcp__my-server__get-item'],
])('%s is %s on the wire', (name, wireName) => {
  expect(wireNames([name])).toEqual([wireName]);
});

it.each([
  ['a space', 'read file', /^read_file_[0-9a-f]{8}$/u],
  ['a path', '../../etc/passwd', /^______etc_passwd_[0-9a-f]{8}$/u],
  ['a digit first', '7zip', /^tool_7zip_[0-9a-f]{8}$/u],
  ['nothing', '', /^tool__[0-9a-f]{8}$/u],
  ['65 characters', 'x'.repeat(65), /^x{55}_[0-9a-f]{8}$/u],
  ['10 kB', 'x'.repeat(10_240), /^x{55}_[0-9a-f]{8}$/u],
  ['a prototype key', '__proto__', /^__proto___[0-9a-f]{8}$/u],
  ['another', 'constructor', /^constructor_[0-9a-f]{8}$/u],
  ['what await looks for', 'then', /^then_[0-9a-f]{8}$/u],
  ['invisible text', 'read\u{E0041}\u200Bfile', /^read[_]+file_[0-9a-f]{8}$/u],
])('%s in a name ends in its hash', (_, name, wireName) => {
  expect(wireNames([name])[0]).toMatch(wireName);
});

it('keeps names apart that a model would take for one another', () => {
  const names = ['read_file', 'Read_File', 'read-file', 'mcp:a:b', 'mcp__a__b'];
  const wire = wireNames(names);
  expect(wire[0]).toBe('read_file');
  expect(wire[4]).toBe('mcp__a__b');
  expect(wire[3]).toMatch(/^mcp__a__b_[0-9a-f]{8}$/u);
  expect(new Set(wire.map((name) => name.toLowerCase().replaceAll('-', '_'))).size).toBe(names.length);
});

it('does not depend on the order', () => {
  const names = ['read_file', 'Read_File', 'read-file', 'mcp:a:b', 'x y'];
  const map = nameMap(names);
  const turned = nameMap(names.toReversed());
  for (const name of names) expect(turned.toWire(name)).toBe(map.toWire(name));
});

it('refuses the same name twice, and a name that is the hashed form of another', () => {
  expect(() => nameMap(['a', 'a'])).toThrow('would both be named a');
  const [hashed = ''] = wireNames(['read file']);
  expect(() => nameMap(['read file', hashed])).toThrow(`would both be named ${hashed}`);
});

it('is valid for every provider, and the way back is exact', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.string({ unit: 'binary', maxLength: 90 }), { maxLength: 12 }), (names) => {
      const map = nameMap(names);
      for (const name of names) {
        const wireName = map.toWire(name);
        expect(map.fromWire(wireName)).toBe(name);
        for (const provider of PROVIDERS) expect(wireName).toMatch(PROVIDER_RULES[provider].name);
      }
    }),
  );
});
