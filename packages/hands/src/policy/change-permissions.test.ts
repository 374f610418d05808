import { expect, it } from 'vitest';
import { changePermissions } from './change-permissions.ts';

const add = (text: string, added: Parameters<typeof changePermissions>[1]): string => changePermissions(text, added, 'config.jsonc', 'add');

it('writes a new file', () => {
  expect(add('', { mode: 'auto-edit', allow: ['exec(npm test)'] })).toBe(
    '{\n  "permissions": {\n    "mode": "auto-edit",\n    "allow": [\n      "exec(npm test)"\n    ]\n  }\n}\n',
  );
});

it('keeps what is there, with its comments, and adds what is missing', () => {
  const text =
    '{\n  // mine\n  "permissions": {\n    "mode": "ask", // as I like it\n    "allow": [\n      "exec(a)", // a\n      { "rule": "exec(b)" }\n    ]\n  }\n}\n';
  const after = add(text, { mode: 'auto-edit', allow: ['exec(a)', 'exec(b)', 'exec(c)'], deny: ['read(x)'] });
  expect(after).toContain('// mine');
  expect(after).toContain('"mode": "ask", // as I like it');
  expect(after.match(/exec\(/gu)).toHaveLength(3);
  expect(after).toContain('"exec(c)"');
  expect(after).toContain('"deny": [\n      "read(x)"\n    ]');
});

it.each(['', '{}', '{ "permissions": { "allow": ["exec(a)"] } } // no line end'])('changes nothing a second time: %j', (text) => {
  const added = { mode: 'auto-edit', allow: ['exec(a)', 'exec(b)'], ask: ['write(c)'] };
  const once = add(text, added);
  expect(add(once, added)).toBe(once);
  expect(add(once, {})).toBe(once);
});

it.each(['{', '[]', '{ "permissions": [] }', '5'])('changes no file that is none: %s', (text) => {
  expect(() => add(text, { allow: ['exec(a)'] })).toThrow('cannot be changed: config.jsonc');
});

it('replaces the mode of a file, and keeps its comment', () => {
  const text = '{\n  "permissions": {\n    "mode": "ask" // as I like it\n  }\n}\n';
  expect(changePermissions(text, { mode: 'auto-edit' }, 'config.jsonc')).toBe(text.replace('"ask"', '"auto-edit"'));
});

it('removes rules, also those with a reason, and keeps the rest with its comments', () => {
  const text =
    '{\n  "permissions": {\n    "allow": [\n      "exec(a)", // a\n      { "rule": "exec(b)", "reason": "x" },\n      "exec(c)"\n    ],\n    "deny": ["exec(b)"]\n  }\n}\n';
  const after = changePermissions(text, { allow: ['exec(d)'], remove: { allow: ['exec(b)', 'exec(z)'] } }, 'config.jsonc');
  expect(JSON.parse(after.replace('// a', ''))).toEqual({ permissions: { allow: ['exec(a)', 'exec(c)', 'exec(d)'], deny: ['exec(b)'] } });
  expect(after).toContain('// a');
});
